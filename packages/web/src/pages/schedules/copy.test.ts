import type { Schedule, ScheduleRun } from '@relay/contract/api/schedules';
import { WEEKDAYS, type Weekday } from '@relay/contract/schedule/names';
import { describe, expect, test } from 'vitest';
import {
  cancelText,
  catchUpText,
  dayAndTime,
  ruleText,
  runDisplay,
  runReason,
  scheduleRecipient,
  schedulesSummary,
  timeInZone,
  withClockChanges,
} from './copy.ts';
import { suggestStart, toScheduleRequest } from './schedule-draft.ts';

const NOW = Date.parse('2026-11-16T07:00:00Z');
const schedule = {
  rule: { kind: 'daily', time: '09:00' },
  next: ['2026-11-16T09:00:00.000Z'],
  zone: 'UTC',
  last: null,
} as unknown as Schedule;
const run: ScheduleRun = {
  due_at: '2026-11-15T09:00:00.000Z',
  last_due_at: '2026-11-15T09:00:00.000Z',
  count: 1,
  outcome: 'queued',
  reason: 'The contact has no grant.',
  reason_code: 'no_grant',
  at: '2026-11-15T09:00:00.000Z',
  message_state: null,
  approval_id: null,
};

test('the summary counts active schedules and shows when the next message is sent', () => {
  expect(schedulesSummary([schedule], false, NOW)).toBe(
    '1 active schedule. The next message is sent in 2 h.',
  );
  expect(schedulesSummary([schedule, schedule], true, NOW)).toMatch(/^More than 2 active/);
  expect(schedulesSummary([], false, NOW)).toBe('No messages are scheduled.');
});

test('a recipient has a name, and the owner is recognised by the linked number', () => {
  const recipient = { recipient: '+14155550101', recipient_name: null };
  expect(scheduleRecipient(recipient, '14155550142')).toEqual({
    name: '+1 415 555 0101',
    own: 'no',
  });
  expect(scheduleRecipient(recipient, '14155550101').own).toBe('yes');
});

test('missed runs are described for one run and for several', () => {
  expect(catchUpText({ kind: 'once' }, 'once')).toBe('Sent late if missed');
  expect(catchUpText({ kind: 'cron' }, 'skip')).toBe('Missed runs are skipped');
});

describe('the last result', () => {
  test('is the state of its message, if there is one', () => {
    expect(runDisplay({ ...run, message_state: 'delivered' }).label).toBe(
      'common.delivery.delivered',
    );
    expect(runReason({ ...run, message_state: 'delivered' })).toBeNull();
  });

  test('is amber only while it waits for the owner', () => {
    const waiting: ScheduleRun = { ...run, outcome: 'waiting', approval_id: 'a' };
    expect(runDisplay(waiting)).toMatchObject({
      label: 'schedules.run.waiting',
      hue: 'you',
    });
    expect(runDisplay({ ...waiting, approval_id: null }).hue).toBe('parked');
  });

  test('shows why runs were skipped, and how many', () => {
    const skipped: ScheduleRun = { ...run, outcome: 'skipped', reason_code: 'late' };
    expect(runReason(skipped)).toBe('Relay was offline or on hold at that time.');
    expect(runReason({ ...skipped, count: 5 })).toBe('Relay was offline or on hold for 5 runs.');
  });

  test('shows the reason of the daemon where the console has no text for it', () => {
    const refused: ScheduleRun = { ...run, outcome: 'refused', reason_code: 'no_moon' };
    expect(runReason(refused)).toBe('The contact has no grant.');
    expect(runReason({ ...refused, count: 2 })).toBe('2 times: The contact has no grant.');
    expect(runReason({ ...run, outcome: 'refused' })).toBe('This contact has no grant.');
  });
});

test('the confirmation of a cancellation lists what it stops', () => {
  expect(cancelText(schedule, NOW)).toBe(
    'The next message, for Mon 16 Nov, 09:00, and all later ones will not be sent. Messages that were already sent are not affected.',
  );
  const last: ScheduleRun = { ...run, outcome: 'waiting', approval_id: 'a' };
  expect(cancelText({ ...schedule, last }, NOW)).toContain('The pending approval is withdrawn.');
});

