// `relay search <words>`: what was said, the best first, each with the lines around it and its id.
import { RelayError } from '@relay/core/errors';
import { zoneNamed } from '@relay/core/schedule/zone';
import { clientOf } from '../../api.ts';
import type { Options, Run } from '../../command.ts';
import { describe } from './describe.ts';

export const run: Run = async ({ config, terminal, args, options }) => {
  const q = args.join(' ');
  if (q.trim() === '') throw new RelayError('usage', { what: 'Say what to look for.' });
  const query = { q, limit: limitOf(options), ...narrowed(options) };
  const answer = await clientOf(config.home).get('/api/search', { query });
  if (terminal.json) terminal.give(answer);
  else if (answer.hits.length === 0) terminal.progress('Nothing was found.');
  else {
    const zone = zoneNamed(Intl.DateTimeFormat().resolvedOptions().timeZone);
    const asked = { question: q, now: new Date(), zone };
    if (!answer.sure)
      terminal.progress('Nothing was found that is surely about it. Nearest to it:');
    for (const line of describe(answer.hits, terminal.colours, asked)) terminal.say(line);
  }
  return 0;
};

function limitOf(options: Options): number {
  const limit = Number(options.limit);
  if (Number.isInteger(limit) && limit >= 1) return limit;
  throw new RelayError('usage', { what: 'Give --limit a whole number, as in `-n 20`.' });
}

const FILTERS = { in: 'chat', from: 'contact', since: 'from', until: 'to' } as const;

function narrowed(options: Options): Partial<Record<'chat' | 'contact' | 'from' | 'to', string>> {
  const given = Object.entries(FILTERS).flatMap(([option, field]) => {
    const value = options[option];
    return typeof value === 'string' ? [[field, value]] : [];
  });
  return Object.fromEntries(given);
}
