import type { LedgerLine } from '@relay/contract/api/ledger';
import type { SendingHealth } from '@relay/contract/api/status';
import { ACTION_REASONS, describeReason, LEDGER_ACTIONS } from '@relay/core/ledger/line-format';
import { FREEZES, type FreezeCause } from '@relay/core/outbox/freeze';
import { judgeSending } from '@relay/core/outbox/sending-health';
import { REASONS } from '@relay/core/policy/reasons';
import { describe, expect, test } from 'vitest';
import { activateLocale, addMessages } from '../i18n.ts';
import arabic from '../locales/ar/decisions.json';
import texts from '../locales/en/decisions.json';
import { decisionAction, decisionSentence, reasonSentence, sendingSentence } from './sentences.ts';

const line = (given: Partial<LedgerLine>) =>
  ({ read_before: null, sentence: 'From the daemon.', ...given }) as LedgerLine;

describe('decisions', () => {
  test.each(Object.keys(REASONS))(
    'the policy’s reason %s reads in English as the daemon’s',
    (code) => {
      const sentence = describeReason('send_message', code);
      expect(texts).toHaveProperty([`reason.${code}`], sentence);
      expect(reasonSentence(code, '')).toBe(sentence);
      expect(decisionSentence(line({ action: 'send_message', reason: code }))).toBe(sentence);
    },
  );

  test.each(
    Object.entries(ACTION_REASONS).flatMap(([action, reasons]) =>
      Object.keys(reasons).map((reason) => ({ action, reason })),
    ),
  )('the reason $reason of $action reads in English as the daemon’s', ({ action, reason }) => {
    const sentence = describeReason(action, reason);
    expect(texts).toHaveProperty([`reason.${action}.${reason}`], sentence);
    expect(decisionSentence(line({ action, reason }))).toBe(sentence);
  });

  test.each(Object.entries(LEDGER_ACTIONS))(
    'the action %s reads in English as the daemon’s',
    (action, what) => {
      expect(texts).toHaveProperty([`action.${action}`], what);
      expect(decisionAction({ action, what: '' })).toBe(what);
    },
  );

  test('the catalogue has no other codes', () => {
    const reasons = Object.entries(ACTION_REASONS).map(([, own]) => Object.keys(own).length);
    const codes = [Object.keys(REASONS).length, ...reasons, Object.keys(LEDGER_ACTIONS).length];
    expect(Object.keys(texts)).toHaveLength(codes.reduce((sum, n) => sum + n));
  });

  test('a code without a text is shown as the daemon describes it', () => {
    const unknown = line({ action: 'dance', reason: 'full_moon' });
    expect(decisionSentence(unknown)).toBe('From the daemon.');
    expect(decisionAction({ action: 'dance', what: 'dance' })).toBe('dance');
    expect(reasonSentence('full_moon', 'The moon is full.')).toBe('The moon is full.');
  });

  test('what the agent had read before follows the reason', () => {
    const row = { action: 'send_message', reason: 'read_then_send' };
    const read_before = { names: ['Ana', 'Ben'], more: 2, outside: true };
    expect(decisionSentence(line({ ...row, read_before }))).toBe(
      'The agent had read text of other people before it wrote this. Read before: Ana, Ben, 2 other chats and text from outside WhatsApp.',
    );
    expect(
      decisionSentence(line({ ...row, read_before: { names: [], more: 1, outside: false } })),
    ).toContain(' Read before: 1 chat.');
  });

  test('are in the language of the reader', () => {
    addMessages('ar', 'decisions', arabic as never);
    activateLocale('ar');
    expect(decisionSentence(line({ action: 'send_message', reason: 'no_grant' }))).toBe(
      arabic['reason.no_grant'],
    );
    activateLocale('en', 'en-GB');
  });
});

describe('the health of sending', () => {
  const pacing = { enabled: true, per_day: 2 };
  const figures = { unknown: 0, failed: 0, sent_today: 0 };
  const until = new Date('2026-11-15T18:00:00Z');
  const cases = [
    { freeze: null, ...figures },
    { freeze: null, ...figures, unknown: 1 },
    { freeze: null, ...figures, unknown: 3, failed: 1 },
    { freeze: null, ...figures, failed: 1 },
    { freeze: null, ...figures, failed: 2 },
    { freeze: null, ...figures, sent_today: 2 },
    ...(Object.keys(FREEZES) as FreezeCause[]).map((cause) => ({
      freeze: { cause, until, strikes: 1 },
      ...figures,
    })),
  ].map(({ freeze, ...given }) => ({ freeze, given, judged: judgeSending(freeze, given, pacing) }));

  test.each(cases)(
    'reads in English as the daemon’s: $judged.sentence',
    ({ freeze, given, judged }) => {
      const sending = {
        ...given,
        code: judged.code,
        sentence: 'From the daemon.',
        frozen_until: freeze?.until.toISOString() ?? null,
        caps: pacing,
      } as unknown as SendingHealth;
      expect(sendingSentence(sending)).toBe(judged.sentence);
      expect(sendingSentence({ ...sending, code: 'full_moon' as never })).toBe('From the daemon.');
    },
  );
});
