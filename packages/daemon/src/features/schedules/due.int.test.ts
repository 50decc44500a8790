import type { CatchUp } from '@relay/contract/api/constants';
import { verifies } from '@relay/testing/verifies';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, openScheduleFixture } from './testing/fixture.ts';

/** A Monday, 08:00 in Berlin. */
const fixture = await openScheduleFixture('2026-02-02T07:00:00Z');
const { create, jump, moveTo, restart, runs, sent, shown, sql } = fixture;
afterAll(() => fixture.close());
beforeEach(() => fixture.clear());

test('sends a daily message once a day at its local time and shows the next times', async () => {
  verifies('001-SCHED-DAILY');
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
  for (const day of ['02', '03', '04']) await moveTo(`2026-02-${day}T08:00:00Z`);
  expect(await runs(made)).toEqual([
    '02-02T08:00 queued',
    '02-03T08:00 queued',
    '02-04T08:00 queued',
  ]);
  expect(await sent(made)).toBe(3);
  expect(await shown(made)).toMatchObject({
    last: { outcome: 'queued', reason_code: 'scheduled', message_state: 'sent' },
  });
});

test('runs a one-time schedule once and marks it done', async () => {
  const made = await create('in 2 hours');
  expect(made.catch_up).toBe('once');
  await jump(2 * HOUR);
  await jump(3 * DAY);
  await restart();
  expect([await sent(made), await shown(made)]).toMatchObject([1, { state: 'done', next: [] }]);
});

test('runs once a day at the local time over clock changes', async () => {
  await moveTo('2026-03-27T12:00:00Z');
  const made = await create('daily 02:30');
  for (let hour = 0; hour < 80; hour++) await jump(HOUR / 2);
  await jump(HOUR * 30);
  expect((await runs(made)).slice(0, 2)).toEqual(['03-28T01:30 queued', '03-29T01:00 queued']);
  expect(await shown(made)).toMatchObject({
    next: ['2026-03-31T00:30:00.000Z', '2026-04-01T00:30:00.000Z', '2026-04-02T00:30:00.000Z'],
  });
});

describe('after a downtime with missed runs', () => {
  const missed = async (catch_up: CatchUp, away: number) => {
    await moveTo('2026-05-04T06:00:00Z');
    const made = await create('daily 09:00', { catch_up });
    await restart(away);
    return made;
  };

  test('skip: skips missed runs with one row that counts them', async () => {
    const made = await missed('skip', 3 * DAY + 5 * HOUR);
    expect([await sent(made), await runs(made)]).toEqual([0, ['05-04T07:00 skipped ×4']]);
    expect(await shown(made)).toMatchObject({
      next: ['2026-05-08T07:00:00.000Z', expect.anything(), expect.anything()],
      last: { count: 4, reason_code: 'late', last_due_at: '2026-05-07T07:00:00.000Z' },
    });
    await moveTo('2026-05-08T07:00:00Z');
    expect(await sent(made)).toBe(1);
  });

  test('skip: sends a run that is only as late as a restart takes', async () => {
    const made = await missed('skip', HOUR + 2 * MINUTE);
    expect([await sent(made), await runs(made)]).toEqual([1, ['05-04T07:00 queued']]);
  });

  test('once: sends the last missed run and skips the others', async () => {
    const made = await missed('once', 3 * DAY + 5 * HOUR);
    expect([await sent(made), await runs(made)]).toEqual([
      1,
      ['05-04T07:00 skipped ×3', '05-07T07:00 queued'],
    ]);
    await restart();
    expect(await sent(made)).toBe(1);
  });

  test('all: sends each missed run', async () => {
    const made = await missed('all', 2 * DAY + 5 * HOUR);
    expect([await sent(made), await runs(made)]).toEqual([
      3,
      ['05-04T07:00 queued', '05-05T07:00 queued', '05-06T07:00 queued'],
    ]);
    await restart();
    expect(await sent(made)).toBe(3);
  });

  test('all: sends only the last hundred missed runs and counts the others', async () => {
    await moveTo('2026-06-01T07:00:00Z');
    const made = await create('every 15 minutes', { catch_up: 'all' });
    await restart(4 * DAY);
    expect(await sent(made)).toBe(100);
    expect((await runs(made))[0]).toMatch(/skipped ×284$/);
  });

  test('sends a missed one-time message late, unless it is set to skip', async () => {
    await moveTo('2026-07-01T07:00:00Z');
    const [late, left] = [
      await create('in 1 hour'),
      await create('in 1 hour', { catch_up: 'skip' }),
    ];
    await restart(2 * DAY);
    expect([await sent(late), await sent(left)]).toEqual([1, 0]);
    expect(await runs(left)).toEqual(['07-01T08:00 skipped']);
    expect((await shown(left)).state).toBe('done');
  });
});

