// The loop breaker's eye: whether what goes back and forth is still a talk with a person. An exchange is
// what the contact wrote after an answer of ours had left; many lines in one go are one exchange.

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
/** From here on two texts are the same. */
const ALIKE = 0.8;
/** A text is held against so many before it: loops may go round in a few steps. */
const STEPS_BACK = 3;

type Limits = Pick<
  AutoReplySettings,
  'rapid_exchanges' | 'rapid_within_minutes' | 'similar_exchanges'
>;

/** `lines` in order, each answer behind what it answers, the newest one last. */
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

/** How many lines have to be looked at for it, at the least. */
export const linesNeededForLoop = ({ rapid_exchanges, similar_exchanges }: Limits): number =>
  2 * (Math.max(rapid_exchanges, similar_exchanges) + STEPS_BACK);

function exchangesOf(lines: readonly ExchangeLine[]): Exchange[] {
  const exchanges: Exchange[] = [];
  let answeredAt: number | null = null;
  for (const { from, content, at } of lines) {
    if (from === 'agent') {
      // WhatsApp counts in whole seconds.
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

// How much two texts say the same: what machines repeat differs in a number, a mark or a smile.

const GRAM = 3;

/** From 0 to 1: what share of their stretches of three letters they have in common. */
export function textSimilarity(one: string, other: string): number {
  const [a, b] = [reduced(one), reduced(other)];
  if (a === b) return 1;
  if (a.length < GRAM || b.length < GRAM) return 0;
  const left = gramsOf(a);
  let common = 0;
  for (const [gram, count] of gramsOf(b)) common += Math.min(count, left.get(gram) ?? 0);
  return (2 * common) / (a.length + b.length - 2 * (GRAM - 1));
}

/** Letters, with one digit for all; of a text without any, the text itself. */
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

// Auto-reply rests for a contact when answering would feed a loop: each time longer, until a day without
// one has passed. The owner is told of the first of such a row. The causes are persisted: never rename one.

const COOLDOWNS = {
  rapid: {
    answer: 'loop',
    sentence: 'Messages went back and forth faster than people write.',
  },
  similar: { answer: 'loop', sentence: 'The contact said the same again and again.' },
  hour_cap: {
    answer: 'budget_used',
    sentence: 'The answers of one hour are used up (auto_reply.answers_per_hour).',
  },
  day_cap: {
    answer: 'budget_used',
    sentence: 'The answers of one day are used up (auto_reply.answers_per_day).',
  },
} as const;

export type CooldownCause = keyof typeof COOLDOWNS;

export interface Cooldown {
  readonly until: Date;
  readonly cause: CooldownCause;
  /** The how-manieth in a row. */
  readonly count: number;
}

const COOLDOWN_MINUTE = 60_000;
const CALM_MS = 24 * 60 * COOLDOWN_MINUTE;
const MOST_LETTERS = 60;

export const isCoolingDown = (rest: Cooldown | null, now: Date): rest is Cooldown =>
  rest !== null && rest.until > now;

/** `atLeast` is when there would be room again anyway. */
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

/** What the ledger says of a message that a rest left unanswered. */
export const cooldownAnswerReason = ({ cause }: Pick<Cooldown, 'cause'>) => COOLDOWNS[cause].answer;

const cooldownSentence = (cause: CooldownCause): string => COOLDOWNS[cause].sentence;

const WHEN = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** What the owner reads on WhatsApp. */
export function cooldownNotice(name: string, { cause, until }: Cooldown): string {
  const whom = [...name.replace(/\s+/g, ' ').trim()].slice(0, MOST_LETTERS).join('');
  return `Relay: auto-reply rests for ${whom} until ${WHEN.format(until)}. ${cooldownSentence(cause)} → relay contacts`;
}
