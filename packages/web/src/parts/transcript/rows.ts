// The lines with the days between them. Pure.
import type { Line } from './line.ts';

export type Row =
  | { readonly kind: 'day'; readonly key: string; readonly at: string }
  | { readonly kind: 'line'; readonly key: string; readonly line: Line };

export function rowsOf(lines: readonly Line[]): readonly Row[] {
  const rows: Row[] = [];
  let day = '';
  for (const line of lines) {
    const next = new Date(line.at).toDateString();
    // Named by its day, so that it stays the same element when older ones of that day come before it.
    if (next !== day) rows.push({ kind: 'day', key: `day ${next}`, at: line.at });
    day = next;
    rows.push({ kind: 'line', key: line.key, line });
  }
  return rows;
}
