import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fuse } from './fuse.ts';
import { type Candidate, rank } from './rank.ts';

const NOW = new Date('2026-10-14T12:00:00Z');
const ASKED = {
  words: [
    { exactly: 1, alike: 3, name: false },
    { exactly: 500, alike: 500, name: false },
    { exactly: 20, alike: 20, name: true },
  ],
  documents: 1_000,
  now: NOW,
  around: null,
};
const message = (id: string, over: Partial<Candidate<string>> = {}): Candidate<string> => ({
  id,
  at: new Date('2026-10-01T00:00:00Z'),
  has: [],
  near: [],
  named: false,
  meaning: 0,
  beyondChance: -1,
  ...over,
});
const order = (...candidates: Candidate<string>[]) => rank(candidates, ASKED).map(({ id }) => id);

describe('ranking', () => {
  test('a rare word says more than a common one', () => {
    expect(order(message('common', { has: [1] }), message('rare', { has: [0] }))).toEqual([
      'rare',
      'common',
    ]);
  });

  test('the word itself says more than one that begins alike', () => {
    expect(order(message('alike', { near: [0] }), message('itself', { has: [0] }))).toEqual([
      'itself',
      'alike',
    ]);
  });

  test('what somebody who is named wrote counts as if it had the name', () => {
    const [first, second] = rank(
      [message('other', { has: [0] }), message('theirs', { has: [0], named: true })],
      ASKED,
    );
    expect(first?.id).toBe('theirs');
    expect(first?.covers).toBeGreaterThan(second?.covers ?? 1);
  });

  test('of two that say the same the newer comes first', () => {
    const old = message('old', { has: [0], at: new Date('2025-01-01') });
    expect(order(old, message('new', { has: [0] }))).toEqual(['new', 'old']);
  });

  test('what lies in the time that may be meant comes first', () => {
    const around = { from: new Date('2025-03-01'), to: new Date('2025-04-01') };
    const march = message('march', { has: [0], at: new Date('2025-03-10') });
    const ranked = rank([message('now', { has: [0] }), march], { ...ASKED, around });
    expect(ranked.map(({ id }) => id)).toEqual(['march', 'now']);
  });

  test('all of the question is 1, nothing of it 0', () => {
    const [all] = rank([message('all', { has: [0, 1, 2] })], ASKED);
    const [none] = rank([message('none')], ASKED);
    expect([all?.covers, none?.covers]).toEqual([1, 0]);
  });
});

describe('one order out of several', () => {
  test('what both lists have beats what only one has', () => {
    const fused = fuse([
      { ids: ['a', 'b', 'c'], weight: 1 },
      { ids: ['d', 'b'], weight: 1 },
    ]);
    expect(fused.map(({ id }) => id)[0]).toBe('b');
  });

  test('a list that weighs more decides', () => {
    const [first] = fuse([
      { ids: ['text'], weight: 1 },
      { ids: ['vector'], weight: 2 },
    ]);
    expect(first?.id).toBe('vector');
  });

  test('one list keeps its order, and an id is there once', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20)), (ids) => {
        expect(fuse([{ ids, weight: 1 }]).map(({ id }) => id)).toEqual([...new Set(ids)]);
      }),
    );
  });
});