describe('clock changes', () => {
  const at = (iso: string) => new Date(iso).toISOString();

  test('are shown where they happen between two runs', () => {
    const next = [at('2026-10-24T07:00:00Z'), at('2026-10-25T08:00:00Z')];
    const now = Date.parse('2026-10-23T12:00:00Z');
    expect(
      withClockChanges(next, 'Europe/Berlin', { now, time: '09:00' }).map(({ note }) => note),
    ).toEqual([null, 'The clocks go back by 1 h before this run. The local time stays 09:00.']);
  });

  test('are shown where they skip the exact time', () => {
    const now = Date.parse('2027-03-27T12:00:00Z');
    const [skipped] = withClockChanges([at('2027-03-28T01:00:00Z')], 'Europe/Berlin', {
      now,
      time: '02:30',
    });
    expect(skipped?.note).toBe(
      'The clocks skip 02:30 on that day, so the message is sent at 03:00.',
    );
  });
});

test('an incomplete draft gives no request, and a complete one contains only what was chosen', () => {
  const draft = {
    recurrence: 'weekly',
    at: '',
    time: '09:00',
    days: [],
    when: '',
    zone: '',
    catchUp: '',
  } as const;
  const to = { to: '+1', text: 'Hello' };
  expect(toScheduleRequest(draft, to)).toBeNull();
  expect(toScheduleRequest({ ...draft, days: ['mon'] }, to)).toEqual({
    ...to,
    rule: { kind: 'weekly', days: ['mon'], time: '09:00' },
  });
  expect(
    toScheduleRequest(
      { ...draft, recurrence: 'typed', when: ' 0 9 * * mon ', zone: 'Asia/Tokyo' },
      to,
    ),
  ).toEqual({
    ...to,
    when: '0 9 * * mon',
    zone: 'Asia/Tokyo',
  });
  expect(suggestStart(new Date(2026, 10, 16, 23, 40))).toBe('2026-11-17T01:00');
});

test('the next run is shown in the time zone of its reader, whatever the zone of the schedule', () => {
  const today = '2026-11-16T08:00:00.000Z';
  const own = (at: string) => new Date(at).toLocaleTimeString('en-GB', { timeStyle: 'short' });
  expect(dayAndTime(today, NOW)).toEqual({ day: 'Today', time: own(today) });
  expect(dayAndTime('2026-11-17T08:00:00.000Z', NOW).day).toBe('Tomorrow');
  const inTokyo = { ...schedule, zone: 'Asia/Tokyo', next: [today] };
  expect(cancelText(inTokyo, NOW)).toContain(`Mon 16 Nov, ${own(today)}`);
});

test('a time is shown in the given time zone', () => {
  expect(timeInZone('Asia/Tokyo', '2026-11-16T00:00:00Z', NOW)).toBe('Mon 16 Nov, 09:00');
});

test('says when a message is sent in the language of the page', () => {
  const text = (rule: Schedule['rule']) => ruleText({ rule, zone: 'UTC' }, NOW);
  const cron = (expression: string) => text({ kind: 'cron', expression });
  const weekly = (...days: readonly Weekday[]) =>
    text({ kind: 'weekly', days: [...days], time: '09:00' });
  expect(text({ kind: 'once', at: '2026-11-17T08:30' })).toBe('once, Tue 17 Nov, 08:30, UTC');
  expect(text({ kind: 'daily', time: '09:00' })).toBe('every day at 09:00, UTC');
  expect(weekly(...WEEKDAYS)).toBe('every day at 09:00, UTC');
  expect(weekly(...WEEKDAYS.slice(0, 5))).toBe('every weekday at 09:00, UTC');
  expect(weekly('mon', 'sun')).toBe('every Monday and Sunday at 09:00, UTC');
  expect(cron('0 8 1 * *')).toBe('on day 1 of every month at 08:00, UTC');
  expect(cron('0 8 31 * *')).toBe('on day 31 of every month that has one at 08:00, UTC');
  expect(cron('5 8 L * *')).toBe('on the last day of every month at 08:05, UTC');
  expect(cron('0 8 29 2 *')).toBe('every year on 29 February at 08:00, UTC');
  expect(cron('* * * * *')).toBe('every minute, UTC');
  expect(cron('*/5 * * * *')).toBe('every 5 minutes, UTC');
  expect(cron('0 */2 * * *')).toBe('every 2 hours, UTC');
  expect(cron('0 9 * * 1#2')).toBe('cron “0 9 * * 1#2”, UTC');
});
