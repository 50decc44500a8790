import { expect, test } from 'vitest';
import { sampleEvenly, scoreOf } from './score.ts';
import {
  caseTriggerQuestion,
  passesPhaseOne,
  type TriggerCase,
  triggerReport,
} from './trigger-set.ts';

const given = (change: Partial<TriggerCase> = {}): TriggerCase => ({
  id: 'T1',
  text: 'Annie, when?',
  context: [{ sender: 'other', senderName: 'Mum', text: 'At eight?' }],
  sender: 'owner',
  expect: 'direct_request',
  respond: true,
  hard: false,
  ...change,
});

test('presents a case like a message of an observed group', () => {
  const quoted = { sender: 'assistant' as const, text: 'At 8.' };
  const asked = given({ text: 'sure?', quoted, mentions: [], forwarded: false });
  const { message, before } = caseTriggerQuestion(asked);
  expect(message).toMatchObject({ fromOwner: true, text: 'sure?', quotedId: 'quoted' });
  expect(before).toMatchObject([{ senderName: 'Mum', fromOwner: false, text: 'At eight?' }]);
  expect(passesPhaseOne(asked)).toBe(true);
  expect(passesPhaseOne(given({ text: 'sure?' }))).toBe(false);
  expect(passesPhaseOne(given({ sender: 'other' }))).toBe(false);
  expect(passesPhaseOne(given({ forwarded: true }))).toBe(false);
  expect(passesPhaseOne(given({ assistantName: 'Nova' }))).toBe(false);
});

test('counts correct and wrong answers by phase', () => {
  const report = triggerReport([
    { given: given(), label: 'direct_request' },
    { given: given({ hard: true }), label: null },
    { given: given(), label: 'mention_only' },
    { given: given({ expect: 'mention_only', respond: false }), label: 'direct_request' },
    { given: given({ expect: 'no_mention', respond: false }) },
    { given: given({ sender: 'other', respond: false }) },
  ]);
  expect(report).toMatchObject({
    cases: 6,
    asked: 4,
    unread: 1,
    answered_others: 0,
    phase_one: { right: 3, wrong: 1, missed: 0, precision: 0.75, recall: 1 },
    both_phases: { right: 1, wrong: 1, missed: 2, precision: 0.5 },
    hard: { cases: 1, both_phases: { right: 0, missed: 1, precision: null, recall: 0 } },
  });
  expect(report.label_accuracy).toBeCloseTo(1 / 3);
  expect(report.confusion.direct_request).toEqual({
    direct_request: 1,
    mention_only: 1,
    false_positive: 0,
    no_mention: 0,
  });
  expect(report.confusion.no_mention.no_mention).toBe(1);
});

test('an empty set has no score', () => {
  expect(scoreOf([])).toMatchObject({ precision: null, recall: null });
});

test('samples a set evenly', () => {
  const all = Array.from({ length: 100 }, (_, place) => place);
  const ten = sampleEvenly(all, 10);
  expect(ten).toHaveLength(10);
  expect(ten[0]).toBe(0);
  expect(ten.at(-1)).toBe(90);
  expect(sampleEvenly(all, undefined)).toEqual(all);
  expect(sampleEvenly(all, 1_000)).toEqual(all);
  expect(sampleEvenly(all, 7)).toHaveLength(7);
});
