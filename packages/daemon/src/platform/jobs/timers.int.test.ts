import { randomUUID } from 'node:crypto';
import { instanceId } from '@relay/contract/ids';
import { silentLog } from '@relay/core/log';
import { eventually, freshStore, times } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { takeLease } from '../db/lease.ts';
import type { OnTimersDue, Timer } from './timers.ts';
import { clearTimer, setTimer, TimerClock } from './timers.ts';

const { account, database, sql } = await freshStore();
const db = database.kysely;
const lease = { account, holder: randomUUID(), epoch: 1 };
expect(await takeLease(db, account, lease.holder)).toEqual(lease);

beforeEach(() => sql('DELETE FROM timers'));

const timer = (subject: string = randomUUID(), epoch = 1): Timer => ({
  account,
  kind: 'heartbeat',
  subject: instanceId(subject),
  epoch,
});
const setAt = (one: Timer, at: Date) => db.transaction().execute((tx) => setTimer(tx, one, at));
const set = (one: Timer, inMs: number) => setAt(one, new Date(Date.now() + inMs));

function startClock(
  fired: Timer[],
  onDue: OnTimersDue = async () => {},
  now: () => Date = () => new Date(),
): TimerClock {
  const clock = new TimerClock({
    db,
    lease,
    now,
    onDue: async (tx, timers) => {
      await onDue(tx, timers);
      fired.push(...timers);
    },
    onFired: () => {},
    log: silentLog,
  });
  clock.start();
  onTestFinished(() => clock.stop());
  return clock;
}

test('a timer fires once, with its epoch, when it is due and not a millisecond earlier', async () => {
  verifies('003-NFR-HEARTBEAT');
  const fired: Timer[] = [];
  const due = Date.now();
  let time = due - 1;
  const clock = startClock(fired, undefined, () => new Date(time));
  const mine = timer(undefined, 7);
  await setAt(mine, new Date(due));
  expect(await clock.fire()).toBe(0);
  expect(fired).toEqual([]);
  time = due;
  await eventually(() => fired.length > 0);
  await eventually(async () => (await sql('SELECT 1 FROM timers')).length === 0);
  expect(await clock.fire()).toBe(0);
  expect(fired).toEqual([mine]);
});

test('setting a timer again replaces it, also with a later time', async () => {
  const fired: Timer[] = [];
  const subject = randomUUID();
  await set(timer(subject, 1), 60_000);
  await set(timer(subject, 2), 0);
  await set(timer(subject, 3), 60_000);
  const other = randomUUID();
  await set(timer(other), 0);
  startClock(fired);
  await eventually(() => fired.length > 0);
  expect(fired.map((one) => one.subject)).toEqual([other]);
  await expect.poll(() => sql('SELECT epoch FROM timers')).toEqual([{ epoch: 3 }]);
});

test('a cleared timer does not fire', async () => {
  const fired: Timer[] = [];
  const [gone, kept] = [timer(), timer()];
  await set(gone, 0);
  await set(kept, 0);
  await db.transaction().execute((tx) => clearTimer(tx, account, 'heartbeat', gone.subject));
  startClock(fired);
  await eventually(() => fired.length > 0);
  expect(fired.map((one) => one.subject)).toEqual([kept.subject]);
});

test('with two clocks each of many timers fires exactly once', async () => {
  const one: Timer[] = [];
  const other: Timer[] = [];
  const subjects = times(500, () => randomUUID());
  await sql(
    `INSERT INTO timers SELECT $1, 'heartbeat', s, 1, now() + random() * interval '0.4 seconds' FROM unnest($2::uuid[]) s`,
    [account, subjects],
  );
  startClock(one);
  startClock(other);
  await eventually(async () => (await sql('SELECT 1 FROM timers LIMIT 1')).length === 0);
  const fired = [...one, ...other].map(({ subject }) => subject);
  expect(fired.toSorted()).toEqual(subjects.toSorted());
});

test('a due timer whose conversation is being changed waits for the change', async () => {
  const fired: Timer[] = [];
  const mine = timer();
  await set(mine, 0);
  await db.transaction().execute(async (tx) => {
    await setTimer(tx, { ...mine, epoch: 2 }, new Date(Date.now() + 60_000));
    const clock = startClock(fired);
    expect(await clock.fire()).toBe(0);
  });
  expect(await startClock(fired).fire()).toBe(0);
  expect(fired).toEqual([]);
});

test('a timer whose job cannot be written is kept, and fires once the database is available again', async () => {
  const fired: Timer[] = [];
  let faults = 2;
  const clock = startClock(fired, async () => {
    if (faults-- > 0) throw new Error('the database is away');
  });
  await set(timer(), 0);
  await eventually(async () => (await sql('SELECT 1 FROM timers')).length === 0);
  expect(await clock.fire()).toBe(0);
  expect(faults).toBeLessThan(0);
  expect(fired).toHaveLength(1);
});

test('the given clock decides what is due; it sleeps until then and notices a jump immediately', async () => {
  const fired: Timer[] = [];
  let ahead = 0;
  let looks = 0;
  const clock = startClock(fired, undefined, () => {
    looks += 1;
    return new Date(Date.now() + ahead);
  });
  await set(timer(), 3_600_000);
  expect(await clock.fire()).toBe(0);
  expect(fired).toEqual([]);
  ahead = 3_600_000;
  await eventually(() => fired.length === 1);
  ahead = -3_600_000;
  await set(timer(), 0);
  looks = 0;
  const began = performance.now();
  // It reads the time three times a round: six reads need at least one sleep.
  await eventually(() => looks >= 6);
  // A lower bound holds on a slow machine too. Without the sleep, the reads take a few milliseconds.
  expect(performance.now() - began).toBeGreaterThan(250);
  expect(fired).toHaveLength(1);
});

test('a clock that was set back is reported once, and a small correction is not', async () => {
  let ahead = 0;
  let looks = 0;
  let reports = 0;
  const clock = new TimerClock({
    db,
    lease,
    now: () => {
      looks += 1;
      return new Date(Date.now() + ahead);
    },
    onDue: async () => {},
    onFired: () => {},
    onPutBack: async () => {
      reports += 1;
    },
    log: silentLog,
  });
  clock.start();
  onTestFinished(() => clock.stop());
  const lookedAgain = () => {
    // Without a timer it reads the time twice a round.
    const enough = looks + 4;
    return eventually(() => looks >= enough);
  };
  ahead = -1_000;
  await lookedAgain();
  expect(reports).toBe(0);
  ahead = -3_600_000;
  await eventually(() => reports === 1);
  await lookedAgain();
  expect(reports).toBe(1);
});

test('the timer clock continues after its connections were cut', async () => {
  const fired: Timer[] = [];
  startClock(fired);
  await set(timer(), 0);
  await eventually(() => fired.length === 1);
  await sql(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  await eventually(() =>
    set(timer(), 0).then(
      () => true,
      () => false,
    ),
  );
  // The first may have been cut before its commit; then it fires again.
  await eventually(() => fired.length >= 2);
});
