// Pieces of the one sentence: times, names and reasons so that they fit into the middle of it.
import type { ApprovalAnswer, Reading, RunFacts } from './story.ts';

const LONGEST_NAME = 60;

/** On one line, and not longer than a name need be. */
export function called(name: string): string {
  const line = name
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const characters = [...line];
  return characters.length <= LONGEST_NAME
    ? line
    : `${characters
        .slice(0, LONGEST_NAME - 1)
        .join('')
        .trimEnd()}…`;
}

export const quoted = (words: string): string => `“${called(words)}”`;

/** “at 14:02”, and the day where it is not today. */
export function when(at: Date, { now, zone }: Reading): string {
  const part = (date: Date, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...options }).format(date);
  const time = part(at, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const day = (date: Date) => part(date, { dateStyle: 'short' });
  if (day(at) === day(now)) return `at ${time}`;
  const year = (date: Date) => part(date, { year: 'numeric' });
  const date = part(at, { day: 'numeric', month: 'long' });
  return `on ${date}${year(at) === year(now) ? '' : ` ${year(at)}`} at ${time}`;
}

/** The same behind “until” or “before”. */
export const moment = (at: Date, reading: Reading): string =>
  when(at, reading).replace(/^(at|on) /, '');

/** “ (gpt-5-mini, run 3f2a91bc)”, or nothing. */
export function withRun(run: RunFacts | null): string {
  if (run === null) return '';
  const name = `run ${run.id.slice(0, 8)}`;
  return run.model === null ? ` (${name})` : ` (${called(run.model)}, ${name})`;
}

const NAMES = /^(WhatsApp|Relay|I)\b/;

/** What a whole sentence says first, to go on within another. */
export function clause(sentence: string): string {
  const [first = ''] = sentence.trim().split(/(?<=[.!?])\s/u);
  const words = first.replace(/(?<![.!?])[.!?]+$/u, '').trim();
  if (words === '' || NAMES.test(words)) return words;
  return words.slice(0, 1).toLowerCase() + words.slice(1);
}

/** What became of a question that the owner never answered. */
export function lapsed(approval: ApprovalAnswer | null): string {
  const withdrawn = approval?.withdrawn ?? null;
  return withdrawn === null
    ? 'nobody said yes in time'
    : `it was taken back because ${clause(withdrawn)}`;
}
