// The short form of `npm run torture -- partition`: the same, with some of every goal.
import { expect, it } from 'vitest';
import { torturePartition } from './partition.ts';

it('keeps fifty chats apart whatever the model of any session does, and answers the harmless', {
  timeout: 900_000,
}, async () => {
  const report = await torturePartition({ only: [], limit: 12, harmless: 8 });
  expect(report).toMatchObject({
    ...{ chats: 50, attacks: 12, tools: 11 },
    pairs: { missing: 0 },
    harmless: { said: 8, falseAlarms: [] },
    faults: [],
  });
  expect(report.readable.seen).toBeGreaterThan(report.readable.chats / 2);
  expect(report.asked).toBeGreaterThan(12);
});
