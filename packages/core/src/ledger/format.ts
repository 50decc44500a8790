// Formats times, names and reasons for the middle of a sentence.
import type { ApprovalAnswer, ReaderClock, RunFacts } from './story.ts';

const LONGEST_NAME = 60;

/** One line, and shortened. */
export function shortName(name: string): string {
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

export const quoteName = (words: string): string => `“${shortName(words)}”`;

/** “at 14:02”, with the day if it is not today. */
export function timeClause(at: Date, { now, zone }: ReaderClock): string {
  const part = (date: Date, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...options }).format(date);
  const time = part(at, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const day = (date: Date) => part(date, { dateStyle: 'short' });
  if (day(at) === day(now)) return `at ${time}`;
  const year = (date: Date) => part(date, { year: 'numeric' });
  const date = part(at, { day: 'numeric', month: 'long' });
  return `on ${date}${year(at) === year(now) ? '' : ` ${year(at)}`} at ${time}`;
}

/** The same for use after “until” or “before”. */
export const timeWithoutPreposition = (at: Date, reading: ReaderClock): string =>
  timeClause(at, reading).replace(/^(at|on) /, '');

/** “ (gpt-5-mini, run 3f2a91bc)”, or nothing. */
export function runSuffix(run: RunFacts | null): string {
  if (run === null) return '';
  const name = `run ${run.id.slice(0, 8)}`;
  return run.model === null ? ` (${name})` : ` (${shortName(run.model)}, ${name})`;
}

const NAMES = /^(WhatsApp|Relay|I)\b/;

/** The beginning of a sentence, for use within another. */
export function toClause(sentence: string): string {
  const [first = ''] = sentence.trim().split(/(?<=[.!?])\s/u);
  const words = first.replace(/(?<![.!?])[.!?]+$/u, '').trim();
  if (words === '' || NAMES.test(words)) return words;
  return words.slice(0, 1).toLowerCase() + words.slice(1);
}

/** What happened to an approval that the owner never answered. */
export function lapsedClause(approval: ApprovalAnswer | null): string {
  const withdrawn = approval?.withdrawn ?? null;
  return withdrawn === null
    ? 'it was not approved in time'
    : `it was withdrawn because ${toClause(withdrawn)}`;
}

// Describes an actor in plain words.

const ACTORS: Readonly<Record<string, string>> = {
  owner: 'you',
  router: 'router',
  recheck: 're-check',
  relay: 'Relay',
  notifier: 'Relay',
  scheduler: 'scheduler',
  assistant: 'assistant',
  auto_reply: 'auto-reply',
  observer: 'observer',
};

/** `name` is the actor's name: a conversation's objective or a client's name. */
export function describeActor(actor: string, name: string | null): string {
  const [kind = '', id = ''] = actor.split(':');
  const named = name === null ? id.slice(0, 8) : quoteName(name);
  if (kind === 'conversation') return `conversation ${named}`;
  if (kind === 'token') return `client ${named}`;
  return Object.hasOwn(ACTORS, kind) ? (ACTORS[kind] ?? kind) : shortName(actor);
}
