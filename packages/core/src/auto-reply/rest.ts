// Auto-reply rests for a contact when answering would feed a loop: each time longer, until a day without
// one has passed. The owner is told of the first of such a row. The causes are persisted: never rename one.

const RESTS = {
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

export type RestCause = keyof typeof RESTS;

export interface Rest {
  readonly until: Date;
  readonly cause: RestCause;
  /** The how-manieth in a row. */
  readonly count: number;
}

const MINUTE = 60_000;
const CALM_MS = 24 * 60 * MINUTE;
const MOST_LETTERS = 60;

export const isResting = (rest: Rest | null, now: Date): rest is Rest =>
  rest !== null && rest.until > now;

/** `atLeast` is when there would be room again anyway. */
export function nextRest(
  before: Rest | null,
  { cause, now, atLeast = now }: { cause: RestCause; now: Date; atLeast?: Date },
  minutes: readonly number[],
): Rest {
  const inARow = before !== null && now.getTime() < before.until.getTime() + CALM_MS;
  const count = inARow ? before.count + 1 : 1;
  const length = (minutes[Math.min(count, minutes.length) - 1] ?? 0) * MINUTE;
  return {
    until: new Date(Math.max(now.getTime() + length, atLeast.getTime())),
    cause,
    count,
  };
}

export const isFirst = ({ count }: Rest): boolean => count === 1;

/** What the ledger says of a message that a rest left unanswered. */
export const answerOf = ({ cause }: Pick<Rest, 'cause'>) => RESTS[cause].answer;

export const restSentence = (cause: RestCause): string => RESTS[cause].sentence;

const WHEN = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** What the owner reads on WhatsApp. */
export function restNotice(name: string, { cause, until }: Rest): string {
  const whom = [...name.replace(/\s+/g, ' ').trim()].slice(0, MOST_LETTERS).join('');
  return `Relay: auto-reply rests for ${whom} until ${WHEN.format(until)}. ${restSentence(cause)} → relay contacts`;
}
