// Auto-reply rests for a contact when answering would feed a loop: each time longer, until a day without
// one has passed. The owner is told of the first of such a row.
export interface Rest {
  readonly until: Date;
  /** The how-manieth in a row. */
  readonly count: number;
}

const MINUTE = 60_000;
const CALM_MS = 24 * 60 * MINUTE;

export const isResting = (rest: Rest | null, now: Date): boolean =>
  rest !== null && rest.until > now;

/** `atLeast` is when there would be room again anyway. */
export function nextRest(
  before: Rest | null,
  now: Date,
  minutes: readonly number[],
  atLeast: Date = now,
): Rest {
  const inARow = before !== null && now.getTime() < before.until.getTime() + CALM_MS;
  const count = inARow ? before.count + 1 : 1;
  const length = (minutes[Math.min(count, minutes.length) - 1] ?? 0) * MINUTE;
  return { until: new Date(Math.max(now.getTime() + length, atLeast.getTime())), count };
}

export const isFirst = ({ count }: Rest): boolean => count === 1;
