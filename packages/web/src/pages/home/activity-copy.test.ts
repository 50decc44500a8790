import type { Activity, ActivityBucket } from '@relay/contract/api/activity';
import { expect, test } from 'vitest';
import { readHomeSearch } from '../../search-params.ts';
import {
  answersChart,
  bucketLabel,
  formatAnswerTime,
  formatCompact,
  tickLabel,
  tokensChart,
  trafficChart,
  turnsChart,
} from './copy.ts';

const QUIET = {
  received: 0,
  sent: 0,
  answers: 0,
  answer_ms: null,
  slow_answer_ms: null,
  tokens: { conversations: 0, auto_reply: 0, assistant: 0, groups: 0, other: 0 },
};
const AT = '2026-11-12T14:00:00';
const activityOf = (
  total: Partial<Activity['total']>,
  last: Partial<ActivityBucket> = {},
): Activity => ({
  hours: 24,
  unit: 'hour',
  zone: 'UTC',
  until: AT,
  buckets: [{ at: AT, ...QUIET, turns: { you: 0, agent: 0, them: 0, parked: 0 }, ...last }],
  total: { ...QUIET, ...total },
  today: {
    since: AT,
    received: 0,
    sent: 0,
    answers: 0,
    tokens: 0,
    tokens_per_day: 1,
    completed: 0,
  },
});

test('durations have two units, because a median is read closely', () => {
  expect([400, 4_000, 125_000, 3_600_000, 4_320_000].map(formatAnswerTime)).toEqual([
    '400 ms',
    '4 s',
    '2 min 5 s',
    '1 h',
    '1 h 12 min',
  ]);
});

test('a bucket is named by its hour or day', () => {
  expect([tickLabel(AT, 'hour'), bucketLabel(AT, 'hour')]).toEqual(['14', '14:00']);
  expect([tickLabel(AT, 'day'), bucketLabel(AT, 'day')]).toEqual(['12 Nov', 'Thu 12 Nov']);
});

test('each chart has a summary', () => {
  const received = activityOf({ received: 216, sent: 74 }, { received: 216 });
  expect(trafficChart(received).summary).toBe(
    '216 messages received and 74 sent in the last 24 hours. Busiest hour: 14:00.',
  );
  expect(trafficChart(activityOf({ sent: 2 })).summary).toBe(
    'No messages received and 2 sent in the last 24 hours.',
  );
  expect(
    answersChart(activityOf({ answers: 31, answer_ms: 6_000, slow_answer_ms: 95_000 })).summary,
  ).toBe(
    '31 answers in the last 24 hours. Median response time: 6 s. 5% took longer than 1 min 35 s.',
  );
  const tokens = { ...QUIET.tokens, conversations: 3_000, assistant: 1_000 };
  expect(tokensChart(activityOf({ tokens })).summary).toBe(
    '4,000 model tokens used in the last 24 hours. Largest share: Conversations, 75%.',
  );
  expect(tokensChart(activityOf({ tokens })).series.map(({ label }) => label)).toEqual([
    'Conversations',
    'Assistant',
  ]);
  const turns = { you: 1, agent: 0, them: 3, parked: 0 };
  expect(turnsChart(activityOf({}, { turns })).summary).toBe(
    '4 open conversations: 1 waiting for you, 0 for the agent, 3 for the contact, 0 paused or queued.',
  );
});

test('charts without data say so', () => {
  const quiet = activityOf({});
  const all = [trafficChart, answersChart, tokensChart, turnsChart].map((charted) =>
    charted(quiet),
  );
  expect(all.map(({ isEmpty }) => isEmpty)).toEqual([true, true, true, true]);
  expect(all.map(({ summary }) => summary)).toEqual([
    'No messages in the last 24 hours.',
    'No answers from agents in the last 24 hours.',
    'No model tokens used in the last 24 hours.',
    'No open conversations in the last 24 hours.',
  ]);
});

test('an unknown address parameter shows one day', () => {
  expect(readHomeSearch({ hours: '168' })).toEqual({ hours: 168 });
  expect(readHomeSearch({ hours: 24 })).toEqual({});
  expect(readHomeSearch({ hours: 'x' })).toEqual({});
});

test('a large number is abbreviated, with at most one decimal', () => {
  const shown = [0, 950, 1_000, 12_340, 999_949, 2_000_000].map(formatCompact);
  expect(shown.map((text) => text.toLowerCase())).toEqual([
    '0',
    '950',
    '1k',
    '12.3k',
    '999.9k',
    '2m',
  ]);
});
