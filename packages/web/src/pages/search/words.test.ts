import type { MemoryStatus } from '@relay/contract/api/memory';
import type { FoundMessage, SearchResponse } from '@relay/contract/api/search';
import { expect, test } from 'vitest';
import { readSearchAddress } from '../../search-params.ts';
import { foundSentence, hitCountText, searchIndexLine } from './copy.ts';

const answer = (n: number, sure = true): SearchResponse => ({
  sure,
  hits: Array.from({ length: n }, () => ({}) as FoundMessage),
});

test.each([
  [answer(1), null, 'Found in one place.'],
  [answer(12), null, 'Found in 12 places.'],
  [answer(20), null, 'Found in 20 places or more.'],
  [answer(3, false), null, 'Nothing was found that is about this.'],
  [answer(0, false), null, 'Nothing was found.'],
  [answer(2), 'Your assistant', 'Your assistant finds it in two places.'],
  [answer(3, false), 'Claude', 'Claude finds nothing that is about this.'],
])('%# the summary says what was found and for whom', (found, who, sentence) => {
  expect(foundSentence(found, 20, who)).toBe(sentence);
});

test('a count is a number, more than the maximum, or a dash', () => {
  expect(hitCountText(undefined, 20)).toBe('');
  expect(hitCountText(answer(3), 20)).toBe('3');
  expect(hitCountText(answer(20), 20)).toBe('20+');
  expect(hitCountText(answer(3, false), 20)).toBe('–');
});

test('one line describes how search works', () => {
  const memory: MemoryStatus = {
    embeddings: 'local',
    provider: null,
    model: 'potion',
    dims: 384,
    index: 'process',
    documents: 1_200,
    vectors: 1_187,
    waiting: 13,
    per_second: null,
    failure: null,
  };
  expect(searchIndexLine({ ...memory, embeddings: 'off' })).toContain('Finding by meaning is off.');
  expect(searchIndexLine({ ...memory, documents: 0 })).toBe(
    'Nothing is kept yet that could be found.',
  );
  expect(searchIndexLine(memory)).toMatch(/1,187 read by it so far, 13 wait\.$/);
  expect(searchIndexLine({ ...memory, waiting: 0 })).toMatch(/by meaning \(potion\)\.$/);
  const failure = { at: '2026-11-15T12:00:00Z', sentence: 'The endpoint does not answer.' };
  expect(searchIndexLine({ ...memory, failure })).toContain('The endpoint does not answer.');
});

test('the address keeps only valid parameters', () => {
  expect(readSearchAddress({ q: 2026, chat: ' ', kind: 'digest', all: true, x: 1 })).toEqual({
    q: '2026',
    kind: 'digest',
    all: true,
  });
  expect(readSearchAddress({ q: { a: 1 }, kind: 'nonsense', all: 'yes' })).toEqual({});
});
