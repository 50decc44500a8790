// Of durations in milliseconds, rounded: what a report says.
import { quantile as exactly } from '../bench/figures.ts';

export const quantile = (values: readonly number[], q: number): number =>
  Math.round(exactly(values, q));
