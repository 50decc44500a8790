// Properties of the limits on answers, for any requests at any time: never two answers within the pause, never more
// than the daily maximum in the group's zone, and the stated time is the earliest allowed one.

import { settingsSchema } from '@relay/contract/settings';
import { verifies } from '@relay/testing/verifies';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findZone, type Zone } from '../schedule/zone.ts';
import { type CadenceSettings, checkCadence } from './answering.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const zone = (name: string): Zone => {
  const found = findZone(name);
  if (found === null) throw new Error(name);
  return found;
};
const ZONES = [
  'Asia/Kolkata',
  'Europe/London',
  'America/New_York',
  'Pacific/Apia',
  'America/Santiago',
  'Africa/Cairo',
  'UTC',
].map(zone);
const DEFAULTS = settingsSchema.parse({}).observer;

const settings = fc.record({
  answers_per_day: fc.integer({ min: 1, max: 8 }),
  minutes_between_answers: fc.constantFrom(0, 1, 5, 30, 600),
});
/** Around clock changes on both hemispheres, and a day that Samoa skipped. */
const start = fc.constantFrom(
  Date.parse('2026-10-24T12:00:00Z'),
  Date.parse('2026-03-28T12:00:00Z'),
  Date.parse('2026-09-05T12:00:00Z'),
  Date.parse('2011-12-28T12:00:00Z'),
);

/** Asks at each of the times, and answers whenever it is allowed. */
function spoken(asked: readonly number[], given: CadenceSettings, at: Zone): Date[] {
  const answered: Date[] = [];
  for (const time of asked.toSorted((a, b) => a - b)) {
    const now = new Date(time);
    if (checkCadence({ answered, settings: given, zone: at, now }).allowed) answered.push(now);
  }
  return answered;
}

const asked = fc
  .tuple(start, fc.array(fc.integer({ min: 0, max: 4 * DAY }), { maxLength: 80 }))
  .map(([from, offsets]) => offsets.map((offset) => from + offset));

test('two answers are never closer than the pause', () => {
  verifies('004-CADENCE-5-MIN');
  expect(DEFAULTS.minutes_between_answers).toBe(5);
  const bursts = fc
    .tuple(start, fc.array(fc.integer({ min: 0, max: 60 * MINUTE }), { maxLength: 60 }))
    .map(([from, offsets]) => offsets.map((offset) => from + offset));
  fc.assert(
    fc.property(bursts, settings, fc.constantFrom(...ZONES), (times, given, at) => {
      for (const rules of [given, DEFAULTS]) {
        const answers = spoken(times, rules, at).map(Number);
        for (const [place, time] of answers.entries())
          if (place > 0)
            expect(time - (answers[place - 1] ?? 0)).toBeGreaterThanOrEqual(
              rules.minutes_between_answers * MINUTE,
            );
      }
    }),
  );
});

test('a day in the group’s zone never has more answers than configured', () => {
  verifies('004-CADENCE-DAY');
  expect(DEFAULTS.answers_per_day).toBe(5);
  fc.assert(
    fc.property(asked, settings, fc.constantFrom(...ZONES), (times, given, at) => {
      const perDay = new Map<number, number>();
      for (const answer of spoken(times, given, at)) {
        const day = Math.floor(at.localAt(answer.getTime()) / DAY);
        perDay.set(day, (perDay.get(day) ?? 0) + 1);
      }
      for (const count of perDay.values()) expect(count).toBeLessThanOrEqual(given.answers_per_day);
    }),
  );
});

test('the stated time is the earliest one allowed', () => {
  fc.assert(
    fc.property(
      asked,
      settings,
      fc.constantFrom(...ZONES),
      fc.integer({ min: 0, max: DAY }),
      (times, given, at, later) => {
        const answered = spoken(times, given, at);
        const now = new Date(Number(answered.at(-1) ?? times[0] ?? 0) + later);
        const ask = (when: number) =>
          checkCadence({ answered, settings: given, zone: at, now: new Date(when) });
        const first = ask(now.getTime());
        if (first.allowed) return;
        const again = Number(first.nextAt);
        expect(again).toBeGreaterThan(now.getTime());
        expect(ask(again).allowed).toBe(true);
        expect(ask(again - 1).allowed).toBe(false);
      },
    ),
  );
});

test('the order of earlier answers does not matter', () => {
  fc.assert(
    fc.property(asked, settings, fc.constantFrom(...ZONES), (times, given, at) => {
      const answered = spoken(times, given, at);
      const now = new Date(Math.max(...times, 0) + MINUTE);
      const ask = (list: Date[]) =>
        checkCadence({ answered: list, settings: given, zone: at, now });
      expect(ask(answered.toReversed())).toEqual(ask(answered));
    }),
  );
});
