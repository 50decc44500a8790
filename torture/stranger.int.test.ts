// The short form of `npm run torture -- stranger`: the same, with one message of every kind from each.
import { expect, it } from 'vitest';
import { tortureStranger } from './stranger.ts';

it('asks no model and writes nothing to a stranger, whatever they send, and answers them once they have a grant', {
  timeout: 600_000,
}, async () => {
  const report = await tortureStranger({ messages: 2 });
  expect(report).toMatchObject({ modelCalls: 0, outbound: 0, faults: [] });
  expect(report.sent).toBeGreaterThan(2 * report.kinds);
});
