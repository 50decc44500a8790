// What the signs of a message come to: how likely it is content, between 0 and 1. A plain weighted sum, so
// that anybody can see from `weights.ts` why a message was dropped.
import type { Signs } from './signs.ts';

/** What each sign is worth: above 0 it speaks for content. */
export type Weights = Readonly<Record<string, number>>;

export function weigh(signs: Signs, weights: Weights): number {
  let sum = weights.always ?? 0;
  for (const [name, size] of signs) sum += size * (weights[name] ?? 0);
  return 1 / (1 + Math.exp(-sum));
}
