import { verifies } from '@relay/testing/verifies';
import { describe, expect, test } from 'vitest';
import { freshness, rankCandidates, type SearchCandidate } from './rank.ts';

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
const message = (
  id: string,
  over: Partial<SearchCandidate<string>> = {},
): SearchCandidate<string> => ({
  id,
  at: new Date('2026-10-01T00:00:00Z'),
  has: [],
  near: [],
  named: false,
  meaning: 0,
  beyondChance: -1,
  digest: false,
  ...over,
});
const order = (...candidates: SearchCandidate<string>[]) =>
  rankCandidates(candidates, ASKED).map(({ id }) => id);

describe('ranking', () => {
  test('a rare word counts more than a common one', () => {
    expect(order(message('common', { has: [1] }), message('rare', { has: [0] }))).toEqual([
      'rare',
      'common',
    ]);
  });

  test('the word itself counts more than one with the same beginning', () => {
    expect(order(message('alike', { near: [0] }), message('itself', { has: [0] }))).toEqual([
      'itself',
      'alike',
    ]);
  });

  test('a message by a named person counts as if it contained the name', () => {
    const [first, second] = rankCandidates(
      [message('other', { has: [0] }), message('theirs', { has: [0], named: true })],
      ASKED,
    );
    expect(first?.id).toBe('theirs');
    expect(first?.coverage).toBeGreaterThan(second?.coverage ?? 1);
  });

  test('the newer of two equal messages comes first', () => {
    const old = message('old', { has: [0], at: new Date('2025-01-01') });
    expect(order(old, message('new', { has: [0] }))).toEqual(['new', 'old']);
  });

  test('finds the same meaning without a shared word, and ranks it above a chance word', () => {
    expect(
      order(message('chance', { has: [1] }), message('meant', { meaning: 0.6, beyondChance: 0.3 })),
    ).toEqual(['meant', 'chance']);
  });

  test('words and meaning together beat either alone', () => {
    const both = message('both', { has: [0], meaning: 0.9, beyondChance: 0.3 });
    const alone = message('words', { has: [0] });
    expect(order(alone, message('meaning', { meaning: 0.9 }), both)[0]).toBe('both');
  });

  test('ranks a message above a digest that mentions it', () => {
    const digest = message('digest', { has: [0, 1], digest: true });
    expect(order(digest, message('message', { has: [0, 1] }))).toEqual(['message', 'digest']);
  });

  test('is sure only of messages that share enough words or stand out in meaning', () => {
    const [words] = rankCandidates([message('words', { has: [0, 2] })], ASKED);
    const [meaning] = rankCandidates(
      [message('meaning', { beyondChance: 0.25, meaning: 0.5 })],
      ASKED,
    );
    const [chance] = rankCandidates([message('chance', { has: [1], beyondChance: 0.1 })], ASKED);
    expect([words?.isSure, meaning?.isSure, chance?.isSure]).toEqual([true, true, false]);
  });

  test('messages within the possible time come first', () => {
    const around = { from: new Date('2025-03-01'), to: new Date('2025-04-01') };
    const march = message('march', { has: [0], at: new Date('2025-03-10') });
    const ranked = rankCandidates([message('now', { has: [0] }), march], { ...ASKED, around });
    expect(ranked.map(({ id }) => id)).toEqual(['march', 'now']);
  });

  test('the whole query covers 1, nothing of it 0', () => {
    const [all] = rankCandidates([message('all', { has: [0, 1, 2] })], ASKED);
    const [none] = rankCandidates([message('none')], ASKED);
    expect([all?.coverage, none?.coverage]).toEqual([1, 0]);
  });
});

describe('age', () => {
  const old = (days: number, evergreen = false) =>
    freshness(new Date(NOW.getTime() - days * 86_400_000), NOW, evergreen);

  test('halves the value of a message every thirty days, without a limit', () => {
    verifies('004-DECAY');
    expect(old(0)).toBe(1);
    for (const days of [0, 7, 100, 700]) expect(old(days + 30) / old(days)).toBeCloseTo(0.5, 6);
  });

  test('lowers the value of messages about a person to 0.3 at most', () => {
    verifies('004-DECAY');
    expect(old(30, true)).toBeCloseTo(0.5, 6);
    expect(old(100, true)).toBe(0.3);
    expect(old(10_000, true)).toBe(0.3);
    const at = new Date('2024-10-01T00:00:00Z');
    const [about] = rankCandidates([message('old', { has: [0], named: true, at })], ASKED);
    const [other] = rankCandidates([message('old', { has: [0], at })], ASKED);
    expect(about?.score).toBeCloseTo((about?.relevance ?? 0) * 0.3, 6);
    expect(other?.score).toBeLessThan(0.001);
  });

  test('orders equal messages, and does not bury the only answer', () => {
    const at = new Date('2024-10-01T00:00:00Z');
    expect(order(message('old', { has: [0], at }), message('new', { has: [0] }))[0]).toBe('new');
    expect(order(message('new', { has: [1] }), message('old', { has: [0], at }))[0]).toBe('old');
  });

  test('puts the newer first if both have similar relevance', () => {
    const at = new Date('2026-06-01T00:00:00Z');
    const better = message('better', { has: [0, 1], at });
    expect(order(better, message('newer', { has: [0] }))).toEqual(['newer', 'better']);
  });

  test('has no effect on future messages', () => {
    expect(old(-10)).toBe(1);
  });
});
