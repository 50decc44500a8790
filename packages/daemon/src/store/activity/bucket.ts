// Which bucket a time belongs to, in SQL; and counts by bucket as a list.
import { type RawBuilder, sql } from 'kysely';
import type { Window } from './window.ts';

/** From 0; -1 is before the first. */
export const bucketOf = (column: string, { ticks }: Pick<Window, 'ticks'>): RawBuilder<number> =>
  sql<number>`width_bucket(${sql.ref(column)}, ${[...ticks]}::timestamptz[]) - 1`;

export const asCounts = (
  ticks: readonly Date[],
  rows: readonly { readonly bucket: number; readonly n: number }[],
): number[] => {
  const counts = ticks.map(() => 0);
  for (const { bucket, n } of rows)
    if (bucket in counts) counts[bucket] = (counts[bucket] ?? 0) + n;
  return counts;
};
