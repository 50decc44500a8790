// Builds a model's context of an observed group: five slots, oldest content first, the latest messages at the end. No
// slot exceeds its token budget, whatever its input.
import { cutToTokens, estimateTokens } from '../agent/context-window.ts';
import type { Zone } from '../schedule/zone.ts';
import { type DigestPeriod, formatGroupDate } from './digest/periods.ts';

/** Tokens. */
export const CONTEXT_SLOTS = {
  system: 2_000,
  briefing: 4_000,
  daily: 5_000,
  hourly: 3_000,
  raw: 20_000,
} as const;
export type ContextSlot = keyof typeof CONTEXT_SLOTS;

export const CONTEXT_DAYS = 7;
const CONTEXT_RAW_HOURS = 24;

interface TimedText {
  readonly at: Date;
  readonly text: string;
}

interface DigestText extends DigestPeriod {
  readonly text: string;
}

/** Each list oldest first. */
export interface GroupContextParts {
  readonly zone: Zone;
  /** The members except the owner. */
  readonly members: readonly string[];
  /** Texts from before the shown days, true at their time. */
  readonly briefing: readonly TimedText[];
  readonly daily: readonly DigestText[];
  /** Of today; each begins with its hour. */
  readonly hourly: readonly DigestText[];
  /** Verbatim messages with their sender; each begins with its time. */
  readonly raw: readonly TimedText[];
}

interface GroupContext {
  /** For the model's instructions. */
  readonly system: string;
  /** The members, then the other slots in order; empty ones are omitted. */
  readonly text: string;
  readonly tokens: Readonly<Record<ContextSlot, number>>;
}

const HEADINGS: Readonly<Record<Exclude<ContextSlot, 'system'>, string>> = {
  briefing:
    'Noted earlier. Each was true at its time and may be out of date: say when it was said before relying on it.',
  daily: 'The last days, one digest each:',
  hourly: 'Today, by the hour:',
  raw: 'The latest messages as they were written, newest last. Several talks may be interleaved; what answers what is marked:',
};

export function buildGroupContext(
  system: string,
  parts: GroupContextParts,
  now: Date,
): GroupContext {
  const { zone } = parts;
  const since = now.getTime() - CONTEXT_RAW_HOURS * 3_600_000;
  const slots = {
    briefing: fill(
      'briefing',
      parts.briefing.map(({ at, text }) => `[${formatGroupDate(at, zone)}] ${text}`),
    ),
    daily: fill(
      'daily',
      parts.daily
        .slice(-CONTEXT_DAYS)
        .map((digest) => `[${formatGroupDate(digest.start, zone)}] ${digest.text}`),
    ),
    hourly: fill(
      'hourly',
      parts.hourly.map(({ text }) => text),
    ),
    raw: fill(
      'raw',
      parts.raw.filter(({ at }) => at.getTime() >= since).map(({ text }) => text),
    ),
  };
  const shown = { system: cutToTokens(system, CONTEXT_SLOTS.system), ...slots };
  // Members choose their names, so the list belongs to the untrusted text; it shares the budget of the system prompt.
  const members = listMembers(parts.members, CONTEXT_SLOTS.system - cost(shown.system));
  const tokens = Object.fromEntries(
    Object.entries(shown).map(([slot, text]) => [slot, estimateTokens(text)]),
  ) as Record<ContextSlot, number>;
  const { briefing, daily, hourly, raw } = shown;
  const text = [members, briefing, daily, hourly, raw].filter((slot) => slot !== '').join('\n\n');
  return {
    system: shown.system,
    text,
    tokens: { ...tokens, system: tokens.system + estimateTokens(members) },
  };
}

/** With less room than this the list is omitted. */
const LEAST_ROOM = 20;

function listMembers(members: readonly string[], room: number): string {
  if (members.length === 0 || room < LEAST_ROOM) return '';
  return cutToTokens(`Members of the group, besides your owner: ${members.join(', ')}.`, room);
}

/** The newest lines that fit under the heading, oldest first. */
function fill(slot: Exclude<ContextSlot, 'system'>, lines: readonly string[]): string {
  const heading = HEADINGS[slot];
  const kept: string[] = [];
  let left = CONTEXT_SLOTS[slot] - cost(heading);
  for (const line of lines.toReversed()) {
    left -= cost(line);
    if (left < 0) break;
    kept.unshift(line);
  }
  return kept.length === 0 ? '' : [heading, ...kept].join('\n');
}

/** Includes the line break. */
const cost = (line: string): number => estimateTokens(`${line}\n`);
