import { CATCH_UPS } from '@relay/contract/api/constants';
import { WEEKDAYS } from '@relay/contract/schedule/names';
import type { ScheduleRule } from '@relay/contract/schedule/rule';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextOccurrence, nextOccurrences, occurrences, planDueRun } from './occurrences.ts';
import { findZone, type Zone } from './zone.ts';

const two = (value: number) => String(value).padStart(2, '0');
const anyTime = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map(([hour, minute]) => `${two(hour)}:${two(minute)}`);
const anyCron = fc
  .tuple(
    fc.constantFrom('0', '*/15', '30', '5,35'),
    fc.constantFrom('*', '2', '*/6', '0-3'),
    fc.constantFrom('*', '1', 'L', '*/10'),
    fc.constantFrom('*', 'mon-fri', '0'),
  )
  .map(([minute, hour, day, weekday]) => `${minute} ${hour} ${day} * ${weekday}`);
const anyRule: fc.Arbitrary<ScheduleRule> = fc.oneof(
  anyTime.map((time): ScheduleRule => ({ kind: 'daily', time })),
  fc
    .tuple(fc.subarray([...WEEKDAYS], { minLength: 1 }), anyTime)
    .map(([days, time]): ScheduleRule => ({ kind: 'weekly', days, time })),
  anyCron.map((expression): ScheduleRule => ({ kind: 'cron', expression })),
);
/** Zones with unusual clock changes: at midnight, by half an hour, backwards in winter, over the date line. */
const anyZone = fc
  .constantFrom(
    'Europe/Berlin',
    'Australia/Lord_Howe',
    'Africa/Cairo',
    'America/Havana',
    'Europe/Dublin',
    'Africa/Casablanca',
    'Pacific/Apia',
    'Asia/Kathmandu',
    'UTC',
  )
  .map((name): Zone => {
    const zone = findZone(name);
    if (zone === null) throw new Error(name);
    return zone;
  });
/** Also 2011, when Samoa skipped a day. */
const anyMoment = fc.date({
  min: new Date('2011-12-01T00:00:00Z'),
  max: new Date('2028-01-01T00:00:00Z'),
  noInvalidDate: true,
});

test('the next occurrence is always later, and following them misses and repeats none', () => {
  fc.assert(
    fc.property(anyRule, anyZone, anyMoment, (rule, zone, after) => {
      const followed: Date[] = [];
      for (let at = after; followed.length < 40; ) {
        const next = nextOccurrence(rule, zone, at);
        if (next === null) throw new Error('it ended');
        expect(next.getTime()).toBeGreaterThan(at.getTime());
        followed.push(next);
        at = next;
      }
      expect(nextOccurrences(rule, zone, after, 40)).toEqual(followed);
    }),
    { numRuns: 100 },
  );
});

test('two adjacent ranges contain what the whole contains', () => {
  fc.assert(
    fc.property(anyRule, anyZone, anyMoment, fc.nat(40 * 86_400_000), (rule, zone, from, ms) => {
      const cut = new Date(from.getTime() + ms);
      const to = new Date(from.getTime() + 40 * 86_400_000);
      const parts = [
        ...occurrences(rule, zone, { from, to: new Date(cut.getTime() - 1) }),
        ...occurrences(rule, zone, { from: cut, to }),
      ];
      expect(parts).toEqual(occurrences(rule, zone, { from, to }));
    }),
    { numRuns: 100 },
  );
});

test('a local time and its instant agree whenever the clocks show it', () => {
  fc.assert(
    fc.property(anyZone, anyMoment, (zone, at) => {
      const local = zone.localAt(at.getTime());
      const first = zone.instantOf(local);
      expect(zone.localAt(first)).toBe(local);
      expect(first).toBeLessThanOrEqual(at.getTime());
    }),
    { numRuns: 2_000 },
  );
});

test('each occurrence runs or is skipped, once and in order, however rare the checks are', () => {
  const looks = fc.array(fc.integer({ min: 1, max: 20 * 1_440 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(
      anyRule,
      anyZone,
      anyMoment,
      fc.constantFrom(...CATCH_UPS),
      looks,
      (rule, zone, from, catchUp, minutes) => {
        let [now, next] = [from.getTime(), nextOccurrence(rule, zone, from)];
        const happened: number[] = [];
        let decided = 0;
        for (const minute of minutes) {
          now += minute * 60_000;
          while (next !== null && next.getTime() <= now) {
            const plan = planDueRun({ rule, zone, catchUp, nextAt: next, now: new Date(now) });
            decided += (plan.skippedRuns?.count ?? 0) + (plan.runAt === null ? 0 : 1);
            if (plan.runAt !== null) happened.push(plan.runAt.getTime());
            expect(plan.next?.getTime()).toBeGreaterThan(next.getTime());
            next = plan.next;
          }
        }
        const all = occurrences(rule, zone, {
          from: new Date(from.getTime() + 1),
          to: new Date(now),
        });
        expect(decided).toBe(all.length);
        expect(happened).toEqual([...new Set(happened)].sort((a, b) => a - b));
        if (catchUp === 'once' && all.length > 0)
          expect(happened.at(-1)).toBe(all.at(-1)?.getTime());
      },
    ),
    { numRuns: 60 },
  );
});
