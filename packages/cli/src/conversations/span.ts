// Lengths of time as people type them: 90s, 30m, 2h, 1d, and together 1h30m. Pure.

const UNITS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** In milliseconds; null for whatever is no length of time. */
export function parseSpan(text: string): number | null {
  const compact = text.trim().toLowerCase();
  if (!/^(\d{1,9}[smhd])+$/.test(compact)) return null;
  return Array.from(compact.matchAll(/(\d{1,9})([smhd])/g)).reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit] ?? 0),
    0,
  );
}
