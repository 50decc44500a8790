import { verifies } from '@relay/testing/verifies';
import { expect, test } from 'vitest';
import { tortureFailover } from './failover.ts';

test('accounts of killed, paused, cut off and drained workers are connected elsewhere, and no message is lost', async () => {
  verifies('WORKERS-FAILOVER', 'WORKERS-DRAIN', 'WORKERS-FENCE');
  const options = { workers: 2, accounts: 3, kills: 4, seed: 1, slack: 3 };
  const { faults } = await tortureFailover(options);
  expect(faults).toEqual([]);
}, 600_000);
