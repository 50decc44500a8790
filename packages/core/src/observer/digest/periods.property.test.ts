import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findZone } from '../../schedule/zone.ts';
import {
  type DayBoundary,
  dayBefore,
  dayByName,
  dayContaining,
  formatZoneClock,
  hourContaining,
} from './periods.ts';

/** Zones whose clocks change by an hour, by half an hour, at midnight, near 4:00, or not at all. */
const ZONES = [
  'Asia/Kolkata',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/Sao_Paulo',
  'Africa/Cairo',
  'Asia/Kathmandu',
  'Pacific/Apia',
  'Pacific/Chatham',
  'America/St_Johns',
  'Europe/London',
  'UTC',
];
const cuts = fc.record({
  zone: fc.constantFrom(...ZONES),
  dailyAt: fc.constantFrom('04:00', '04:30', '00:00', '02:30', '23:59'),
});
const moments = fc.integer({ min: Date.UTC(2010, 0, 1), max: Date.UTC(2035, 0, 1) });

function cutOf({ zone, dailyAt }: { zone: string; dailyAt: string }): DayBoundary {
  const found = findZone(zone);
  if (found === null) throw new Error(zone);
  return { zone: found, dailyAt };
}

test('every moment belongs to one day and to one hour of it', () => {
  fc.assert(
    fc.property(cuts, moments, (of, moment) => {
      const cut = cutOf(of);
      const at = new Date(moment);
      const [day, hour] = [dayContaining(at, cut), hourContaining(at, cut)];
      expect(+day.start).toBeLessThanOrEqual(moment);
      expect(+day.end).toBeGreaterThan(moment);
      expect(+hour.start).toBeLessThanOrEqual(moment);
      expect(+hour.end).toBeGreaterThan(moment);
      expect(+hour.start).toBeGreaterThanOrEqual(+day.start);
      expect(+hour.end).toBeLessThanOrEqual(+day.end);
      expect(+hour.end - +hour.start).toBeLessThanOrEqual(3_600_000);
    }),
    { numRuns: 2_000 },
  );
});

test('periods neither overlap nor leave gaps: each begins where the one before ends', () => {
  fc.assert(
    fc.property(cuts, moments, (of, moment) => {
      const cut = cutOf(of);
      let hour = hourContaining(new Date(moment), cut);
      // Three days on, across whatever the clocks do.
      for (let n = 0; n < 75; n++) {
        const next = hourContaining(hour.end, cut);
        expect(next.start).toEqual(hour.end);
        expect(hourContaining(new Date(+hour.end - 1), cut)).toEqual(hour);
        hour = next;
      }
      const day = dayContaining(new Date(moment), cut);
      expect(dayContaining(day.end, cut).start).toEqual(day.end);
      expect(dayBefore(dayContaining(day.end, cut), cut)).toEqual(day);
      expect(dayByName(day.name, cut)).toEqual(day);
    }),
    { numRuns: 300 },
  );
});

test.each([
  ['Europe/Berlin', '2026-03-29T12:00:00Z', 24, '04:00'],
  ['Europe/Berlin', '2026-03-28T12:00:00Z', 23, '04:00'],
  ['Europe/Berlin', '2026-10-24T12:00:00Z', 25, '04:00'],
  ['Australia/Lord_Howe', '2026-04-04T00:00:00Z', 24.5, '04:00'],
  ['Asia/Kolkata', '2026-03-29T12:00:00Z', 24, '04:00'],
])(
  'a day in %s that begins before %s has %d hours and ends at %s by the clock',
  (name, at, hours, clock) => {
    const cut = cutOf({ zone: name, dailyAt: '04:00' });
    const day = dayContaining(new Date(at), cut);
    expect((+day.end - +day.start) / 3_600_000).toBe(hours);
    expect(formatZoneClock(day.end, cut.zone)).toBe(clock);
  },
);

test('a date that a zone skipped is not a day', () => {
  expect(dayByName('2011-12-30', cutOf({ zone: 'Pacific/Apia', dailyAt: '00:00' }))).toBeNull();
  expect(dayByName('2026-02-30', cutOf({ zone: 'UTC', dailyAt: '04:00' }))).toBeNull();
});
