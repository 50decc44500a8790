import type { ListedWorker } from '@relay/contract/api/workers';
import { verifies } from '@relay/testing/verifies';
import { expect, test } from 'vitest';
import { formatWorkers } from './workers.ts';

const NOW = new Date('2026-11-19T12:00:00Z');

const worker = (changes: Partial<ListedWorker> = {}): ListedWorker => ({
  id: '1298c720-5637-4785-bbae-e0db7eaf737c',
  host: 'ash',
  pid: 4711,
  address: '127.0.0.1:40009',
  version: '0.1.0',
  capacity: 100,
  accounts: 34,
  state: 'running',
  started_at: '2026-11-19T09:00:00.000Z',
  last_seen_at: '2026-11-19T11:59:59.000Z',
  ...changes,
});

test('each worker is one line with its machine, its accounts and how it is', () => {
  verifies('WORKERS-LIST');
  const workers = [
    worker(),
    worker({ state: 'draining', accounts: 1, capacity: 100_000 }),
    worker({ state: 'lost', accounts: 0, last_seen_at: '2026-11-19T11:58:00.000Z' }),
  ];
  expect(formatWorkers({ workers, unserved: 0 }, NOW)).toEqual([
    '1298c720  ash, PID 4711  34 accounts of at most 100  running for 3 h',
    '1298c720  ash, PID 4711  1 account  handing its accounts over',
    '1298c720  ash, PID 4711  0 accounts of at most 100  lost 2 min ago',
  ]);
});

test('accounts that no worker holds are named with what to do', () => {
  expect(formatWorkers({ workers: [], unserved: 2 }, NOW)).toEqual([
    'No workers.',
    '2 accounts without a worker. Start one with `relay worker`.',
  ]);
});
