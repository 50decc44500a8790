// The short form of `npm run torture -- partition`: a sample of every goal.
import { expect, it } from 'vitest';
import { torturePartition } from './partition.ts';

it('isolates fifty chats whatever a model does, and answers harmless messages', {
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
