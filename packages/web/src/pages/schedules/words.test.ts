import type { Schedule, ScheduleRun } from '@relay/contract/api/schedules';
import { describe, expect, test } from 'vitest';
import {
  cancelText,
  runDisplay,
  runReason,
  schedulesSentence,
  timeInZone,
  withClockChanges,
} from './copy.ts';
import { suggestStart, toScheduleRequest } from './schedule-draft.ts';

const NOW = Date.parse('2026-11-16T07:00:00Z');
const schedule = {
  rule: { kind: 'daily', time: '09:00' },
  next: ['2026-11-16T09:00:00.000Z'],
  last: null,
} as unknown as Schedule;
const run: ScheduleRun = {
  due_at: '2026-11-15T09:00:00.000Z',
  last_due_at: '2026-11-15T09:00:00.000Z',
  count: 1,
  outcome: 'queued',
  reason: 'Relay was not there at the time.',
  reason_code: 'late',
  at: '2026-11-15T09:00:00.000Z',
  message_state: null,
  approval_id: null,
};

test('the summary counts upcoming schedules and says when the next is sent', () => {
  expect(schedulesSentence([schedule], false, NOW)).toBe(
    'One message is scheduled. The next leaves in 2 h.',
  );
  expect(schedulesSentence([], false, NOW)).toBe('Nothing is scheduled.');
});

describe('the last result', () => {
  test('is the state of its message, if there is one', () => {
    expect(runDisplay({ ...run, message_state: 'delivered' }).word).toBe('Arrived');
    expect(runReason({ ...run, message_state: 'delivered' })).toBeNull();
  });

  test('is amber only while it waits for the owner', () => {
    const waiting: ScheduleRun = { ...run, outcome: 'waiting', approval_id: 'a' };
    expect(runDisplay(waiting)).toMatchObject({ word: 'Waits for you', hue: 'you' });
    expect(runDisplay({ ...waiting, approval_id: null }).hue).toBe('parked');
  });

  test('says why and how often runs were skipped', () => {
    expect(runReason({ ...run, outcome: 'skipped', count: 5 })).toBe(
      '5 times. Relay was not there at the time.',
    );
  });
});

test('cancelling first says what it stops', () => {
  expect(cancelText(schedule, 'Dana', NOW)).toMatch(
    /^The next one, .* and neither is any after it/,
  );
  const waits = { ...schedule, last: { ...run, outcome: 'waiting', approval_id: 'a' } } as Schedule;
  expect(cancelText(waits, 'Dana', NOW)).toContain('The question that waits for you is withdrawn.');
});

describe('clock changes', () => {
  const at = (iso: string) => new Date(iso).toISOString();

  test('are shown where they happen between two runs', () => {
    const next = [at('2026-10-24T07:00:00Z'), at('2026-10-25T08:00:00Z')];
    const now = Date.parse('2026-10-23T12:00:00Z');
    expect(
      withClockChanges(next, 'Europe/Berlin', { now, time: '09:00' }).map(({ note }) => note),
    ).toEqual([null, 'The clocks go back 1 hour before this; it stays 09:00 there.']);
  });

  test('are shown where they skip the exact time', () => {
    const now = Date.parse('2027-03-27T12:00:00Z');
    const [skipped] = withClockChanges([at('2027-03-28T01:00:00Z')], 'Europe/Berlin', {
      now,
      time: '02:30',
    });
    expect(skipped?.note).toBe('The clocks skip 02:30 that day, so it leaves at 03:00.');
  });
});

test('an incomplete draft gives no request, and a complete one contains only what was chosen', () => {
  const wished = {
    recurrence: 'weekly',
    at: '',
    time: '09:00',
    days: [],
    when: '',
    zone: '',
    catchUp: '',
  } as const;
  const to = { to: '+1', text: 'Hello' };
  expect(toScheduleRequest(wished, to)).toBeNull();
  expect(toScheduleRequest({ ...wished, days: ['mon'] }, to)).toEqual({
    ...to,
    rule: { kind: 'weekly', days: ['mon'], time: '09:00' },
  });
  expect(
    toScheduleRequest(
      { ...wished, recurrence: 'typed', when: ' 0 9 * * mon ', zone: 'Asia/Tokyo' },
      to,
    ),
  ).toEqual({
    ...to,
    when: '0 9 * * mon',
    zone: 'Asia/Tokyo',
  });
  expect(suggestStart(new Date(2026, 10, 16, 23, 40))).toBe('2026-11-17T01:00');
});

test('a time is shown in the given time zone', () => {
  expect(timeInZone('Asia/Tokyo', '2026-11-16T00:00:00Z', NOW)).toBe('Mon 16 Nov, 09:00');
});
