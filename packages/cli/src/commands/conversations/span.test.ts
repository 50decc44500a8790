import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDuration } from '../../format.ts';

test.each([
  ['90s', 90_000],
  ['30m', 1_800_000],
  ['2h', 7_200_000],
  ['1d', 86_400_000],
  ['1h30m', 5_400_000],
  [' 5M ', 300_000],
  ['0s', 0],
])('parses %s as %d ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each(['', '30', 'm', '30 m', '1.5h', '-5m', '1w', '1h-', '99999999999s', 'NaNs'])(
  'refuses %s as a duration',
  (text) => {
    expect(parseDuration(text)).toBeNull();
  },
);

test('adds the parts of a duration in any order', () => {
  const part = fc.tuple(fc.nat(9_999), fc.constantFrom('s', 'm', 'h', 'd'));
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
      const texts = parts.map(([count, unit]) => `${count}${unit}`);
      const sum = texts.reduce((total, text) => total + (parseDuration(text) ?? Number.NaN), 0);
      expect(parseDuration(texts.join(''))).toBe(sum);
    }),
  );
});
