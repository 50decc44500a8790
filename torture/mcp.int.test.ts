// The short form of `npm run torture -- mcp`: fewer calls.
import { expect, it } from 'vitest';
import { tortureMcp } from './mcp.ts';

it('answers whatever clients send over any transport, and carries out only valid calls', {
  timeout: 600_000,
}, async () => {
  const { faults, effects, done } = await tortureMcp({ calls: 1_500, seed: 7 });
  expect(faults).toEqual([]);
  expect(effects).toBeGreaterThan(10);
  expect(Object.keys(done).length).toBeGreaterThan(10);
});
