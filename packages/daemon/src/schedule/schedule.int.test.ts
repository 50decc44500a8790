// Schedules over a real database and a clock that the test moves: what happens when, and what never twice.
import type { Schedule } from '@relay/core/api/schedules';
import { type ScheduleId, scheduleId } from '@relay/core/ids';
import type { CatchUp } from '@relay/core/schedule/rule';
import { freshStore } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { newPhone, openWorld, type World } from '@relay/testing/world';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A Monday, 08:00 in Berlin. */
const BEGIN = Date.parse('2026-02-02T07:00:00Z');

const store = await freshStore();
const { sql } = store;
let time = BEGIN;
const now = () => new Date(time);
let world: World = await openWorld(store, { now });
afterAll(() => world.close());
beforeEach(async () => {
  for (const { id } of await world.schedules.verbs.list('active')) await cancel(id);
});

const cancel = (id: string) => world.schedules.verbs.cancel(scheduleId(id));
const create = (when: string, more: { catch_up?: CatchUp; zone?: string; to?: string } = {}) =>
  world.schedules.verbs.create({ to: newPhone(), text: 'Drink water', when, ...more });

async function restart(whileAway: () => void = () => {}): Promise<void> {
  await world.close();
  whileAway();
  world = await openWorld(store, { now });
  await world.quiet();
}

async function moveTo(iso: string): Promise<void> {
  time = Date.parse(iso);
  await world.quiet();
}
const jump = (ms: number) => moveTo(new Date(time + ms).toISOString());

const sent = async ({ id }: Pick<Schedule, 'id'>) =>
  (
    await sql<{ body: string }>(
      `SELECT o.body FROM outbox o JOIN permits p ON p.account_id = o.account_id AND p.id = o.permit_id
       WHERE p.schedule_id = $1 AND p.actor = 'scheduler' ORDER BY o.seq`,
      [id],
    )
  ).length;
const runs = async ({ id }: Pick<Schedule, 'id'>) =>
  (
    await sql<{ due_at: Date; outcome: string; count: number }>(
      'SELECT due_at, outcome, count FROM schedule_runs WHERE schedule_id = $1 ORDER BY due_at',
      [id],
    )
  ).map(
    ({ due_at, outcome, count }) =>
      `${due_at.toISOString().slice(5, 16)} ${outcome}${count === 1 ? '' : ` ×${count}`}`,
  );
const shown = async ({ id }: Pick<Schedule, 'id'>): Promise<Schedule> => {
  const found = (await world.schedules.verbs.list('all')).find((each) => each.id === id);
  if (found === undefined) throw new Error('gone');
  return found;
};

test('a daily message is sent once a day at its time in its zone, with the next times shown', async () => {
  verifies('001-SCHED-DAILY');
  verifies('001-SCHED-TIME');
  await moveTo('2026-02-02T07:00:00Z');
  const made = await create('daily 09:00');
  expect(made).toMatchObject({
    words: 'every day at 09:00, Europe/Berlin',
    catch_up: 'skip',
    state: 'active',
    next: ['2026-02-02T08:00:00.000Z', '2026-02-03T08:00:00.000Z', '2026-02-04T08:00:00.000Z'],
  });
  await moveTo('2026-02-02T07:59:59Z');
  expect(await runs(made)).toEqual([]);
  await moveTo('2026-02-02T08:00:00Z');
  expect(await runs(made)).toEqual(['02-02T08:00 queued']);
  await moveTo('2026-02-03T08:00:00Z');
  await moveTo('2026-02-04T08:00:01Z');
  expect(await runs(made)).toEqual([
    '02-02T08:00 queued',
    '02-03T08:00 queued',
    '02-04T08:00 queued',
  ]);
  expect(await sent(made)).toBe(3);
  expect(await shown(made)).toMatchObject({
    last: { outcome: 'queued', reason_code: 'scheduled', message_state: 'pending' },
  });
});

test('what is to happen once happens once, and is done', async () => {
  const made = await create('in 2 hours');
  expect(made.catch_up).toBe('once');
  await jump(2 * HOUR);
  await jump(3 * DAY);
  await restart();
  expect([await sent(made), (await shown(made)).state, (await shown(made)).next]).toEqual([
    1,
    'done',
    [],
  ]);
});

describe('after a downtime over occurrences', () => {
  const missed = async (catch_up: CatchUp, away: number) => {
    await moveTo('2026-03-02T07:00:00Z');
    const made = await create('daily 09:00', { catch_up });
    await restart(() => {
      time += away;
    });
    return made;
  };

  test('skip leaves out what was missed, with one row that counts them', async () => {
    const made = await missed('skip', 3 * DAY + 5 * HOUR);
    expect([await sent(made), await runs(made)]).toEqual([0, ['03-02T08:00 skipped ×4']]);
    expect(await shown(made)).toMatchObject({
      next: ['2026-03-06T08:00:00.000Z', expect.anything(), expect.anything()],
      last: { count: 4, reason_code: 'late', last_due_at: '2026-03-05T08:00:00.000Z' },
    });
    await moveTo('2026-03-06T08:00:00Z');
    expect(await sent(made)).toBe(1);
  });

  test('skip sends what is only as late as a restart takes', async () => {
    const made = await missed('skip', HOUR + 2 * MINUTE);
    expect([await sent(made), await runs(made)]).toEqual([1, ['03-02T08:00 queued']]);
  });

  test('once sends the last one late and leaves out the others', async () => {
    const made = await missed('once', 3 * DAY + 5 * HOUR);
    expect([await sent(made), await runs(made)]).toEqual([
      1,
      ['03-02T08:00 skipped ×3', '03-05T08:00 queued'],
    ]);
    await restart();
    expect(await sent(made)).toBe(1);
  });

  test('all sends each of them late', async () => {
    const made = await missed('all', 3 * DAY + 5 * HOUR);
    expect([await sent(made), await runs(made)]).toEqual([
      4,
      ['03-02T08:00 queued', '03-03T08:00 queued', '03-04T08:00 queued', '03-05T08:00 queued'],
    ]);
    await restart();
    expect(await sent(made)).toBe(4);
  });

  test('all does not flood: the last hundred are sent, the others counted', async () => {
    await moveTo('2026-04-01T07:00:00Z');
    const made = await create('every 15 minutes', { catch_up: 'all' });
    await restart(() => {
      time += 4 * DAY;
    });
    expect(await sent(made)).toBe(100);
    expect((await runs(made))[0]).toMatch(/skipped ×284$/);
  });

  test('what was to happen once is sent late', async () => {
    const made = await create('in 1 hour');
    await restart(() => {
      time += 2 * DAY;
    });
    expect([await sent(made), (await shown(made)).state]).toEqual([1, 'done']);
  });
});
