// Computes the probability that a message is content from its signs. A plain weighted sum, so that `weights.ts` shows
// why a message was dropped.
import type { Signs } from './signs.ts';

/** The weight of each sign: above 0 it indicates content. */
export type Weights = Readonly<Record<string, number>>;

export function weigh(signs: Signs, weights: Weights): number {
  let sum = weights.always ?? 0;
  for (const [name, size] of signs) sum += size * (weights[name] ?? 0);
  return 1 / (1 + Math.exp(-sum));
}
