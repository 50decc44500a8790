import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quietUntil } from './evaluate.ts';

const NIGHT = { from: '22:00', to: '07:00', zone: 'Europe/Berlin' };
const until = (hours: Parameters<typeof quietUntil>[0], at: string) =>
  quietUntil(hours, 'UTC', new Date(at))?.toISOString() ?? null;

test.each([
  ['an evening', '2026-02-21T20:59:00Z', null],
  ['its first minute', '2026-02-21T21:00:00Z', '2026-02-22T06:00:00.000Z'],
  ['after midnight', '2026-02-22T00:30:42Z', '2026-02-22T06:00:00.000Z'],
  ['its last minute', '2026-02-22T05:59:59Z', '2026-02-22T06:00:00.000Z'],
  ['the minute it ends', '2026-02-22T06:00:00Z', null],
  // Summer time begins on 29 March at 01:00 UTC and ends on 25 October.
  ['a night that is an hour shorter', '2026-03-28T21:30:00Z', '2026-03-29T05:00:00.000Z'],
  ['a night that is an hour longer', '2026-10-24T20:30:00Z', '2026-10-25T06:00:00.000Z'],
])('%s', (_what, at, end) => {
  expect(until(NIGHT, at)).toBe(end);
});

test('ends within one day, in the daemon’s own zone', () => {
  const noon = { from: '12:00', to: '14:00' };
  expect(until(noon, '2026-02-21T13:00:00Z')).toBe('2026-02-21T14:00:00.000Z');
  expect(until(noon, '2026-02-21T15:00:00Z')).toBe(null);
});

test('an end that the clock skips is the moment after the gap', () => {
  const hours = { from: '22:00', to: '02:30', zone: 'Europe/Berlin' };
  expect(until(hours, '2026-03-28T22:00:00Z')).toBe('2026-03-29T01:00:00.000Z');
});

test('equal start and end mean no quiet hours', () => {
  expect(until({ from: '08:00', to: '08:00' }, '2026-02-21T08:00:00Z')).toBe(null);
});

test('is over at its end, and not a minute before', () => {
  const minutes = fc
    .nat(1439)
    .map(
      (n) => `${String(Math.floor(n / 60)).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}`,
    );
  const zone = fc.constantFrom('Europe/Berlin', 'America/St_Johns', 'Asia/Kathmandu', 'UTC');
  const at = fc.date({
    min: new Date('2026-01-01T00:00:00Z'),
    max: new Date('2027-12-31T00:00:00Z'),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(minutes, minutes, zone, at, (from, to, name, moment) => {
      const hours = { from, to, zone: name };
      const end = quietUntil(hours, 'UTC', moment);
      if (end === null) return;
      expect(end.getTime()).toBeGreaterThan(moment.getTime());
      expect(quietUntil(hours, 'UTC', end)).toBe(null);
      expect(quietUntil(hours, 'UTC', new Date(end.getTime() - 60_000))).not.toBe(null);
    }),
  );
});
