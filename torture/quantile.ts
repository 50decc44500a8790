// Quantiles of durations in rounded milliseconds, for reports.
import { quantile as exactly } from '../bench/figures.ts';

export const quantile = (values: readonly number[], q: number): number =>
  Math.round(exactly(values, q));
