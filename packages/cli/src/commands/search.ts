// `relay search <words>`: shows matching messages, best first, each with its neighbours and its id.

import type { FoundMessage, SearchLine } from '@relay/contract/api/search';
import { RelayError } from '@relay/contract/errors';
import { findZone, type Zone } from '@relay/core/schedule/zone';
import { highlight } from '@relay/core/search/query';
import { clientOf } from '../api.ts';
import type { CommandOptions, RunCommand } from '../command.ts';
import { toOneLine, toPrintable, truncateText } from '../format.ts';
import type { Terminal } from '../terminal.ts';

export const searchMessagesCommand: RunCommand = async ({ config, terminal, args, options }) => {
  const q = args.join(' ');
  if (q.trim() === '') throw new RelayError('usage', { what: 'Give the words to search for.' });
  const query = { q, limit: limitOf(options), ...narrowed(options) };
  const answer = await clientOf(config.home).get('/api/search', { query });
  if (terminal.json) terminal.writeJson(answer);
  else if (answer.hits.length === 0) terminal.notice('No messages found.');
  else {
    const zone = findZone(Intl.DateTimeFormat().resolvedOptions().timeZone);
    const asked = { question: q, now: new Date(), zone };
    if (!answer.sure) terminal.notice('No clear match. Closest messages:');
    for (const line of formatSearchResults(answer.hits, terminal.colours, asked))
      terminal.writeLine(line);
  }
  return 0;
};

function limitOf(options: CommandOptions): number {
  const limit = Number(options.limit);
  if (Number.isInteger(limit) && limit >= 1) return limit;
  throw new RelayError('usage', { what: 'Give --limit a whole number, such as `-n 20`.' });
}

const FILTERS = { in: 'chat', from: 'contact', since: 'from', until: 'to' } as const;

function narrowed(
  options: CommandOptions,
): Partial<Record<'chat' | 'contact' | 'from' | 'to', string>> {
  const given = Object.entries(FILTERS).flatMap(([option, field]) => {
    const value = options[option];
    return typeof value === 'string' ? [[field, value]] : [];
  });
  return Object.fromEntries(given);
}

// Formats a match: chat and time, then the text between the messages around it.

type Colours = Pick<Terminal['colours'], 'dim' | 'bold'>;

interface SearchQuestion {
  readonly question: string;
  readonly now: Date;
  readonly zone: Zone | null;
}

/** How many characters of a neighbouring message are shown. */
const GLANCE = 76;

export function formatSearchResults(
  hits: readonly FoundMessage[],
  colours: Colours,
  asked: SearchQuestion,
): string[] {
  const lines = hits.flatMap((hit) => [
    headOf(hit, colours),
    ...glance(hit.before, colours),
    ...`${nameOf(hit)}: ${emphasised(hit.text, colours, asked)}`
      .trimEnd()
      .split('\n')
      .map((line) => `  │ ${line}`),
    ...glance(hit.after, colours),
    '',
  ]);
  return lines.slice(0, -1);
}

const headOf = ({ chat_name, at, message_id, by }: FoundMessage, colours: Colours): string => {
  const found = [toPrintable(message_id), ...FOUND_BY[by]].join('  ');
  return `${colours.bold(toOneLine(chat_name))}  ${when(at)}  ${colours.dim(found)}`;
};

const FOUND_BY: Readonly<Record<FoundMessage['by'], readonly string[]>> = {
  words: [],
  meaning: ['matched by meaning'],
  recent: ['newest of this person or time'],
  change: ['changes what the next one says'],
};

const nameOf = ({ from_me, from_name }: SearchLine): string =>
  from_me ? 'you' : toOneLine(from_name) || 'unknown';

const glance = (line: SearchLine | null, colours: Colours): string[] =>
  line === null
    ? []
    : [colours.dim(truncateText(`    ${nameOf(line)}: ${toOneLine(line.text)}`, GLANCE))];

function emphasised(
  text: string,
  colours: Colours,
  { question, now, zone }: SearchQuestion,
): string {
  const shown = toPrintable(text);
  if (zone === null) return shown;
  return highlight(shown, question, now, zone)
    .map(({ text: piece, found }) => (found ? colours.bold(piece) : piece))
    .join('');
}

const two = (value: number): string => String(value).padStart(2, '0');

/** Local time with the year, because matches are often old. */
function when(at: string): string {
  const date = new Date(at);
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