describe('while WhatsApp is disconnected', () => {
  afterEach(() => fixture.whatsapp('here'));

  test.each([
    ['skip', ['11-02T08:00 skipped', '11-03T08:00 skipped', '11-04T08:00 queued'], 1],
    ['all', ['11-02T08:00 queued', '11-03T08:00 queued', '11-04T08:00 queued'], 3],
  ] as const)(
    'keeps the messages queued that catch-up rule %s would send late',
    async (catch_up, expected, left) => {
      await moveTo('2026-11-02T07:00:00Z');
      const made = await create('daily 09:00', { catch_up });
      fixture.whatsapp('away');
      for (const day of ['02', '03', '04']) await moveTo(`2026-11-${day}T08:00:00Z`);
      expect(await runs(made)).toEqual(expected);
      const permitted = await sql(
        'SELECT 1 FROM permits WHERE schedule_id = $1 AND revoked_at IS NULL',
        [made.id],
      );
      expect(permitted).toHaveLength(left);
    },
  );
});

describe('a clock that jumps', () => {
  test.each([
    ['an hour', HOUR],
    ['a day', DAY],
  ])('by %s and back repeats and misses nothing', async (_, leap) => {
    await moveTo('2026-08-03T06:30:00Z');
    const made = await create('daily 09:00');
    await moveTo('2026-08-03T07:00:00Z');
    await jump(leap);
    await jump(-leap);
    await restart();
    await moveTo('2026-08-03T07:30:00Z');
    for (const day of ['04', '05', '06']) await moveTo(`2026-08-${day}T07:00:00Z`);
    expect([await sent(made), (await runs(made)).filter((run) => run.includes('skipped'))]).toEqual(
      [4, []],
    );
  });

  test('forward over a run follows the catch-up rule; back, the skipped run is due again', async () => {
    await moveTo('2026-09-07T05:00:00Z');
    const [daily, once] = [
      await create('daily 09:00'),
      await create('2026-09-07 09:00', { catch_up: 'skip' }),
    ];
    await moveTo('2026-09-07T12:00:00Z');
    expect([await runs(daily), await runs(once)]).toEqual([
      ['09-07T07:00 skipped'],
      ['09-07T07:00 skipped'],
    ]);
    await moveTo('2026-09-07T05:01:00Z');
    await fixture.harness().schedules.recompute();
    expect([await runs(daily), (await shown(once)).state]).toEqual([[], 'active']);
    await moveTo('2026-09-07T07:00:00Z');
    expect([await sent(daily), await sent(once)]).toEqual([1, 1]);
  });

  test('by eight hours of sleep follows the catch-up rule', async () => {
    await moveTo('2026-09-14T05:00:00Z');
    const made = await create('every hour', { catch_up: 'once' });
    await jump(8 * HOUR);
    expect(await runs(made)).toEqual(['09-14T06:00 skipped ×7', '09-14T13:00 queued']);
  });
});

describe('a run whose transaction fails', () => {
  test.each(['schedules', 'timers', 'ledger', 'permits', 'outbox', 'schedule_runs', 'events'])(
    'at its write to %s has no effect, and runs once after the next start',
    async (table) => {
      await moveTo('2026-10-05T06:00:00Z');
      const made = await create('daily 09:00', { catch_up: 'once' });
      await sql(`CREATE OR REPLACE FUNCTION die() RETURNS trigger LANGUAGE plpgsql
        AS $$ BEGIN RAISE EXCEPTION 'killed'; END $$`);
      await sql(
        `CREATE TRIGGER die BEFORE INSERT OR UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION die()`,
      );
      await jump(HOUR);
      const failed = fixture.harness().logged.some(({ message }) => message === 'job failed');
      expect([failed, await sent(made), await runs(made)]).toEqual([true, 0, []]);
      await sql(`DROP TRIGGER die ON ${table}`);
      await restart();
      await restart();
      expect([await sent(made), await runs(made)]).toEqual([1, ['10-05T07:00 queued']]);
    },
  );
});
