import { pacingSchema } from '@relay/contract/settings';
import { silentLog } from '@relay/core/log';
import { Indexer } from '@relay/daemon/features/search/indexer';
import { Intake } from '@relay/daemon/pipeline/intake/intake';
import { openPlain, readJson } from '@relay/daemon/pipeline/intake/testing/inbox';
import pg from 'pg';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { freshDaemonHarness } from './daemon-harness.ts';
import { ScriptedTransport } from './scripted-transport.ts';
import { sleep } from './store.ts';
import { verifies } from './verifies.ts';

/** Longer than any loop polls while there is work. */
const QUIET_MS = 2_500;

// A connection keeps the method that it was made with, so this comes before the first one.
const sent: string[] = [];
const { query } = pg.Client.prototype;
pg.Client.prototype.query = function count(this: pg.Client, ...asked: unknown[]) {
  sent.push(String((asked[0] as { text?: string }).text ?? asked[0]).slice(0, 80));
  return Reflect.apply(query, this, asked);
} as typeof query;
afterAll(() => {
  pg.Client.prototype.query = query;
});

test('an account that is connected and has nothing to do sends no statement', {
  timeout: 90_000,
}, async () => {
  verifies('SEP-IDLE');
  const transport = new ScriptedTransport();
  const harness = await freshDaemonHarness(onTestFinished, {
    sendsOver: { transport, pacing: pacingSchema.parse({}) },
  });
  const { db, lease, jobs, events } = harness.conversations;
  const intake = new Intake({ db, lease, jobs, unseal: openPlain, read: readJson, log: silentLog });
  const indexer = new Indexer({ db, lease, events, log: silentLog });
  intake.start();
  indexer.start();
  onTestFinished(async () => {
    await Promise.all([intake.stop(), indexer.stop()]);
  });
  // Afterwards as before: a conversation was created, sent its message, and waits for a reply in half an hour.
  await harness.create();
  // Not in every such time: the queues are cleaned once a minute.
  const sentWhileQuiet = async () => {
    sent.length = 0;
    await sleep(QUIET_MS);
    return [...sent];
  };
  await expect.poll(sentWhileQuiet, { timeout: 60_000 }).toEqual([]);
});
