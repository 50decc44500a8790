import { autoReplySchema } from '@relay/contract/settings';
import { verifies } from '@relay/testing/verifies';
import { describe, expect, test } from 'vitest';
import { type AutoReplySituation, evaluateAutoReply } from './evaluate.ts';
import { type Cooldown, cooldownNotice, isFirstCooldown, nextCooldown } from './loop-guard.ts';

const SETTINGS = autoReplySchema.parse({ answers_per_hour: 3, answers_per_day: 5 });
const COMPOSING = { ...SETTINGS, compose_for_read_only: true };
const HOUR = 3_600_000;
const NOW = new Date('2026-02-21T12:00:00Z');
const ago = (hours: number) => new Date(NOW.getTime() - hours * HOUR);
const GRANT = { canRead: true, canReply: true, replyMode: 'auto', canInitiate: false } as const;
const RESTING: Cooldown = { until: ago(-1), cause: 'similar', count: 1 };

const verdict = (over: Partial<AutoReplySituation> = {}, settings = SETTINGS) =>
  evaluateAutoReply(
    {
      now: NOW,
      grant: GRANT,
      conversation: false,
      ownerWrote: false,
      writtenAt: ago(0.01),
      suggests: false,
      quietHours: null,
      zone: 'UTC',
      cooldown: null,
      lines: [],
      answers: [],
      ...over,
    },
    settings,
  );

test('composes for a contact who may only be read exactly if the owner wants suggestions', () => {
  verifies('WRITE-SUGGEST');
  const grant = { ...GRANT, canReply: false };
  expect(verdict({ grant })).toEqual({ to: 'skip', reason: 'read_only' });
  expect(verdict({ grant, suggests: true })).toEqual({ to: 'answer', late: false });
});

test('answers a message of a contact with a grant to read', () => {
  expect(verdict()).toEqual({ to: 'answer', late: false });
});

test.each([
  ['without a grant', { grant: null }, 'grant_gone'],
  ['no longer readable', { grant: { ...GRANT, canRead: false } }, 'grant_gone'],
  ['with a conversation open', { conversation: true }, 'conversation'],
  ['answered by the owner', { ownerWrote: true }, 'owner_wrote'],
] as const)('%s it is skipped', (_what, over, reason) => {
  expect(verdict(over)).toEqual({ to: 'skip', reason });
});

test('composes no answer for a contact who may only be read, unless the settings say so', () => {
  const grant = { ...GRANT, canReply: false };
  expect(verdict({ grant })).toEqual({ to: 'skip', reason: 'read_only' });
  expect(verdict({ grant }, COMPOSING)).toEqual({ to: 'answer', late: false });
});

describe('late messages', () => {
  test('a message is late from the configured hour on', () => {
    expect(verdict({ writtenAt: ago(5.9) })).toEqual({ to: 'answer', late: false });
    expect(verdict({ writtenAt: ago(6.1) })).toEqual({ to: 'answer', late: true });
  });

  test('a message that waited for the quiet hours to end is not late', () => {
    const quietHours = { from: '22:00', to: '11:00', zone: 'UTC' };
    expect(verdict({ writtenAt: ago(13), quietHours })).toEqual({ to: 'answer', late: false });
    expect(verdict({ writtenAt: ago(16), quietHours })).toEqual({ to: 'answer', late: true });
  });

  test('a message whose answer is not sent is not late', () => {
    const grant = { ...GRANT, canReply: false };
    expect(verdict({ writtenAt: ago(99), grant }, COMPOSING)).toEqual({
      to: 'answer',
      late: false,
    });
  });
});

describe('quiet hours', () => {
  const settings = { ...SETTINGS, quiet_hours: { from: '11:00', to: '13:00', zone: 'UTC' } };

  test('postpone the answer until they end', () => {
    expect(verdict({}, settings)).toEqual({ to: 'wait', until: ago(-1) });
  });

  test('of the contact replace the account’s', () => {
    const quietHours = { from: '20:00', to: '21:00' };
    expect(verdict({ quietHours }, settings)).toEqual({ to: 'answer', late: false });
  });

  test('do not apply to an answer that is not sent', () => {
    const grant = { ...GRANT, canReply: false };
    const composing = { ...settings, compose_for_read_only: true };
    expect(verdict({ grant }, composing)).toEqual({ to: 'answer', late: false });
  });
});

describe('cooldown', () => {
  test('skips messages during a cooldown, with its cause and end', () => {
    const { until } = RESTING;
    expect(verdict({ cooldown: RESTING })).toEqual({ to: 'skip', reason: 'loop', until });
    expect(verdict({ cooldown: { ...RESTING, cause: 'day_cap' } })).toMatchObject({
      reason: 'budget_used',
    });
    expect(verdict({ cooldown: { ...RESTING, until: NOW } })).toEqual({
      to: 'answer',
      late: false,
    });
  });

  test('begins when the answers of an hour are used up', () => {
    const answers = [0.1, 0.2, 0.3].map(ago);
    const rest = { cause: 'hour_cap', count: 1, until: ago(-1) };
    expect(verdict({ answers })).toEqual({ to: 'rest', rest });
    expect(verdict({ answers: answers.slice(1) })).toMatchObject({ to: 'answer' });
  });

  test('lasts until an answer is a day old if those of a day are used up', () => {
    const answers = [1.5, 3, 5, 7, 10].map(ago);
    const rest = { cause: 'day_cap', count: 1, until: ago(-14) };
    expect(verdict({ answers })).toEqual({ to: 'rest', rest });
  });

  test('is longer each time in a row, and starts over after a day without one', () => {
    const again = (before: Cooldown | null, now: Date) =>
      nextCooldown(before, { cause: 'rapid', now }, [60, 360, 1440]);
    const first = again(null, NOW);
    expect(first).toEqual({ cause: 'rapid', count: 1, until: ago(-1) });
    const second = again(first, ago(-2));
    expect(second).toEqual({ cause: 'rapid', count: 2, until: ago(-8) });
    const third = again(second, ago(-9));
    expect(third.until).toEqual(ago(-33));
    expect(again(third, ago(-34)).until).toEqual(ago(-58));
    expect(again(third, ago(-58))).toMatchObject({ count: 1 });
    expect([first, second].map(isFirstCooldown)).toEqual([true, false]);
  });

  test('is reported in one line', () => {
    const notice = cooldownNotice('  Mom\n(home) ', { ...RESTING, cause: 'rapid' });
    expect(notice).toMatch(
      /^Relay: auto-reply to Mom \(home\) is paused until .+→ relay contacts$/,
    );
    expect(notice).not.toContain('\n');
  });
});
