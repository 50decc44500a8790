// `relay ledger`: what was decided, the last of it last; with --follow, as it is decided.
import { setTimeout as sleep } from 'node:timers/promises';
import type { LedgerLine } from '@relay/core/api/ledger';
import { RelayError } from '@relay/core/errors';
import { clientOf } from '../api.ts';
import type { Options, Run } from '../command.ts';
import { sinceOf } from '../ledger/since.ts';
import { head, lines } from '../ledger/table.ts';
import type { Terminal } from '../terminal.ts';

const TICK_MS = 1_000;
const PAGE = 500;

interface Filter {
  readonly actor?: string;
  readonly outcome?: string;
  readonly since?: string;
}

export const run: Run = async ({ config, terminal, options }) => {
  const client = clientOf(config.home);
  const filter = filterOf(options, new Date());
  const page = (query: { order: 'newest' | 'oldest'; limit: number; cursor?: string }) =>
    client.get('/api/ledger', { query: { ...filter, ...query } });
  const last = await page({ order: 'newest', limit: countOf(options.limit) });
  if (terminal.json && options.follow !== true) {
    terminal.give(last);
    return 0;
  }
  const entries = last.entries.toReversed();
  if (!terminal.json && entries.length === 0) terminal.progress('Nothing was decided that fits.');
  if (!terminal.json && entries.length > 0) terminal.say(head(terminal.colours));
  show(terminal, entries);
  if (options.follow !== true) return 0;

  let cursor = entries.at(-1)?.seq.toString();
  for (;;) {
    const from = cursor === undefined ? {} : { cursor };
    const next = await page({ order: 'oldest', limit: PAGE, ...from });
    show(terminal, next.entries);
    cursor = next.cursor ?? cursor;
    if (!next.more) await sleep(TICK_MS);
  }
};

function show(terminal: Terminal, entries: readonly LedgerLine[]): void {
  if (terminal.json) {
    for (const entry of entries) terminal.give(entry);
    return;
  }
  const columns = terminal.size?.columns ?? null;
  const look = { columns, colours: terminal.colours, now: new Date() };
  for (const line of lines(entries, look)) terminal.say(line);
}

function countOf(limit: unknown): number {
  const count = Number(limit);
  if (Number.isInteger(count) && count >= 1 && count <= PAGE) return count;
  throw new RelayError('usage', { what: `Give --limit a whole number up to ${PAGE}.` });
}

function filterOf({ actor, denied, since }: Options, now: Date): Filter {
  return {
    ...(typeof actor === 'string' ? { actor: actor === 'you' ? 'owner' : actor } : {}),
    ...(denied === true ? { outcome: 'deny' } : {}),
    ...(typeof since === 'string' ? { since: sinceOf(since, now).toISOString() } : {}),
  };
}
