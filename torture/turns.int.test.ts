// The short form of `npm run torture -- turns`: fewer, with a fixed seed.
import { verifies } from '@relay/testing/verifies';
import { expect, it } from 'vitest';
import { tortureTurns } from './turns.ts';

it('loses no turn and sends nothing twice when the daemon is killed at any step of a turn', {
  timeout: 600_000,
}, async () => {
  verifies('CONV-RESULT-ONCE');
  const report = await tortureTurns({ kills: 5, seed: 20_261_115 });
  expect(report).toMatchObject({
    kills: 5,
    lost: 0,
    sentTwice: 0,
    wrongTodos: 0,
    wrongResults: 0,
    faults: [],
  });
});
