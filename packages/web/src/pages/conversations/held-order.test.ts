import fc from 'fast-check';
import { expect, test } from 'vitest';
import { holdOrder } from './held-order.ts';

test('shows the new order while no pointer is inside', () => {
  expect(holdOrder(null, ['b', 'a'])).toEqual({ shown: ['b', 'a'], arrived: [] });
});

test('moves nothing under a pointer and counts new rows', () => {
  expect(holdOrder(['a', 'b'], ['c', 'b', 'd', 'a'])).toEqual({
    shown: ['a', 'b'],
    arrived: ['c', 'd'],
  });
});

test('keeps a removed row where it was', () => {
  expect(holdOrder(['a', 'b'], ['b'])).toEqual({ shown: ['a', 'b'], arrived: [] });
});

test('appends older rows', () => {
  expect(holdOrder(['a', 'b'], ['a', 'b', 'c', 'd'])).toEqual({
    shown: ['a', 'b', 'c', 'd'],
    arrived: [],
  });
});

test('does not hold an empty column', () => {
  expect(holdOrder([], ['a'])).toEqual({ shown: ['a'], arrived: [] });
});

const ids = fc.uniqueArray(fc.constantFrom(...'abcdefghijkl'));

test('always keeps the shown order, and shows or counts every new row', () => {
  fc.assert(
    fc.property(ids, ids, (held, fresh) => {
      const { shown, arrived } = holdOrder(held, fresh);
      if (held.length > 0) expect(shown.slice(0, held.length)).toEqual(held);
      expect(new Set([...shown, ...arrived])).toEqual(new Set([...held, ...fresh]));
      expect(new Set(shown).size).toBe(shown.length);
    }),
  );
});
