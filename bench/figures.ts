// Small statistics, and the one way a figure is printed: what was measured, its limit, and whether it kept.

export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export interface Limit {
  readonly name: string;
  readonly measured: number;
  readonly unit: 'ms' | '×' | 'MB';
  readonly atMost?: number;
  readonly atLeast?: number;
}

/** Returns whether all limits were kept. */
export function report(limits: readonly Limit[]): boolean {
  let kept = true;
  for (const { name, measured, unit, atMost, atLeast } of limits) {
    const ok =
      (atMost === undefined || measured <= atMost) &&
      (atLeast === undefined || measured >= atLeast);
    kept &&= ok;
    const limit =
      atMost === undefined ? (atLeast === undefined ? '' : `≥ ${atLeast}`) : `≤ ${atMost}`;
    const figure = `${measured.toFixed(unit === 'ms' ? 1 : 2)} ${unit}`;
    console.log(
      `${limit === '' ? ' ' : ok ? '✓' : '✗'} ${name.padEnd(58)} ${figure.padStart(12)}  ${limit}`,
    );
  }
  return kept;
}
