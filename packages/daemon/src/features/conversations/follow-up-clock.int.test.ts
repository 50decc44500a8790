import type { InstanceId } from '@relay/contract/ids';
import { silentLog } from '@relay/core/log';
import { openDaemonHarness } from '@relay/testing/daemon-harness';
import { eventually, freshStore } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { appendEvent } from '../../platform/db/events.ts';
import { deadlocksIn } from '../../platform/db/testing/interpose.ts';
import { FollowUpClock } from './follow-up-clock.ts';
import { lockInstance } from './sql.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-05-04T08:00:00Z');
const HEARTBEAT = { interval_ms: 10 * MINUTE, max_followups: 1 };

let time = START;
const now = () => new Date(time);
const store = await freshStore();
const harness = await openDaemonHarness(store, { now });
afterAll(() => harness.close());
harness.agent(() => ({ messages: ['Hello'] }));

let canSend = true;
const { db, lease } = harness.conversations;
const clock = new FollowUpClock({
  ...{ db, lease, now, log: silentLog },
  isConnected: () => true,
  isBlocked: async () => !canSend,
});

beforeEach(async () => {
  time = START;
  canSend = true;
  await clock.update();
  harness.acknowledges(true);
});

async function begin(): Promise<InstanceId> {
  const id = await harness.create(undefined, HEARTBEAT);
  await harness.quiet();
  return id;
}

/** Minutes from the start, from the instance's row and its timer. */
async function due(id: InstanceId): Promise<readonly number[]> {
  const rows = await store.sql<{ at: Date }>(
    'SELECT timer_due_at AS at FROM instances WHERE id = $1 UNION ALL SELECT due_at FROM timers WHERE subject_id = $1',
    [id],
  );
  return rows.map(({ at }) => (at.getTime() - START) / MINUTE);
}

async function suspendedFor(minutes: number): Promise<void> {
  canSend = false;
  await clock.update();
  time += minutes * MINUTE;
}

async function goOn(): Promise<void> {
  canSend = true;
  await clock.update();
}

test('extends a running clock by the time during which sending was not possible', async () => {
  verifies('CONV-FOLLOW-UP-ACKNOWLEDGED');
  const id = await begin();
  expect(await due(id)).toEqual([10, 10]);
  time += 4 * MINUTE;
  await suspendedFor(30);
  expect(await harness.service.get(id)).toMatchObject({
    next_follow_up_at: null,
    reason: expect.stringContaining('Follow-ups are suspended'),
  });
  await goOn();
  expect(await due(id)).toEqual([40, 40]);
  expect((await harness.service.get(id)).next_follow_up_at).not.toBeNull();
});

test('extends a clock that started during a suspension only by the time since its start', async () => {
  harness.acknowledges(false);
  const id = await begin();
  await suspendedFor(30);
  // Connected again: WhatsApp acknowledges the message before the clocks are resumed.
  harness.acknowledges(true);
  await harness.quiet();
  expect(await due(id)).toEqual([40, 40]);
  time += MINUTE;
  await goOn();
  expect(await due(id)).toEqual([41, 41]);
});

test('keeps the remaining time of a conversation that is paused while clocks are suspended', async () => {
  const id = await begin();
  time += 4 * MINUTE;
  await suspendedFor(30);
  await harness.service.pause(id);
  await goOn();
  time += 5 * MINUTE;
  await harness.service.resume(id);
  // 39 minutes have passed; the clock ran for four of them.
  expect(await due(id)).toEqual([45, 45]);
});

test('resumes the clocks without a deadlock while a conversation is locked', async () => {
  const id = await begin();
  await suspendedFor(1);
  let going = Promise.resolve();
  await db.transaction().execute(async (tx) => {
    await lockInstance(tx, lease, id);
    going = goOn();
    await eventually(async () => {
      const waits =
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
      return (await store.sql(waits)).length > 0;
    });
    // Every write holds a key share lock on the account.
    await appendEvent(tx, lease.account, { kind: 'conversation', subject: id, data: {} });
  });
  await going;
  expect(await due(id)).toEqual([11, 11]);
  expect(await deadlocksIn(store)).toBe(0);
});
