import type { ScheduleRule } from '@relay/contract/schedule/rule';
import { describe, expect, test } from 'vitest';
import { checkRule, nextOccurrences, occurrences } from './occurrences.ts';
import { findZone, type Zone } from './zone.ts';

const named = (name: string): Zone => findZone(name) ?? expect.fail(name);
const iso = (dates: readonly Date[]) => dates.map((date) => date.toISOString().slice(0, 16));
const next = (rule: ScheduleRule, zone: string, after: string, most = 3) =>
  iso(nextOccurrences(rule, named(zone), new Date(after), most));
const at230: ScheduleRule = { kind: 'daily', time: '02:30' };

describe('clock changes', () => {
  test('a time that is skipped that day occurs at the first moment after the gap', () => {
    expect(next(at230, 'Europe/Berlin', '2026-03-27T12:00Z')).toEqual([
      '2026-03-28T01:30',
      '2026-03-29T01:00',
      '2026-03-30T00:30',
    ]);
  });

  test('a skipped time also occurs if asked for at that very moment', () => {
    const gap = new Date('2026-03-29T01:00Z');
    expect(iso(occurrences(at230, named('Europe/Berlin'), { from: gap, to: gap }))).toEqual([
      '2026-03-29T01:00',
    ]);
    expect(next(at230, 'Europe/Berlin', '2026-03-29T00:59:59.999Z', 1)).toEqual([
      '2026-03-29T01:00',
    ]);
    expect(next(at230, 'Europe/Berlin', '2026-03-29T01:00Z', 1)).toEqual(['2026-03-30T00:30']);
  });

  test('a time that comes twice occurs the first time only', () => {
    expect(next(at230, 'Europe/Berlin', '2026-10-24T12:00Z', 2)).toEqual([
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ]);
    expect(next(at230, 'Europe/Berlin', '2026-10-25T01:00Z', 1)).toEqual(['2026-10-26T01:30']);
  });

  test('clock changes at midnight and by half an hour are handled too', () => {
    const midnight: ScheduleRule = { kind: 'daily', time: '00:00' };
    expect(next(midnight, 'Africa/Cairo', '2026-04-23T12:00Z', 2)).toEqual([
      '2026-04-23T22:00',
      '2026-04-24T21:00',
    ]);
    expect(
      next({ kind: 'daily', time: '02:15' }, 'Australia/Lord_Howe', '2026-10-03T12:00Z', 2),
    ).toEqual(['2026-10-03T15:30', '2026-10-04T15:15']);
  });

  test('a day that a zone skipped has no occurrence', () => {
    expect(next({ kind: 'daily', time: '09:00' }, 'Pacific/Apia', '2011-12-29T12:00Z', 2)).toEqual([
      '2011-12-29T19:00',
      '2011-12-30T19:00',
    ]);
  });

  test('a rule with many times a day occurs once for each time the clock shows', () => {
    const often: ScheduleRule = { kind: 'cron', expression: '*/30 * * * *' };
    expect(next(often, 'Europe/Berlin', '2026-03-29T00:20Z')).toEqual([
      '2026-03-29T00:30',
      '2026-03-29T01:00',
      '2026-03-29T01:30',
    ]);
    expect(next(often, 'Europe/Berlin', '2026-10-25T00:20Z')).toEqual([
      '2026-10-25T00:30',
      '2026-10-25T02:00',
      '2026-10-25T02:30',
    ]);
  });

  test('a one-time rule at a skipped time occurs after the gap', () => {
    expect(
      next({ kind: 'once', at: '2026-03-29T02:30' }, 'Europe/Berlin', '2026-01-01T00:00Z'),
    ).toEqual(['2026-03-29T01:00']);
  });
});

describe('an invalid rule is refused with a sentence', () => {
  const now = new Date('2026-11-15T10:00:00Z');
  test.each([
    [{ kind: 'daily', time: '9:00' }, 'Give the time as HH:MM, from 00:00 to 23:59.'],
    [{ kind: 'daily', time: '24:00' }, 'Give the time as HH:MM, from 00:00 to 23:59.'],
    [{ kind: 'weekly', days: [], time: '09:00' }, 'Give at least one day of the week.'],
    [{ kind: 'once', at: '2026-02-31T09:00' }, 'This day does not exist.'],
    [{ kind: 'cron', expression: '0 9 * *' }, 'it needs 5 fields'],
    [{ kind: 'cron', expression: '0 0 9 * * *' }, 'it needs 5 fields'],
    [{ kind: 'cron', expression: '? 9 * * *' }, 'cannot contain "?"'],
    [{ kind: 'yearly' }, 'Invalid'],
    [null, 'Invalid'],
  ])('refuses %j', (rule, what) => {
    expect(checkRule(rule, 'Europe/Berlin', now)).toEqual({
      ok: false,
      sentence: expect.stringContaining(what),
    });
  });

  test.each(['Mars/Olympus', '', '+05:30', '../etc'])('refuses the zone "%s"', (zone) => {
    expect(checkRule({ kind: 'daily', time: '09:00' }, zone, now)).toMatchObject({
      sentence: expect.stringContaining('is not a time zone'),
    });
  });

  test('a zone keeps its given name, in the correct spelling', () => {
    expect([named('europe/berlin').name, named('Asia/Kolkata').name]).toEqual([
      'Europe/Berlin',
      'Asia/Kolkata',
    ]);
  });
});
