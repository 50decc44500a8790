import { describe, expect, test } from 'vitest';
import { type RiskFacts, sendRisks } from './risks.ts';

const NOW = new Date('2026-06-10T12:00:00Z');
const daysBefore = (days: number) => new Date(NOW.getTime() - days * 86_400_000);

const COLD: RiskFacts = {
  direct: true,
  written: false,
  heard: false,
  registration: 'registered',
  timeLocked: false,
  sentToday: 0,
  coldToday: 0,
  linkedAt: daysBefore(60),
};

const codesOf = (facts: Partial<RiskFacts>) =>
  sendRisks({ ...COLD, ...facts }, NOW).map(({ code }) => code);

test('names no risk for a person who has written before, whatever else is true', () => {
  const worst = {
    timeLocked: true,
    registration: 'unknown',
    sentToday: 10,
    coldToday: 10,
    linkedAt: NOW,
  } as const;
  expect(codesOf({ ...worst, heard: true, written: true })).toEqual([]);
});

test('names no risk in a group or in the owner’s chat', () => {
  expect(codesOf({ direct: false })).toEqual([]);
});

describe('for a person who has never written', () => {
  test('names the first contact, or that no message came back', () => {
    expect(codesOf({})).toEqual(['first_contact']);
    expect(codesOf({ written: true })).toEqual(['no_message_from_them']);
  });

  test('names a number that is not registered, or not known to be', () => {
    expect(codesOf({ registration: 'unregistered' })).toEqual(['not_registered', 'first_contact']);
    expect(codesOf({ registration: 'unknown' })).toEqual(['first_contact', 'registration_unknown']);
  });

  test('names a time lock only where it applies: before the first message', () => {
    expect(codesOf({ timeLocked: true })).toEqual(['time_locked', 'first_contact']);
    expect(codesOf({ timeLocked: true, written: true })).toEqual(['no_message_from_them']);
  });

  test.each([
    [2, 2, false],
    [3, 3, true],
    [3, 10, true],
    [3, 11, false],
    [30, 100, true],
  ])(
    'with %i cold messages of %i in the last 24 hours: names the share %s',
    (cold, sent, named) => {
      const facts = { coldToday: cold, sentToday: sent };
      expect(codesOf(facts).includes('many_cold_messages')).toBe(named);
    },
  );

  test('states the figures of the share', () => {
    const [, share] = sendRisks({ ...COLD, coldToday: 4, sentToday: 9 }, NOW);
    expect(share).toEqual({
      code: 'many_cold_messages',
      sentence:
        '4 of 9 messages in the last 24 hours went to people who have never written to you.',
      values: { cold: 4, sent: 9 },
    });
  });

  test.each([
    [0, 'today'],
    [1, 'yesterday'],
    [6, '6 days ago'],
  ])('names a link that is %i days old', (days, words) => {
    const risks = sendRisks({ ...COLD, linkedAt: daysBefore(days) }, NOW);
    expect(risks.at(-1)).toMatchObject({ code: 'new_link', values: { days } });
    expect(risks.at(-1)?.sentence).toContain(`linked ${words}.`);
  });

  test('does not name a link that is a week old, or of unknown age', () => {
    expect(codesOf({ linkedAt: daysBefore(7) })).toEqual(['first_contact']);
    expect(codesOf({ linkedAt: null })).toEqual(['first_contact']);
  });
});
