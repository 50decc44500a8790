// Unexpected values: every JSON shape and some invalid ones, huge and deep. Invariant: the same seed gives the same
// values.

export type Random = () => number;

export const pick = <T>(random: Random, items: readonly [T, ...T[]]): T =>
  items[Math.floor(random() * items.length)] ?? items[0];

export const chance = (random: Random, share: number): boolean => random() < share;

/** Names with a meaning in JavaScript, a database or a terminal. */
export const ODD_NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'toJSON',
  'hasOwnProperty',
  'then',
  'length',
  '$ne',
  '$where',
  '',
  ' ',
  '0',
  'é',
  '\u202e',
  '\u0000',
  '\ud800',
] as const;

export const ODD_TEXTS = [
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udfff\ud800',
  '\u2028',
  '\u2029',
  '\u202egnp.exe',
  '\u200b\u200d\ufeff',
  'e\u0301'.repeat(40),
  '😀👨‍👩‍👧‍👦',
  '\r\n\r\n',
  '\\u0000\\',
  '"}]}',
  "'; DROP TABLE outbox; --",
  '#{7*7}{{7*7}}<%= 7 %>',
  '%s%n%00',
  '../../../../etc/passwd',
  '<script>alert(1)</script>',
  'true',
  'null',
  '1e999',
] as const;

const NUMBERS = [0, -0, -1, 1, 1.5, 1e308, -1e308, 2 ** 53, 2 ** 31, 2_592_000_001] as const;

/** As JSON text, because some of it is not representable as a value. */
export function oddJson(random: Random, depth = 0): string {
  const dice = random();
  if (dice < 0.3) return JSON.stringify(pick(random, ODD_TEXTS));
  if (dice < 0.35) return JSON.stringify('x'.repeat(Math.floor(random() * 200_000)));
  if (dice < 0.5) return JSON.stringify(pick(random, NUMBERS));
  if (dice < 0.53)
    return pick(random, ['1e400', '-0', '1E-400', '12345678901234567890.5'] as const);
  if (dice < 0.63) return pick(random, ['true', 'false', 'null'] as const);
  if (dice < 0.66) return nested(100 + Math.floor(random() * 20_000));
  if (depth > 4) return '[]';
  const size = Math.floor(random() * 4);
  const inner = () => oddJson(random, depth + 1);
  if (dice < 0.83) return `[${Array.from({ length: size }, inner).join(',')}]`;
  const pairs = Array.from({ length: size }, () => {
    return `${JSON.stringify(pick(random, ODD_NAMES))}:${inner()}`;
  });
  return `{${pairs.join(',')}}`;
}

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
