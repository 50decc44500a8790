import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findZone, type Zone } from '../schedule/zone.ts';
import { findTime, parseDays } from './times.ts';

const zone = (name: string): Zone => {
  const found = findZone(name);
  if (found === null) throw new Error(name);
  return found;
};
const UTC = zone('UTC');
/** A Wednesday. */
const NOW = new Date('2026-10-14T12:00:00Z');
const days = (text: string, at = NOW, where = UTC) => {
  const { time } = findTime(text, at, where);
  return time === null ? null : [time.from.toISOString(), time.to.toISOString(), time.certain];
};
const span = (from: string, to: string, certain = true) => [
  `${from}T00:00:00.000Z`,
  `${to}T00:00:00.000Z`,
  certain,
];

describe('a time in a query', () => {
  test.each([
    ['what did he say today', '2026-10-14', '2026-10-15'],
    ['yesterday', '2026-10-13', '2026-10-14'],
    ['the day before yesterday', '2026-10-12', '2026-10-13'],
    ['what they said last night', '2026-10-13', '2026-10-15'],
    ['this week', '2026-10-12', '2026-10-19'],
    ["last week's progress", '2026-10-05', '2026-10-12'],
    ['last month', '2026-09-01', '2026-10-01'],
    ['this month', '2026-10-01', '2026-11-01'],
    ['last year', '2025-01-01', '2026-01-01'],
    ['last weekend', '2026-10-10', '2026-10-12'],
    ['last friday', '2026-10-09', '2026-10-10'],
    ['last Wednesday', '2026-10-07', '2026-10-08'],
    ['since friday', '2026-10-09', '2026-10-15'],
    ['since yesterday', '2026-10-13', '2026-10-15'],
    ['since 2026-10-01', '2026-10-01', '2026-10-15'],
    ['on 2026-03-01', '2026-03-01', '2026-03-02'],
    ['in the last 3 days', '2026-10-11', '2026-10-15'],
    ['3 days ago', '2026-10-11', '2026-10-12'],
    ['qué pasó ayer', '2026-10-13', '2026-10-14'],
    ['el domingo pasado', '2026-10-11', '2026-10-12'],
    ['a semana passada', '2026-10-05', '2026-10-12'],
    ['letzte Woche', '2026-10-05', '2026-10-12'],
    ['رسالة اليوم', '2026-10-14', '2026-10-15'],
    ['कल क्या हुआ', '2026-10-13', '2026-10-14'],
    ['昨天 说了什么', '2026-10-13', '2026-10-14'],
  ])('%s', (text, from, to) => {
    expect(days(text)).toEqual(span(from, to));
  });

  test.each([
    ['flight to Oslo in March', '2026-03-01', '2026-04-01'],
    ['the concert in December', '2025-12-01', '2026-01-01'],
    ['in January 2024', '2024-01-01', '2024-02-01'],
    ['dinner on Friday', '2026-10-09', '2026-10-10'],
    ['homework for this Friday', '2026-10-12', '2026-10-19'],
  ])('%s may be about or from that time: its words stay', (text, from, to) => {
    expect(days(text)).toEqual(span(from, to, false));
    expect(findTime(text, NOW, UTC).rest).toBe(text);
  });

  test.each(['todayish news', 'lastweek', 'the monday club is marching', 'may I come in'])(
    '%s contains none',
    (text) => {
      expect(days(text)).toBeNull();
    },
  );

  test('is removed from the query', () => {
    expect(findTime('What did mum write yesterday about the doctor?', NOW, UTC).rest).toMatch(
      /^what did mum write\s+about the doctor\?$/,
    );
  });

  test('follows the clocks of the zone', () => {
    const late = new Date('2026-10-14T22:30:00Z');
    expect(days('yesterday', late, zone('Asia/Kolkata'))).toEqual([
      '2026-10-13T18:30:00.000Z',
      '2026-10-14T18:30:00.000Z',
      true,
    ]);
  });

  test('is a day of 23 hours when the clocks go forward', () => {
    const after = new Date('2026-03-30T10:00:00Z');
    expect(days('yesterday', after, zone('Europe/Berlin'))).toEqual([
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
      true,
    ]);
  });

  test('is never empty, whatever the query', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('today', 'last week', 'since friday', 'in may', 'last weekend'),
        fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }),
        (text, now) => {
          const { time } = findTime(text, now, UTC);
          expect(time !== null && time.from < time.to).toBe(true);
          expect(time !== null && time.from <= now).toBe(true);
        },
      ),
    );
  });
});

describe('days given on their own', () => {
  test.each([
    ['2026-03-01', '2026-03-01', '2026-03-02'],
    ['yesterday', '2026-10-13', '2026-10-14'],
    ['friday', '2026-10-09', '2026-10-10'],
    ['last week', '2026-10-05', '2026-10-12'],
    ['march', '2026-03-01', '2026-04-01'],
  ])('%s', (text, from, to) => {
    const found = parseDays(text, NOW, UTC);
    expect([found?.from, found?.to]).toEqual([new Date(from), new Date(to)]);
  });

  test('an instant is itself', () => {
    const at = new Date('2026-03-01T10:00:00Z');
    expect(parseDays('2026-03-01T10:00:00Z', NOW, UTC)).toEqual({ from: at, to: at });
  });

  test.each(['soon', 'dinner yesterday', '2026-13-45T99:00', ''])('%s is not a day', (text) => {
    expect(parseDays(text, NOW, UTC)).toBeNull();
  });
});
