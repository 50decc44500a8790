import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chanceSimilarity, meaningScore, repetition } from './rank.ts';
import { SMALL_TALK } from './small-talk.ts';

const unit = (...numbers: number[]): Float32Array => {
  const length = Math.hypot(...numbers);
  return new Float32Array(numbers.map((value) => value / length));
};
const words = (text: string) => new Set(text.split(' '));

test('a text no closer than small talk counts 0, and the maximum is 1', () => {
  expect(meaningScore(0, 0)).toBe(0);
  expect(meaningScore(-0.4, 0)).toBe(0);
  expect(meaningScore(0.9, 0)).toBe(1);
});

test('a repeated text must be closer to count as much', () => {
  expect(meaningScore(0.3, 1)).toBeLessThan(meaningScore(0.3, 0));
});

test('the value is from 0 to 1 and grows with similarity', () => {
  fc.assert(
    fc.property(
      fc.double({ min: -1, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (beyond, more, repeated) => {
        const meaning = meaningScore(beyond, repeated);
        expect(meaning >= 0 && meaning <= 1).toBe(true);
        expect(meaningScore(beyond + more, repeated)).toBeGreaterThanOrEqual(meaning);
      },
    ),
  );
});

test('chance is measured by the nearest small-talk texts, few or many', () => {
  const near = Array.from({ length: 10 }, () => unit(1, 1));
  const far = Array.from({ length: 90 }, () => unit(0, 1));
  expect(chanceSimilarity(unit(1, 0), [...far, ...near])).toBeCloseTo(Math.SQRT1_2, 6);
  expect(chanceSimilarity(unit(1, 0), [])).toBe(0);
});

test('a text that three others repeat counts as repeated; a single one does not', () => {
  const [again, , , , alone] = repetition([
    words('first frost on the car'),
    words('first frost on the car'),
    words('first frost on the car today'),
    words('first frost on the car'),
    words('invoice for the boiler'),
  ]);
  expect(again).toBeGreaterThan(0.9);
  expect(alone).toBeLessThan(0.2);
  expect(repetition([])).toEqual([]);
});

test('the small-talk texts are unique and in more than one script', () => {
  expect(new Set(SMALL_TALK).size).toBe(SMALL_TALK.length);
  for (const script of ['Latin', 'Arabic', 'Devanagari', 'Han', 'Cyrillic']) {
    const of = SMALL_TALK.filter((text) => new RegExp(`\\p{Script=${script}}`, 'u').test(text));
    expect(of.length, script).toBeGreaterThanOrEqual(8);
  }
});
