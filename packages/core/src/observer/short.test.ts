import { expect, test } from 'vitest';
import { MAX_GROUP_ANSWER_LENGTH, shortenGroupAnswer } from './answering.ts';

test('keeps a short text', () => {
  expect(shortenGroupAnswer('  At eight.\n\n\n\nPapa brings wine. ')).toBe(
    'At eight.\n\nPapa brings wine.',
  );
});

test.each([
  ['at the end of a sentence', `${'One two three. '.repeat(60)}`, /three\.$/],
  ['also where sentences end otherwise', `${'一二三。'.repeat(200)}`, /三。$/],
  ['at the end of a word where no sentence ends', `${'word '.repeat(200)}`, /word…$/],
  ['somewhere, where there are no words', 'x'.repeat(2_000), /x…$/],
])('cuts a longer text %s', (_, text, end) => {
  const short = shortenGroupAnswer(text);
  expect([...short].length).toBeLessThanOrEqual(MAX_GROUP_ANSWER_LENGTH);
  expect(short.length).toBeGreaterThan(MAX_GROUP_ANSWER_LENGTH / 3);
  expect(short).toMatch(end);
});
