import { pacingSchema } from '@relay/contract/settings';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import {
  firstContactTimes,
  nextFirstContactAt,
  nextSendAt,
  type PacedSend,
  typingMs,
} from './pacing.ts';

const numRuns = Number(process.env.PROPERTY_RUNS ?? 100);
vi.setConfig({ testTimeout: 20_000 + 20 * numRuns });

const DEFAULTS = pacingSchema.parse({});
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const anyPacing = fc
  .record({
    per_minute: fc.integer({ min: 1, max: 8 }),
    per_hour: fc.integer({ min: 1, max: 20 }),
    per_day: fc.integer({ min: 1, max: 40 }),
    first_contacts_per_day: fc.integer({ min: 0, max: 5 }),
  })
  .map((caps) => pacingSchema.parse(caps));

/** The time without new messages, and the recipient of the next one. */
const anyDays = fc.array(fc.record({ idleMs: fc.nat(2 * HOUR), firstContact: fc.boolean() }), {
  minLength: 1,
  maxLength: 120,
});

/** The maximum in any window of this length. */
function fullest(times: readonly number[], windowMs: number): number {
  return Math.max(
    0,
    ...times.map((from) => times.filter((at) => at >= from && at < from + windowMs).length),
  );
}

test('sending at the computed times never exceeds the cap of any window', () => {
  fc.assert(
    fc.property(anyPacing, anyDays, (pacing, days) => {
      const history: PacedSend[] = [];
      let now = 0;
      for (const { idleMs, firstContact } of days) {
        now += idleMs;
        const at = firstContact
          ? nextFirstContactAt(history, pacing, new Date(now))
          : nextSendAt(history, pacing, new Date(now));
        if (at === null) {
          expect(pacing.first_contacts_per_day).toBe(0);
          continue;
        }
        expect(at.getTime()).toBeGreaterThanOrEqual(now);
        now = at.getTime();
        history.push({ at, firstContact });
      }
      const times = history.map(({ at }) => at.getTime());
      const opened = history.filter((sending) => sending.firstContact);
      expect(fullest(times, MINUTE)).toBeLessThanOrEqual(pacing.per_minute);
      expect(fullest(times, HOUR)).toBeLessThanOrEqual(pacing.per_hour);
      expect(fullest(times, DAY)).toBeLessThanOrEqual(pacing.per_day);
      expect(
        fullest(
          opened.map(({ at }) => at.getTime()),
          DAY,
        ),
      ).toBeLessThanOrEqual(pacing.first_contacts_per_day);
    }),
    { numRuns },
  );
});

test('a message waits only while a cap is reached, and not longer', () => {
  const history = Array.from({ length: 6 }, (_, n) => ({
    at: new Date(n * 1_000),
    firstContact: false,
  }));
  expect(nextSendAt(history.slice(1), DEFAULTS, new Date(6_000))).toEqual(new Date(6_000));
  expect(nextSendAt(history, DEFAULTS, new Date(6_000))).toEqual(new Date(MINUTE));
  const off = { ...DEFAULTS, enabled: false };
  expect(nextSendAt(history, off, new Date(6_000))).toEqual(new Date(6_000));
});

test('typing takes longer for longer texts and stays within its limits', () => {
  const text = fc.string({ maxLength: 500 });
  fc.assert(
    fc.property(text, fc.double({ min: 0, max: 1, noNaN: true }), (words, random) => {
      const ms = typingMs(words, DEFAULTS, random);
      expect(ms).toBeGreaterThanOrEqual(3_000);
      expect(ms).toBeLessThanOrEqual(9_000);
      expect(typingMs(`${words} and more`, DEFAULTS, random)).toBeGreaterThanOrEqual(ms);
    }),
    { numRuns },
  );
  expect(typingMs('Hello', { ...DEFAULTS, enabled: false }, 0.5)).toBe(0);
});

test('waiting first contacts are sent one after the other, up to the daily limit', () => {
  const pacing = pacingSchema.parse({ first_contacts_per_day: 2, per_minute: 60 });
  const now = new Date('2026-11-17T12:00:00Z');
  const before = { at: new Date(now.getTime() - HOUR), firstContact: true };
  const times = firstContactTimes([before], pacing, now, 4);
  expect(times.map((at) => (at.getTime() - now.getTime()) / HOUR)).toEqual([0, 23, 24, 47]);
  const none = pacingSchema.parse({ first_contacts_per_day: 0 });
  expect(firstContactTimes([], none, now, 2)).toEqual([]);
});
