import type { Approval } from '@relay/contract/api/approvals';
import { CONNECTION_STATES, type ConnectionState } from '@relay/contract/connection/states';
import { describe, expect, test } from 'vitest';
import { approvalCopy, approvalReason, approvalRecipient } from './approval-copy.ts';
import { connectionDisplay, statusDisplay } from './connection.ts';
import {
  countInWords,
  formatAgo,
  formatContact,
  formatFullTime,
  formatMoment,
  formatPhoneNumber,
  formatShortDate,
  formatShortWeekday,
  formatSpan,
  formatTimeOfDay,
  groupDigits,
  plural,
} from './format.ts';
import { grantSentence } from './grant-copy.ts';

const NOW = Date.parse('2026-11-12T14:20:00');

describe('times', () => {
  test('show only the largest unit', () => {
    expect([4_000, 61_000, 3 * 3_600_000, 49 * 3_600_000].map(formatSpan)).toEqual([
      '4 s',
      '1 min',
      '3 h',
      '2 d',
    ]);
    expect(formatAgo(NOW - 500, NOW)).toBe('just now');
  });

  test('name the day only if it is not today', () => {
    expect(formatMoment(NOW - 60_000, NOW)).toBe('14:19');
    expect(formatMoment(Date.parse('2026-11-14T09:00:00'), NOW)).toBe('Saturday 09:00');
    expect(formatMoment(Date.parse('2026-12-24T09:00:00'), NOW)).toBe('24 December');
  });
});

test('the handwritten formats match British English', () => {
  const words = (date: Date, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', options).format(date);
  for (let day = 0; day < 400; day += 1) {
    const date = new Date(NOW + day * 86_400_000 + day * 2_820_000);
    const [weekday, dated] = [
      words(date, { weekday: 'long' }),
      words(date, { day: 'numeric', month: 'long' }),
    ];
    const time = words(date, { hour: '2-digit', minute: '2-digit' });
    expect(formatFullTime(date.getTime())).toBe(`${weekday} ${dated}, ${time}`);
    expect(formatTimeOfDay(date.getTime())).toBe(time);
    expect(formatShortWeekday(date)).toBe(words(date, { weekday: 'short' }));
    // `Intl` abbreviates only September with four letters.
    const short = words(date, { day: 'numeric', month: 'short' }).replace('Sept', 'Sep');
    expect(formatShortDate(date)).toBe(short);
  }
  for (const n of [0, 7, 999, 1_000, 12_480, 999_999, 1_000_000, 1_234_567_890, 0.5, -4_200]) {
    expect(groupDigits(n)).toBe(n.toLocaleString('en-GB'));
  }
});

test('numbers are formatted for people', () => {
  expect(countInWords(4, 'thing waits', 'things wait')).toBe('Four things wait');
  expect(plural(1, 'message')).toBe('1 message');
  expect(formatPhoneNumber('14155550142')).toBe('+1 415 555 0142');
  expect(formatPhoneNumber('447700900417')).toBe('+44 770 090 0417');
  expect(formatContact('+14155550142')).toBe('+1 415 555 0142');
  expect(formatContact('Dana')).toBe('Dana');
});

test('every connection state has a word and a sentence that names no command', () => {
  for (const state of Object.keys(CONNECTION_STATES) as ConnectionState[]) {
    const blank = { ...linkOf(), state, status: CONNECTION_STATES[state].status };
    const { word, sentence } = connectionDisplay(blank, NOW);
    expect({ state, word, sentence }).toEqual({
      state,
      word: expect.stringMatching(/\w/),
      sentence: expect.stringMatching(/^[^`]+\.$/),
    });
  }
  expect(statusDisplay('connecting', NOW).word).toBe('Connecting');
});

test('a grant is summarized in one sentence', () => {
  const dana = { displayName: 'Dana', canRead: true, canReply: true, replyMode: 'draft' as const };
  expect(grantSentence(dana)).toBe('Relay may read Dana and write drafts. You send them.');
  expect(grantSentence({ ...dana, canReply: false })).toBe('Relay may read Dana, never answer.');
  expect(grantSentence({ ...dana, canRead: false, canReply: false })).toContain('closed');
});

test('an approval names the contact and links nowhere else', () => {
  const approval = {
    recipient: '14155550106',
    recipient_name: null,
    reason: 'Replies here are drafts. Read it under `relay approvals` and send it with your yes.',
  } as Approval;
  expect(approvalRecipient(approval)).toBe('+1 415 555 0106');
  expect(approvalReason(approval)).toBe('Replies here are drafts.');
  const weekly = {
    ...approval,
    kind: 'schedule_message',
    when: 'every Monday at 09:00, UTC',
  } as const;
  expect(approvalCopy(weekly).question).toBe('Send this to +1 415 555 0106 every Monday at 09:00?');
});

function linkOf() {
  return {
    sentence: '',
    since: '',
    phone: null,
    name: null,
    qr: null,
    qrExpiresAt: null,
    pairingCode: null,
    retryAt: null,
    replaying: null,
    timeLockedUntil: null,
    health: {
      lastStanzaAt: null,
      pingMs: null,
      flaps: 0,
      received: 0,
      undecryptable: 0,
      restarts: 0,
    },
  };
}
