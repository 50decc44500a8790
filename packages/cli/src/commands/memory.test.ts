import type { EmbeddingsTrial, MemoryStatus } from '@relay/contract/api/memory';
import { expect, test } from 'vitest';
import { formatEmbeddingsTrial, formatMemoryStatus } from './memory.ts';

const STATUS: MemoryStatus = {
  embeddings: 'local',
  provider: 'local',
  model: 'minilm-l6-v2',
  dims: 384,
  index: 'process',
  documents: 12_000,
  vectors: 9_000,
  waiting: 3_000,
  per_second: 25,
  failure: null,
};

const TRIAL: EmbeddingsTrial = {
  embeddings: 'endpoint',
  provider: 'api.example.org',
  model: 'embed-3',
  dims: 1_024,
  waiting: 36_000,
  per_second: 100,
  leaves_to: 'api.example.org',
};

test('shows how many messages are indexed, and how long the rest takes', () => {
  expect(formatMemoryStatus(STATUS)).toEqual([
    '  Search by meaning  local model (runs on this machine)',
    '  Model              minilm-l6-v2, 384 dimensions',
    '  Index              in the daemon',
    '  Texts              12,000, 9,000 indexed',
    '  Queued             3,000 (25.0 per second, 2 min left)',
  ]);
});

test('mentions no model when it is off, and shows a failure in its sentence', () => {
  const off = { ...STATUS, embeddings: 'off', model: null, dims: null, index: null } as const;
  expect(formatMemoryStatus(off)).toEqual([
    '  Search by meaning  off (search by words only)',
    '  Texts              12,000',
  ]);
  const failure = { at: '2026-11-15T02:00:00.000Z', sentence: 'It does not answer.' };
  expect(formatMemoryStatus({ ...STATUS, failure }).at(-1)).toBe(
    '  Failed             It does not answer.',
  );
});

test('states the duration and what leaves the machine before it starts', () => {
  const [time, leaves] = formatEmbeddingsTrial(TRIAL);
  expect(time).toContain('36,000 texts take about 6 min');
  expect(leaves).toMatch(/36,000 messages, including those from other people.*api\.example\.org/);
  expect(formatEmbeddingsTrial({ ...TRIAL, leaves_to: null })[1]).toContain(
    'No data leaves this machine',
  );
});
