import type { MemoryStatus } from '@relay/contract/api/memory';
import type { FoundMessage, SearchResponse } from '@relay/contract/api/search';
import { expect, test } from 'vitest';
import { readSearchAddress } from '../../search-params.ts';
import {
  hitCountText,
  hitKeys,
  resultStatus,
  type SearchReader,
  searchIndexSummary,
  senderFromName,
  whenFilterText,
  whoFilterText,
} from './copy.ts';

const answer = (n: number, sure = true): SearchResponse => ({
  sure,
  hits: Array.from({ length: n }, () => ({}) as FoundMessage),
});

const OWNER: SearchReader = { kind: 'owner' };
const ASSISTANT: SearchReader = { kind: 'assistant' };
const CLAUDE: SearchReader = { kind: 'client', name: 'Claude' };

test.each<[SearchResponse, SearchReader, string]>([
  [answer(1), OWNER, '1 result'],
  [answer(12), OWNER, '12 results'],
  [answer(20), OWNER, '20 or more results'],
  [answer(3, false), OWNER, 'No clear match. Showing the closest results.'],
  [answer(0, false), OWNER, 'No results'],
  [answer(2), ASSISTANT, 'The assistant would find 2 results.'],
  [answer(0), CLAUDE, 'Claude would find nothing.'],
  [answer(3, false), CLAUDE, 'Claude would find no clear match. Showing its closest results.'],
])('%# the status gives the number of results and whose they are', (found, reader, status) => {
  expect(resultStatus(found, 20, reader)).toBe(status);
});

test('equal facts of one digest have different keys, which stay the same while both are found', () => {
  const fact = { source: 'fact', chat_id: 'c1', message_id: 'd1', text: 'The pool opens' } as const;
  const other = { ...fact, source: 'message', message_id: 'm1' } as const;
  const keys = hitKeys([fact, other, fact]);
  expect(new Set(keys).size).toBe(3);
  expect(hitKeys([fact, fact])).toEqual([keys[0], keys[2]]);
});

test('a count is a number, more than the maximum, or a dash', () => {
  expect(hitCountText(undefined, 20)).toBe('');
  expect(hitCountText(answer(3), 20)).toBe('3');
  expect(hitCountText(answer(20), 20)).toBe('20+');
  expect(hitCountText(answer(3, false), 20)).toBe('–');
});

test('the summary describes how search works', () => {
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
  expect(searchIndexSummary({ ...memory, embeddings: 'off' })).toBe(
    '1,200 texts searchable by words. Search by meaning is off.',
  );
  expect(searchIndexSummary({ ...memory, documents: 0 })).toBe('Nothing to search yet.');
  expect(searchIndexSummary(memory)).toBe(
    '1,200 texts searchable by words, 1,187 of them also by meaning (potion). 13 texts still to be indexed.',
  );
  expect(searchIndexSummary({ ...memory, waiting: 0 })).toBe(
    '1,200 texts searchable by words and by meaning (potion).',
  );
  const failure = { at: '2026-11-15T12:00:00Z', sentence: 'The endpoint does not answer.' };
  expect(searchIndexSummary({ ...memory, failure })).toBe(
    '1,200 texts searchable by words only. The endpoint does not answer.',
  );
});

test('the filter buttons show the filters', () => {
  expect(whoFilterText(undefined, undefined)).toBe('Any person or chat');
  expect(whoFilterText('me', undefined)).toBe('Sender: Me');
  expect(whoFilterText('Dana', 'Family')).toBe('Sender: Dana. Chat: Family');
  expect(whenFilterText(undefined, undefined)).toBe('Any date');
  expect(whenFilterText('2026-03-01', '2026-03-09')).toBe('2026-03-01 to 2026-03-09');
  expect(['Me', 'Dana'].map(senderFromName)).toEqual(['me', 'Dana']);
});

test('the address keeps only valid parameters', () => {
  expect(readSearchAddress({ q: 2026, chat: ' ', kind: 'digest', all: true, x: 1 })).toEqual({
    q: '2026',
    kind: 'digest',
    all: true,
  });
  expect(readSearchAddress({ q: { a: 1 }, kind: 'nonsense', all: 'yes' })).toEqual({});
});
