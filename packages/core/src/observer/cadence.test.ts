import { verifies } from '@relay/testing/verifies';
import { expect, test } from 'vitest';
import { findZone } from '../schedule/zone.ts';
import { checkCadence, type GroupAnswerHistory } from './answering.ts';

const zone = findZone('Europe/London');
if (zone === null) throw new Error('no zone');
const at = (time: string) => new Date(time);
const ask = (given: Partial<GroupAnswerHistory>) =>
  checkCadence({
    answered: [],
    settings: { answers_per_day: 5, minutes_between_answers: 5 },
    zone,
    now: at('2026-03-04T12:00:00Z'),
    ...given,
  });

test('allows an answer in a group without earlier answers', () => {
  expect(ask({})).toEqual({ allowed: true });
});

test('allows the first of several requests in a row, and gives the reason for refusing the others', () => {
  verifies('004-ANTI-OVER-RESPOND');
  const answered = [at('2026-03-04T12:00:00Z')];
  for (const seconds of [0, 20, 60, 180, 299])
    expect(ask({ answered, now: new Date(Number(answered[0]) + seconds * 1_000) })).toEqual({
      allowed: false,
      limit: 'pause',
      nextAt: at('2026-03-04T12:05:00Z'),
      sentence: 'This group was answered less than 5 minutes ago.',
    });
  expect(ask({ answered, now: at('2026-03-04T12:05:00Z') }).allowed).toBe(true);
});

test('refuses until midnight in the group’s zone after five answers', () => {
  const answered = [9, 10, 11, 13, 14].map((hour) =>
    at(`2026-06-04T${String(hour).padStart(2, '0')}:00:00Z`),
  );
  expect(ask({ answered, now: at('2026-06-04T22:59:59Z') })).toEqual({
    allowed: false,
    limit: 'day',
    nextAt: at('2026-06-04T23:00:00Z'),
    sentence: 'This group has reached its limit of 5 answers per day.',
  });
  expect(ask({ answered, now: at('2026-06-04T23:00:00Z') }).allowed).toBe(true);
});

test('a limit of zero never allows an answer, and the reason names the setting', () => {
  expect(ask({ settings: { answers_per_day: 0, minutes_between_answers: 5 } })).toEqual({
    allowed: false,
    limit: 'off',
    nextAt: null,
    sentence: 'Answers in groups are turned off: observer.answers_per_day is 0.',
  });
});

test('an answer with a later time, after a clock was set back, still counts', () => {
  expect(ask({ answered: [at('2026-03-04T12:03:00Z')] }).allowed).toBe(false);
});
