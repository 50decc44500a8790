import { expect, test } from 'vitest';
import { findZone } from '../../schedule/zone.ts';
import {
  type DigestSituation,
  digestCheckAfter,
  dueDigests,
  type ExistingDigest,
  nextDigestCheck,
} from './due.ts';
import { dayContaining } from './periods.ts';

const zone = findZone('Asia/Kolkata');
if (zone === null) throw new Error('no zone');
const cut = { zone, dailyAt: '04:00' };
const from = dayContaining(new Date('2026-03-05T12:00:00Z'), cut).start;
const heard = (at: string, number: number) => ({ at: new Date(at), number });

const due = (now: string, given: Partial<DigestSituation> = {}) =>
  dueDigests({
    messages: [],
    digests: [],
    from,
    since: from,
    now: new Date(now),
    cut,
    ...given,
  }).map(
    ({ kind, start, messages, isEmpty }) =>
      `${kind} ${start.toISOString()} ${isEmpty ? 'gone' : messages}`,
  );

const MESSAGES = [
  heard('2026-03-05T04:35:00Z', 1),
  heard('2026-03-05T04:59:59Z', 2),
  heard('2026-03-05T09:00:00Z', 3),
];
const HOUR: ExistingDigest = {
  kind: 'hourly',
  start: new Date('2026-03-05T04:30:00Z'),
  end: new Date('2026-03-05T05:30:00Z'),
  messages: 2,
  lastMessageNumber: 2,
};

test('an hour is due a minute after its end, a day after its hours', () => {
  expect(due('2026-03-05T05:30:59Z', { messages: MESSAGES })).toEqual([]);
  expect(due('2026-03-05T05:31:00Z', { messages: MESSAGES })).toEqual([
    'hourly 2026-03-05T04:30:00.000Z 2',
  ]);
  expect(due('2026-03-05T22:31:00Z', { messages: MESSAGES })).toEqual([
    'hourly 2026-03-05T04:30:00.000Z 2',
    'hourly 2026-03-05T08:30:00.000Z 1',
    'daily 2026-03-04T22:30:00.000Z 3',
  ]);
});

test('a period with a digest is not due, until a message arrives late or is deleted', () => {
  const now = '2026-03-05T06:00:00Z';
  expect(due(now, { messages: MESSAGES, digests: [HOUR] })).toEqual([]);
  const late = [...MESSAGES, heard('2026-03-05T04:40:00Z', 9)];
  expect(due(now, { messages: late, digests: [HOUR] })).toEqual([
    'hourly 2026-03-05T04:30:00.000Z 3',
  ]);
  expect(due(now, { messages: MESSAGES.slice(1), digests: [HOUR] })).toEqual([
    'hourly 2026-03-05T04:30:00.000Z 1',
  ]);
});

test('deletes a digest without a source, but keeps those from before the observation restarted', () => {
  const now = '2026-03-05T06:00:00Z';
  expect(due(now, { digests: [HOUR] })).toEqual(['hourly 2026-03-05T04:30:00.000Z gone']);
  expect(due(now, { digests: [HOUR], since: new Date('2026-03-05T05:00:00Z') })).toEqual([]);
});

test('catches up after days offline, oldest first, each day after its hours', () => {
  const days = [0, 1, 2].map((n) =>
    heard(new Date(+from + n * 86_400_000 + 3_600_000).toISOString(), n),
  );
  expect(
    due('2026-03-10T00:00:00Z', { messages: days.toReversed() }).map((line) => line.slice(0, 17)),
  ).toEqual([
    'hourly 2026-03-04',
    'daily 2026-03-04T',
    'hourly 2026-03-05',
    'daily 2026-03-05T',
    'hourly 2026-03-06',
    'daily 2026-03-06T',
  ]);
});

test('the next check is a minute after the full hour in the zone', () => {
  expect(nextDigestCheck(new Date('2026-03-05T05:10:00Z'), cut)).toEqual(
    new Date('2026-03-05T05:31:00Z'),
  );
  expect(nextDigestCheck(new Date('2026-03-05T05:30:30Z'), cut)).toEqual(
    new Date('2026-03-05T05:31:00Z'),
  );
  expect(nextDigestCheck(new Date('2026-03-05T05:31:00Z'), cut)).toEqual(
    new Date('2026-03-05T06:31:00Z'),
  );
});

test('a message’s period is checked after its hour, or soon if that is over', () => {
  const now = new Date('2026-03-05T05:10:00Z');
  const after = (at: string) => digestCheckAfter(new Date(at), now, cut).toISOString();
  expect(after('2026-03-05T05:09:00Z')).toBe('2026-03-05T05:31:00.000Z');
  expect(after('2026-03-05T04:29:59Z')).toBe('2026-03-05T05:11:00.000Z');
  expect(after('1970-01-01T00:00:00Z')).toBe('2026-03-05T05:11:00.000Z');
});
