import fc from 'fast-check';
import { expect, test } from 'vitest';
import { holdOrder } from './held-order.ts';

test('without a pointer the fresh order is shown', () => {
  expect(holdOrder(null, ['b', 'a'])).toEqual({ shown: ['b', 'a'], arrived: [] });
});

test('under a pointer nothing moves, and arrivals are counted', () => {
  expect(holdOrder(['a', 'b'], ['c', 'b', 'd', 'a'])).toEqual({
    shown: ['a', 'b'],
    arrived: ['c', 'd'],
  });
});

test('one that left stays where it was', () => {
  expect(holdOrder(['a', 'b'], ['b'])).toEqual({ shown: ['a', 'b'], arrived: [] });
});

test('what is older comes after', () => {
  expect(holdOrder(['a', 'b'], ['a', 'b', 'c', 'd'])).toEqual({
    shown: ['a', 'b', 'c', 'd'],
    arrived: [],
  });
});

test('an empty column has nothing to hold', () => {
  expect(holdOrder([], ['a'])).toEqual({ shown: ['a'], arrived: [] });
});

const ids = fc.uniqueArray(fc.constantFrom(...'abcdefghijkl'));

test('whatever happens, what was shown keeps its order and everything fresh is shown or counted', () => {
  fc.assert(
    fc.property(ids, ids, (held, fresh) => {
      const { shown, arrived } = holdOrder(held, fresh);
      if (held.length > 0) expect(shown.slice(0, held.length)).toEqual(held);
      expect(new Set([...shown, ...arrived])).toEqual(new Set([...held, ...fresh]));
      expect(new Set(shown).size).toBe(shown.length);
    }),
  );
});
