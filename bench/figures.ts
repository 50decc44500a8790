// Small statistics, and the output format of all figures: what was measured, its limit, and whether it was met.
import { loadavg } from 'node:os';

export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export interface Limit {
  readonly name: string;
  readonly measured: number;
  readonly unit: 'ms' | 's' | '×' | 'MB' | 'B' | '/s' | '%' | '';
  readonly atMost?: number;
  readonly atLeast?: number;
}

/** NaN means that it was not measured, which meets no limit. */
export const isKept = ({ measured, atMost, atLeast }: Limit): boolean =>
  (atMost === undefined || measured <= atMost) && (atLeast === undefined || measured >= atLeast);

/** Readers of the figures need to know the other load on the machine. */
export const loadFigure = (): Limit => ({
  name: 'load of this machine, last minute',
  measured: loadavg()[0] ?? 0,
  unit: '',
});

const DIGITS: Readonly<Record<Limit['unit'], number>> = {
  ms: 1,
  s: 1,
  '×': 2,
  MB: 2,
  B: 0,
  '/s': 1,
  '%': 2,
  '': 0,
};

export function line(limit: Limit): string {
  const { name, measured, unit, atMost, atLeast } = limit;
  const bound =
    atMost === undefined ? (atLeast === undefined ? '' : `≥ ${atLeast}`) : `≤ ${atMost}`;
  const mark = bound === '' ? ' ' : isKept(limit) ? '✓' : '✗';
  const value = `${measured.toFixed(DIGITS[unit])} ${unit}`.trimEnd();
  return `${mark} ${name.padEnd(58)} ${value.padStart(12)}  ${bound}`.trimEnd();
}
