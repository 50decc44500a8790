// Schedules as the owner uses them: created by command, seen on phones. Tests move a schedule's due time back; the
// machine's clock stays as it is.
import type { Schedule, SchedulePreview } from '@relay/contract/api/schedules';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { eventually } from '../gateway.ts';
import { type AcceptanceHarness, ME, openAcceptanceHarness } from './harness.ts';
import type { Person } from './person.ts';

let harness: AcceptanceHarness;
beforeAll(async () => {
  harness = await openAcceptanceHarness({ settings: { zone: 'UTC' } });
});
afterAll(() => harness.end());

const list = () => harness.api.ok<Schedule[]>('GET', '/api/schedules?state=all');
const shown = async ({ id }: Pick<Schedule, 'id'>) => (await list()).find((each) => each.id === id);
const schedule = (person: Person, ...args: string[]) =>
  harness.gives<Schedule>('schedule', ...args, '--to', person.number, '--yes');

const byApi = (person: Person, text: string, more: object) =>
  harness.api.ok<Schedule>('POST', '/api/schedules', { to: person.number, text, ...more });

/** Moves a schedule back, as if this much time had passed since it was created. */
async function timePasses({ id }: Schedule, back: string): Promise<void> {
  await harness.relay.query(
    'UPDATE relay.schedules SET next_at = next_at - $2::interval WHERE id = $1',
    [id, back],
  );
  await harness.relay.query(
    `UPDATE relay.timers SET due_at = due_at - $2::interval WHERE subject_id = $1 AND kind = 'schedule'`,
    [id, back],
  );
}

/** The current minute: tomorrow's is a day away, and today's is not missed yet. */
const thisMinute = () => harness.clock.now().toISOString().slice(11, 16);
const outcomes = async ({ id }: Schedule) =>
  (
    await harness.relay.query(
      'SELECT outcome, count FROM relay.schedule_runs WHERE schedule_id = $1 ORDER BY due_at',
      [id],
    )
  ).map(({ outcome, count }) => (count === 1 ? outcome : `${outcome} ×${count}`));

it('a daily reminder is sent once at its time, and the next one is set', async () => {
  verifies('001-SCHED-DAILY', '001-SCHED-FIRES');
  const ada = await harness.person('Ada');
  const time = thisMinute();
  const made = await schedule(ada, '--daily', time, 'Call the doctor');
  expect(made).toMatchObject({ words: `every day at ${time}, UTC`, catch_up: 'skip' });
  expect(made.next.map((at) => at.slice(11, 16))).toEqual([time, time, time]);
  await timePasses(made, '1 day');
  expect(await ada.reads('Call the doctor')).toEqual(['Call the doctor']);
  await eventually('the next timer', async () => {
    const next = (await shown(made))?.next[0];
    return next === made.next[0] ? true : undefined;
  });
  expect(await outcomes(made)).toEqual(['queued']);
});

it('a one-time schedule is sent once, even when the daemon is killed while sending', async () => {
  verifies('001-SCHED-FIRES');
  const bertram = await harness.person('Bertram');
  const made = await byApi(bertram, 'Late, but here', { when: 'in 3 seconds' });
  await harness.relay.kill();
  await eventually('the time of the schedule', async () => {
    const due = 'SELECT FROM relay.schedules WHERE id = $1 AND next_at < $2';
    return (await harness.relay.query(due, [made.id, harness.clock.now()]))[0];
  });
  await harness.relay.start();
  expect(await bertram.reads('Late, but here')).toEqual(['Late, but here']);
  await harness.relay.kill();
  await harness.relay.start();
  expect(await shown(made)).toMatchObject({ state: 'done', last: { outcome: 'queued', count: 1 } });
  await harness.api.connected();
  expect(await bertram.has()).toEqual(['Late, but here']);
});

it('a daemon that was down at scheduled times follows the catch-up rule of each schedule', async () => {
  const people = await Promise.all(
    ['Clothilde', 'Dagobert', 'Eulalia'].map((name) => harness.person(name)),
  );
  const rules = ['skip', 'once', 'all'] as const;
  const hour = `${String((harness.clock.now().getUTCHours() + 22) % 24).padStart(2, '0')}:00`;
  const made = await Promise.all(
    people.map((person, index) =>
      byApi(person, 'Drink water', {
        rule: { kind: 'daily', time: hour },
        catch_up: rules[index],
      }),
    ),
  );
  await harness.relay.stop();
  for (const each of made) await timePasses(each, '3 days');
  await harness.relay.start();
  await people[2]?.reads('Drink water');
  await eventually('all of them', async () => {
    const has = (await people[2]?.has()) ?? [];
    return has.length === 3 ? true : undefined;
  });
  const got = await Promise.all(people.map(async (person) => (await person.has()).length));
  expect(got).toEqual([0, 1, 3]);
  expect(await Promise.all(made.map(outcomes))).toEqual([
    ['skipped ×3'],
    ['skipped ×2', 'queued'],
    ['queued', 'queued', 'queued'],
  ]);
  const said = await harness.says('schedule', 'list');
  expect(said).toContain('3 runs from');
});

