// The short form of `npm run torture -- stranger`: one message of every kind from each.
import { expect, it } from 'vitest';
import { tortureStranger } from './stranger.ts';

it('asks no model and sends nothing for a stranger, and answers them once they have a grant', {
  timeout: 600_000,
}, async () => {
  const report = await tortureStranger({ messages: 2 });
  expect(report).toMatchObject({ modelCalls: 0, outbound: 0, faults: [] });
  expect(report.sent).toBeGreaterThan(2 * report.kinds);
});
