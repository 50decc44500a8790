// `relay ledger`: shows the last decisions, newest at the bottom; --follow prints new ones as they are made.
import { setTimeout as sleep } from 'node:timers/promises';
import type { LedgerLine } from '@relay/contract/api/ledger';
import { RelayError } from '@relay/contract/errors';
import { clientOf } from '../api.ts';
import type { CommandOptions, RunCommand } from '../command.ts';
import { formatClock, padText, parseDuration, toOneLine, truncateText } from '../format.ts';
import type { Terminal } from '../terminal.ts';

const TICK_MS = 1_000;
const PAGE = 500;

interface Filter {
  readonly actor?: string;
  readonly outcome?: string;
  readonly since?: string;
}

export const showLedgerCommand: RunCommand = async ({ config, terminal, options }) => {
  const client = clientOf(config.home);
  const filter = filterOf(options, new Date());
  const page = (query: { order: 'newest' | 'oldest'; limit: number; cursor?: string }) =>
    client.get('/api/ledger', { query: { ...filter, ...query } });
  const last = await page({ order: 'newest', limit: countOf(options.limit) });
  if (terminal.json && options.follow !== true) {
    terminal.writeJson(last);
    return 0;
  }
  const entries = last.entries.toReversed();
  if (!terminal.json && entries.length === 0) terminal.notice('No matching decisions.');
  if (!terminal.json && entries.length > 0)
    terminal.writeLine(formatLedgerHeader(terminal.colours));
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
    for (const entry of entries) terminal.writeJson(entry);
    return;
  }
  const columns = terminal.size?.columns ?? null;
  const look = { columns, colours: terminal.colours, now: new Date() };
  for (const line of formatLedgerLines(entries, look)) terminal.writeLine(line);
}

function countOf(limit: unknown): number {
  const count = Number(limit);
  if (Number.isInteger(count) && count >= 1 && count <= PAGE) return count;
  throw new RelayError('usage', { what: `Give --limit a whole number up to ${PAGE}.` });
}

function filterOf({ actor, denied, since }: CommandOptions, now: Date): Filter {
  return {
    ...(typeof actor === 'string' ? { actor: actor === 'you' ? 'owner' : actor } : {}),
    ...(denied === true ? { outcome: 'deny' } : {}),
    ...(typeof since === 'string' ? { since: parseSince(since, now).toISOString() } : {}),
  };
}

// Formats ledger lines: time, actor, action, contact, result and reason. Columns have fixed widths, so that later lines
// align with earlier ones. Pure.

interface LedgerLayout {
  /** Null when the output is not a terminal: nothing is truncated. */
  readonly columns: number | null;
  readonly colours: Pick<Terminal['colours'], 'dim' | 'bold' | 'red' | 'yellow' | 'green'>;
  readonly now: Date;
}

const WIDTHS = { time: 11, who: 16, what: 20, about: 18, outcome: 14 } as const;
const GAP = '  ';
const TAKEN = Object.values(WIDTHS).reduce((sum, one) => sum + one + GAP.length, 0);
const LEAST_FOR_REASON = 24;

const cell = (text: string, width: number): string =>
  padText(truncateText(toOneLine(text), width), width);

export const formatLedgerHeader = (colours: Pick<LedgerLayout['colours'], 'dim'>): string =>
  colours.dim(
    [
      padText('TIME', WIDTHS.time),
      padText('ACTOR', WIDTHS.who),
      padText('ACTION', WIDTHS.what),
      padText('CONTACT', WIDTHS.about),
      padText('OUTCOME', WIDTHS.outcome),
      'REASON',
    ].join(GAP),
  );

export function formatLedgerLines(entries: readonly LedgerLine[], look: LedgerLayout): string[] {
  const room = look.columns === null ? Number.POSITIVE_INFINITY : look.columns - TAKEN;
  return entries.map((entry) => {
    const line = [
      look.colours.dim(formatClock(new Date(entry.at), look.now).padStart(WIDTHS.time)),
      cell(entry.who, WIDTHS.who),
      cell(entry.what, WIDTHS.what),
      look.colours.bold(cell(entry.about ?? '', WIDTHS.about)),
      paint(entry.outcome, look),
    ].join(GAP);
    const why = toOneLine(entry.sentence);
    return room < LEAST_FOR_REASON
      ? `${line}\n${GAP}${why}`
      : `${line}${GAP}${truncateText(why, room)}`;
  });
}

const COLOUR: Readonly<Record<string, 'red' | 'yellow' | 'green' | undefined>> = {
  deny: 'red',
  stopped: 'red',
  unanswered: 'yellow',
  needs_approval: 'yellow',
  waiting: 'yellow',
  allow: 'green',
  answered: 'green',
};

/** Outcomes whose code is not a plain word. */
const OUTCOME_NAMES: Readonly<Record<string, string | undefined>> = {
  allow: 'allowed',
  deny: 'refused',
  stored: 'stored only',
  unanswered: 'not answered',
};

export const describeLedgerOutcome = (outcome: string): string =>
  OUTCOME_NAMES[outcome] ?? outcome.replaceAll('_', ' ');

function paint(outcome: string, { colours }: LedgerLayout): string {
  const text = cell(describeLedgerOutcome(outcome), WIDTHS.outcome);
  const colour = COLOUR[outcome];
  return colour === undefined ? text : colours[colour](text);
}

// `--since`: a duration (`2h`, `3d`) or a date (`2026-11-14`, `2026-11-14 09:00`).

export function parseSince(text: string, now: Date): Date {
  const span = parseDuration(text);
  if (span !== null) return new Date(now.getTime() - span);
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00`) : new Date(text);
  if (!Number.isNaN(date.getTime()) && /\d{4}/.test(text)) return date;
  throw new RelayError('usage', { what: 'Give --since as `2h`, `3d` or `2026-11-14 09:00`.' });
}
