// The loop guard of auto-reply: detects exchanges that are not with a person, and sets cooldowns. An exchange is what
// the contact wrote after an answer of ours was sent; several lines in a row are one exchange.

import type { AutoReplySettings } from '@relay/contract/settings';
import { toComparableText } from '../policy/comparable-text.ts';

export interface ExchangeLine {
  readonly from: 'contact' | 'agent';
  readonly content: string;
  readonly at: Date;
}

interface Exchange {
  readonly at: Date;
  readonly text: string;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Texts at least this similar count as the same. */
const ALIKE = 0.8;
/** How many earlier texts each text is compared with: a loop can have a few steps. */
const STEPS_BACK = 3;

type Limits = Pick<
  AutoReplySettings,
  'rapid_exchanges' | 'rapid_within_minutes' | 'similar_exchanges'
>;

/** `lines` are in order, each answer after what it answers, the newest last. */
export function findLoop(
  lines: readonly ExchangeLine[],
  now: Date,
  limits: Limits,
): 'rapid' | 'similar' | null {
  const exchanges = exchangesOf(lines);
  const since = now.getTime() - limits.rapid_within_minutes * MINUTE;
  const recent = exchanges.filter(({ at }) => at.getTime() > since);
  if (recent.length >= limits.rapid_exchanges) return 'rapid';
  return repeatsAtEnd(exchanges) >= limits.similar_exchanges ? 'similar' : null;
}

/** The minimum number of lines needed to detect a loop. */
export const linesNeededForLoop = ({ rapid_exchanges, similar_exchanges }: Limits): number =>
  2 * (Math.max(rapid_exchanges, similar_exchanges) + STEPS_BACK);

function exchangesOf(lines: readonly ExchangeLine[]): Exchange[] {
  const exchanges: Exchange[] = [];
  let answeredAt: number | null = null;
  for (const { from, content, at } of lines) {
    if (from === 'agent') {
      // WhatsApp's times are whole seconds.
      answeredAt = Math.floor(at.getTime() / SECOND) * SECOND;
      continue;
    }
    const last = exchanges.at(-1);
    if (last !== undefined && (answeredAt === null || at.getTime() < answeredAt)) {
      exchanges[exchanges.length - 1] = { at, text: `${last.text}\n${content}` };
    } else {
      exchanges.push({ at, text: content });
      answeredAt = null;
    }
  }
  return exchanges;
}

function repeatsAtEnd(exchanges: readonly Exchange[]): number {
  let count = 0;
  for (let at = exchanges.length - 1; at > 0; at--) {
    const text = exchanges[at]?.text ?? '';
    const before = exchanges.slice(Math.max(0, at - STEPS_BACK), at);
    if (!before.some((earlier) => textSimilarity(earlier.text, text) >= ALIKE)) break;
    count += 1;
  }
  return count;
}

// The similarity of two texts: what machines repeat differs in a number, a punctuation mark or an emoji.

const GRAM = 3;

/** From 0 to 1: the share of three-letter sequences that both have. */
export function textSimilarity(one: string, other: string): number {
  const [a, b] = [reduced(one), reduced(other)];
  if (a === b) return 1;
  if (a.length < GRAM || b.length < GRAM) return 0;
  const left = gramsOf(a);
  let common = 0;
  for (const [gram, count] of gramsOf(b)) common += Math.min(count, left.get(gram) ?? 0);
  return (2 * common) / (a.length + b.length - 2 * (GRAM - 1));
}

/** The letters, with all digits made equal; for a text without letters, the text itself. */
function reduced(text: string): string {
  const letters = toComparableText(text).replace(/\p{N}/gu, '0');
  return letters === '' ? text.trim() : letters;
}

function gramsOf(text: string): Map<string, number> {
  const grams = new Map<string, number>();
  for (let at = 0; at + GRAM <= text.length; at++) {
    const gram = text.slice(at, at + GRAM);
    grams.set(gram, (grams.get(gram) ?? 0) + 1);
  }
  return grams;
}

// Cooldowns: auto-reply pauses for a contact when answering would feed a loop. Each cooldown is longer, until a day has
// passed without one. The owner is notified of the first in a row. The causes are persisted: never rename one.

const COOLDOWNS = {
  rapid: {
    answer: 'loop',
    sentence: 'Messages were exchanged faster than people write.',
  },
  similar: { answer: 'loop', sentence: 'The contact kept repeating the same message.' },
  hour_cap: {
    answer: 'budget_used',
    sentence: 'The limit of answers per hour is reached (auto_reply.answers_per_hour).',
  },
  day_cap: {
    answer: 'budget_used',
    sentence: 'The limit of answers per day is reached (auto_reply.answers_per_day).',
  },
} as const;

export type CooldownCause = keyof typeof COOLDOWNS;

export interface Cooldown {
  readonly until: Date;
  readonly cause: CooldownCause;
  /** Consecutive cooldowns, starting at 1. */
  readonly count: number;
}

const COOLDOWN_MINUTE = 60_000;
const CALM_MS = 24 * 60 * COOLDOWN_MINUTE;
const MOST_LETTERS = 60;

export const isCoolingDown = (rest: Cooldown | null, now: Date): rest is Cooldown =>
  rest !== null && rest.until > now;

/** `atLeast` is the earliest time at which the limits allow an answer again. */
export function nextCooldown(
  before: Cooldown | null,
  { cause, now, atLeast = now }: { cause: CooldownCause; now: Date; atLeast?: Date },
  minutes: readonly number[],
): Cooldown {
  const inARow = before !== null && now.getTime() < before.until.getTime() + CALM_MS;
  const count = inARow ? before.count + 1 : 1;
  const length = (minutes[Math.min(count, minutes.length) - 1] ?? 0) * COOLDOWN_MINUTE;
  return {
    until: new Date(Math.max(now.getTime() + length, atLeast.getTime())),
    cause,
    count,
  };
}

export const isFirstCooldown = ({ count }: Cooldown): boolean => count === 1;

/** The ledger's reason for a message that a cooldown left unanswered. */
export const cooldownAnswerReason = ({ cause }: Pick<Cooldown, 'cause'>) => COOLDOWNS[cause].answer;

const cooldownSentence = (cause: CooldownCause): string => COOLDOWNS[cause].sentence;

const WHEN = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** The notice for the owner on WhatsApp. */
export function cooldownNotice(name: string, { cause, until }: Cooldown): string {
  const whom = [...name.replace(/\s+/g, ' ').trim()].slice(0, MOST_LETTERS).join('');
  return `Relay: auto-reply to ${whom} is paused until ${WHEN.format(until)}. ${cooldownSentence(cause)} → relay contacts`;
}
