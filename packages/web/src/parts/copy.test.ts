import type { Approval } from '@relay/contract/api/approvals';
import type { LinkBody } from '@relay/contract/api/whatsapp';
import { CONNECTION_STATES, type ConnectionState } from '@relay/contract/connection/states';
import { describe, expect, test } from 'vitest';
import { approvalAnswerText, approvalCopy, approvalRecipient } from './approval-copy.ts';
import { connectionDisplay, statusDisplay } from './connection.ts';
import {
  formatAgo,
  formatBadgeCount,
  formatContact,
  formatDay,
  formatFullTime,
  formatMoment,
  formatMomentParts,
  formatPhoneNumber,
  formatShortDate,
  formatShortWeekday,
  formatSpan,
  formatTimeOfDay,
  groupDigits,
} from './format.ts';
import { grantSentence } from './grant-copy.ts';
import { decisionDisplay } from './outcomes.ts';

const NOW = Date.parse('2026-11-12T14:20:00');

describe('times', () => {
  test('show only the largest unit', () => {
    expect([4_000, 61_000, 3 * 3_600_000, 49 * 3_600_000].map(formatSpan)).toEqual([
      '4 s',
      '1 min',
      '3 h',
      '2 days',
    ]);
    expect(formatAgo(NOW - 500, NOW)).toBe('just now');
    expect(formatAgo(NOW - 4_000, NOW)).toBe('4 s ago');
    expect(formatAgo(NOW - 12 * 60_000, NOW)).toBe('12 min ago');
  });

  test('name the day only if it is not today', () => {
    expect(formatMoment(NOW - 60_000, NOW)).toBe('14:19');
    expect(formatMoment(Date.parse('2026-11-14T09:00:00'), NOW)).toBe('Saturday 09:00');
    expect(formatMoment(Date.parse('2026-12-24T09:00:00'), NOW)).toBe('24 December');
    expect(formatMoment(Date.parse('2027-01-24T09:00:00'), NOW)).toBe('24 January 2027');
  });
});

test('dates and times follow the region of the reader', () => {
  const monday = new Date('2026-11-16T09:05:00');
  expect(formatTimeOfDay(monday.getTime())).toBe('09:05');
  expect(formatFullTime(monday.getTime())).toBe('Monday 16 November, 09:05');
  expect(formatShortWeekday(monday)).toBe('Mon');
  expect(formatShortDate(monday)).toBe('16 Nov');
  expect(formatDay(NOW, NOW)).toBe('Today');
  expect(formatDay('2026-11-11T23:59:00', NOW)).toBe('Yesterday');
  expect(formatDay('2026-11-10T08:00:00', NOW)).toBe('Tuesday 10 November');
});

test('a day and its time can be shown in two columns', () => {
  expect(formatMomentParts(NOW, NOW)).toEqual({ day: null, time: '14:20' });
  expect(formatMomentParts('2026-11-14T09:00:00', NOW)).toEqual({
    day: 'Saturday',
    time: '09:00',
  });
});

test('numbers are formatted for people', () => {
  expect(groupDigits(1_234_567)).toBe('1,234,567');
  expect([7, 99, 100].map(formatBadgeCount)).toEqual(['7', '99', '99+']);
  expect(formatPhoneNumber('14155550142')).toBe('+1 415 555 0142');
  expect(formatPhoneNumber('447700900417')).toBe('+44 770 090 0417');
  expect(formatContact('+14155550142')).toBe('+1 415 555 0142');
  expect(formatContact('Dana')).toBe('Dana');
  expect(formatContact('Kit (+447700900417)')).toBe('Kit (+44 770 090 0417)');
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

test('a connection text includes what is known beyond the state', () => {
  const at = (seconds: number) => new Date(NOW + seconds * 1_000).toISOString();
  const sentence = (link: Partial<LinkBody> & Pick<LinkBody, 'state'>) =>
    connectionDisplay({ ...linkOf(), status: 'disconnected', ...link }, NOW).sentence;
  expect(sentence({ state: 'disconnected', phone: '14155550106' })).toBe(
    'Relay is linked but not connected. Connect to continue.',
  );
  expect(sentence({ state: 'syncing', replaying: 1_200 })).toBe(
    'Connected. Relay is still receiving 1,200 messages.',
  );
  expect(
    sentence({ state: 'connected', health: { ...linkOf().health, lastStanzaAt: at(-4) } }),
  ).toBe('Connected to WhatsApp. Last activity 4 s ago.');
  expect(sentence({ state: 'reconnecting', retryAt: at(30) })).toBe(
    'The connection was lost. Next attempt in 30 s. No messages are lost.',
  );
});

test('a grant is summarized in one text', () => {
  const dana = { displayName: 'Dana', canRead: true, canReply: true, replyMode: 'draft' as const };
  expect(grantSentence(dana)).toBe(
    'Agents may read messages from Dana and draft replies. You approve each reply.',
  );
  // Nobody replies without reading, and a draft is only proposed.
  expect(grantSentence({ ...dana, canRead: false, replyMode: 'draft' })).toBe(
    'Agents may propose messages to Dana that you approve, but not read the chat.',
  );
  // Inside a conversation that they may start, agents do reply.
  expect(grantSentence({ ...dana, canReply: false, canInitiate: true })).toBe(
    'Agents may read messages from Dana and start conversations. Outside of conversations they may not reply.',
  );
  expect(grantSentence({ ...dana, canReply: false })).toBe(
    'Agents may read messages from Dana but not reply.',
  );
  expect(grantSentence({ ...dana, replyMode: 'auto', canInitiate: true })).toBe(
    'Agents may read messages from Dana, reply without approval and start conversations.',
  );
  expect(grantSentence({ ...dana, canRead: false, canReply: false })).toBe(
    'Dana has no grant. Agents may not read the messages.',
  );
});

test('an unknown outcome is shown as the daemon names it', () => {
  expect(decisionDisplay({ action: '', outcome: 'needs_approval', detail: {} }).word).toBe(
    'Needs approval',
  );
  expect(decisionDisplay({ action: '', outcome: 'sent_twice', detail: {} }).word).toBe(
    'sent twice',
  );
});

test('an approval names the contact and links nowhere else', () => {
  const approval = {
    recipient: '14155550106',
    recipient_name: null,
  } as Approval;
  expect(approvalRecipient(approval)).toBe('+1 415 555 0106');
  const weekly = {
    ...approval,
    kind: 'schedule_message',
    when: 'every Monday at 09:00, UTC',
  } as const;
  expect(approvalCopy(weekly).question).toBe(
    'Schedule this message to +1 415 555 0106 (every Monday at 09:00)?',
  );
  expect(approvalAnswerText('reject')).toBe('You declined it.');
  expect(approvalAnswerText('postpone')).toBeUndefined();
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
    passkey: null,
    retryAt: null,
    replaying: null,
    timeLockedUntil: null,
    fault: null,
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
