// The short form of `npm run torture -- wire` and `-- faults`: fewer, with a fixed seed.
import { expect, it } from 'vitest';
import { tortureFaults } from './faults.ts';
import { RECEIVING, SENDING } from './points.ts';
import { tortureWire } from './wire.ts';

it('loses, duplicates and reorders nothing when the daemon is killed while receiving and while sending', {
  timeout: 1_800_000,
}, async () => {
  const report = await tortureWire({ kills: 20, seed: 20_261_115 });
  expect(report).toMatchObject({
    kills: { receiving: 20, sending: 20 },
    refused: 0,
    faults: [],
  });
  // Kills at random moments prove little: most kills must hit their point.
  const { 'any moment': _, ...named } = report.atPoints;
  expect(Object.keys(named).length).toBeGreaterThan((RECEIVING.length + SENDING.length) / 2);
});

it('loses nothing while the connection, the server and the database fail', {
  timeout: 1_800_000,
}, async () => {
  const report = await tortureFaults({ schedules: 20, seed: 20_261_115, only: [] });
  expect(report).toMatchObject({ schedules: 20, faults: [] });
});
