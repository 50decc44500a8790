import { expect, test } from 'vitest';
import { LONGEST_ANSWER, shortAnswer } from './short.ts';

test('what is short stays as it is', () => {
  expect(shortAnswer('  At eight.\n\n\n\nPapa brings wine. ')).toBe(
    'At eight.\n\nPapa brings wine.',
  );
});

test.each([
  ['at the end of a sentence', `${'One two three. '.repeat(60)}`, /three\.$/],
  ['also where sentences end otherwise', `${'一二三。'.repeat(200)}`, /三。$/],
  ['at the end of a word where no sentence ends', `${'word '.repeat(200)}`, /word…$/],
  ['somewhere, where there are no words', 'x'.repeat(2_000), /x…$/],
])('what is longer is cut %s', (_, text, end) => {
  const short = shortAnswer(text);
  expect([...short].length).toBeLessThanOrEqual(LONGEST_ANSWER);
  expect(short.length).toBeGreaterThan(LONGEST_ANSWER / 3);
  expect(short).toMatch(end);
});
