// How long a wait is, as people say it. Pure.
import { plural } from '../../parts/numbers.ts';

export const INTERVALS: Readonly<Record<string, number>> = {
  seconds: 1_000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
};

/** In the largest unit that it is a whole number of. */
export function intervalOf(ms: number): { readonly n: number; readonly unit: string } {
  const [unit = 'seconds', size = 1_000] =
    Object.entries(INTERVALS).findLast(([, each]) => ms >= each && ms % each === 0) ?? [];
  return { n: ms / size, unit };
}

export function followUpSentence(everyMs: number, most: number): string {
  const { n, unit } = intervalOf(everyMs);
  const wait = plural(n, unit.slice(0, -1));
  if (most === 0) return `If no answer comes within ${wait}, it gives up without asking again.`;
  const often = most === 1 ? 'once' : most === 2 ? 'twice' : `up to ${most} times`;
  return `If no answer comes within ${wait}, it asks again, ${often}. Then it gives up.`;
}