it("“me” is the owner's own chat", async () => {
  verifies('001-SCHED-SELF');
  const made = await harness.gives<Schedule>(
    'schedule',
    'in 1 second',
    'Buy milk',
    '--to',
    'me',
    '--yes',
  );
  expect(made.recipient).toBe(`+${ME}`);
  await expect
    .poll(async () => (await harness.phones.messages(ME, ME)).map(({ text }) => text), {
      timeout: 30_000,
    })
    .toContain('Buy milk');
});

it('relay schedule shows what it understood, and saves nothing without confirmation', async () => {
  verifies('001-SCHED-TIME');
  const frieda = await harness.person('Frieda');
  const args = ['every weekday 9am', 'Stand up', '--to', frieda.number, '--zone', 'Europe/Berlin'];
  const { exit, out, err } = await harness.run('schedule', ...args);
  expect(exit).toBe(2);
  expect(out).toContain(`every weekday at 09:00, Europe/Berlin, to ${frieda.number}`);
  expect(out).toContain('  │ Stand up');
  expect(out.match(/\d{4} 09:00/g)).toHaveLength(3);
  expect(out).toContain('If Relay is offline at that time: skip missed runs.');
  expect(err).toContain('--yes');
  const preview = await harness.api.ok<SchedulePreview>('POST', '/api/schedules/preview', {
    to: frieda.number,
    text: 'Stand up',
    rule: { kind: 'daily', time: '09:00' },
    zone: 'Africa/Cairo',
  });
  for (const at of preview.next) {
    expect(new Date(at).toLocaleTimeString('en-GB', { timeZone: 'Africa/Cairo' })).toBe('09:00:00');
  }
  expect((await list()).filter(({ text }) => text === 'Stand up')).toEqual([]);
});

it('a schedule is listed, cancelled by the beginning of its id, and then sends nothing', async () => {
  const gustav = await harness.person('Gustav');
  const made = await schedule(gustav, '--weekly', 'mon,fri@18:00', 'Dance');
  expect(await harness.says('schedule', 'list')).toContain('every Monday and Friday at 18:00, UTC');
  expect(await harness.says('schedule', 'cancel', made.id.slice(0, 8))).toContain('Cancelled');
  expect(await harness.says('schedule', 'list')).not.toContain('Dance');
  await timePasses(made, '7 days');
  expect(await shown(made)).toMatchObject({ state: 'cancelled', next: [] });
  const again = await harness.api.call('DELETE', '/api/schedules/nothing');
  expect([again.status, again.json]).toEqual([
    404,
    {
      code: 'schedule_not_found',
      error: 'Schedule nothing not found.',
      action: expect.stringContaining('relay schedule list'),
    },
  ]);
  expect(await gustav.has()).toEqual([]);
});

it.each([
  [['soon', 'Hi', '--to', 'me'], 2, 'Write it like one of these: "in 2 hours"'],
  [['2020-01-01 09:00', 'Hi', '--to', 'me'], 2, 'has passed'],
  [['daily 09:00', 'Hi'], 2, '--to'],
  [['daily 09:00', '--to', 'me'], 2, 'Give the text to send'],
  [['--daily', '9 o’clock', 'Hi', '--to', 'me'], 2, 'Give one such as 09:00'],
  [['--daily', '09:00', '--cron', '0 9 * * *', 'Hi', '--to', 'me'], 2, 'Give only one of'],
  [['--once', 'daily 9:00', 'Hi', '--to', 'me', '--yes'], 2, 'is not a single time'],
  [['daily 09:00', 'Hi', '--to', 'me', '--zone', 'Mars/Olympus'], 2, 'is not a time zone'],
  [['daily 09:00', 'Hi', '--to', 'Nobody At All'], 4, 'There is no contact named'],
])('relay schedule %j is refused with the next step', async (args, exit, what) => {
  const refused = await harness.run('schedule', ...args);
  expect([refused.exit, refused.out]).toEqual([exit, '']);
  expect(refused.err).toContain(what);
});
