// Tests two years of daily rules in every zone of this machine: each local day occurs exactly once. Verified with Intl
// alone, so that the arithmetic under test does not verify itself.

import { WEEKDAYS } from '@relay/contract/schedule/names';
import type { ScheduleRule } from '@relay/contract/schedule/rule';
import { expect, test } from 'vitest';
import { occurrences } from './occurrences.ts';
import { findZone, type Zone } from './zone.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const FROM = new Date('2026-01-01T00:00:00Z');
const TO = new Date('2027-12-31T23:59:59Z');
const range = { from: FROM, to: TO };

const zones = Intl.supportedValuesOf('timeZone').map((name): Zone => {
  const zone = findZone(name);
  if (zone === null) throw new Error(`no zone ${name}`);
  return zone;
});

/** As a wall clock: 2026-03-29 03:00:00. */
function clockOf({ name }: Zone): (at: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: name,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  return (at) => format.format(at);
}

/** Every local date whose time lies within the range, by the calendar alone. */
function datesOf(first: string, last: string): string[] {
  const dates: string[] = [];
  for (let at = Date.parse(first); at <= Date.parse(last); at += DAY) {
    dates.push(new Date(at).toISOString().slice(0, 10));
  }
  return dates;
}

/** The error of an occurrence for that local time; null if there is none. */
function faultOf(clock: (at: number) => string, at: number, wanted: string): string | null {
  const shown = clock(at);
  if (shown === wanted) return null;
  const gap = clock(at - 1_000) < wanted && wanted < shown;
  return gap ? null : `${wanted} happens when the clock shows ${shown}`;
}

const shownBefore = (clock: (at: number) => string, at: number, wanted: string): boolean =>
  [HOUR / 2, HOUR, 2 * HOUR].some((back) => clock(at - back) === wanted);

test.each(['02:30', '00:00'])(
  'daily %s occurs exactly once each local day, in every zone, over two years',
  (time) => {
    let [days, gaps] = [0, 0];
    for (const zone of zones) {
      const clock = clockOf(zone);
      const found = occurrences({ kind: 'daily', time }, zone, range);
      const dates = datesOf(
        clock(found[0]?.getTime() ?? 0).slice(0, 10),
        clock(found.at(-1)?.getTime() ?? 0).slice(0, 10),
      );
      expect([zone.name, found.length]).toEqual([zone.name, dates.length]);
      expect(found.length).toBeGreaterThanOrEqual(729);
      found.forEach((at, index) => {
        const wanted = `${dates[index]} ${time}:00`;
        const fault = faultOf(clock, at.getTime(), wanted);
        if (fault !== null) throw new Error(`${zone.name}: ${fault}`);
        // Where the days on both sides have 24 hours, the clocks did not change.
        const [before, after] = [found[index - 1], found[index + 1]].map((other) =>
          Math.abs((other?.getTime() ?? 0) - at.getTime()),
        );
        if (before === DAY && after === DAY) return;
        if (shownBefore(clock, at.getTime(), wanted)) {
          throw new Error(`${zone.name}: ${wanted} was shown before`);
        }
        if (clock(at.getTime()) !== wanted) gaps++;
      });
      days += found.length;
    }
    expect(days).toBeGreaterThan(300_000);
    // Some clocks must skip this time, or the test proves nothing.
    expect(gaps).toBeGreaterThan(0);
  },
);

test('a weekly rule on all days and cron agree, in a sample of zones', () => {
  const sample = zones.filter((_, index) => index % 9 === 0);
  const year = { from: FROM, to: new Date('2026-12-31T00:00:00Z') };
  for (const zone of sample) {
    const daily = occurrences({ kind: 'daily', time: '02:30' }, zone, year);
    const same: ScheduleRule[] = [
      { kind: 'weekly', days: [...WEEKDAYS], time: '02:30' },
      { kind: 'cron', expression: '30 2 * * *' },
    ];
    for (const rule of same) expect(occurrences(rule, zone, year)).toEqual(daily);
  }
});
