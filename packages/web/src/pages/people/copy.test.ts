import type { ContactCounts, MessageRequest } from '@relay/contract/api/contacts';
import { describe, expect, test } from 'vitest';
import { readPeopleSearch } from '../../search-params.ts';
import {
  accessCounts,
  clientAccessText,
  confirmationFor,
  erasedText,
  isNameTyped,
  messageLimitChoices,
  messageRequestSender,
  messageRequestTimes,
  peopleSummary,
} from './copy.ts';

const NOW = Date.parse('2026-11-12T14:20:00');
const none = { known: 0, open: 0, read: 0, reply: 0, auto: 0, start: 0 };
const counts: ContactCounts = {
  people: { known: 220, open: 7, read: 6, reply: 5, auto: 2, start: 1 },
  groups: { ...none, known: 1, open: 1, read: 1 },
  in_conversations_only: 1,
  knocking: 0,
};
const request: MessageRequest = {
  contact_id: 'c',
  name: 'Parcel Desk',
  calls_itself: true,
  groups: 0,
  phone_number: '447700900417',
  lid: null,
  count: 3,
  first_at: '2026-11-12T13:20:00',
  last_at: '2026-11-12T14:00:00',
  not_stored: 0,
};

test('the summary says to whom agents have access', () => {
  expect(peopleSummary(counts)).toBe(
    'Agents have access to 7 people and 1 group. Only you can give grants.',
  );
  expect(peopleSummary({ ...counts, groups: none })).toMatch(/^Agents have access to 7 people\. /);
  expect(peopleSummary({ ...counts, people: none })).toMatch(/^Agents have access to 1 group\. /);
  expect(peopleSummary({ ...counts, people: none, groups: none })).toMatch(
    /^No person or group has a grant\. /,
  );
});

test('the access counts cover people and groups, each with a detail', () => {
  const shown = (of: ContactCounts) =>
    accessCounts(of).map(({ count, label, detail }) => `${count} ${label}, ${detail}`);
  expect(shown(counts)).toEqual([
    '221 Known contacts, 213 without access',
    '7 Reading allowed, 1 more in conversations',
    '5 Replies allowed, 3 as drafts',
    '2 Automatic replies, Sent without approval',
    '1 New conversations allowed, Within your sending limits',
  ]);
  expect(accessCounts({ ...counts, in_conversations_only: 0 })[1]?.detail).toBeNull();
});

describe('the sender of a message request', () => {
  test('is described by time and count', () => {
    expect(messageRequestTimes(request, NOW)).toBe('3 messages since 13:20, latest 14:00');
    expect(messageRequestTimes({ ...request, count: 1, first_at: request.last_at }, NOW)).toBe(
      '1 message, 14:00',
    );
    expect(messageRequestTimes({ ...request, count: 60, not_stored: 53 }, NOW)).toBe(
      '60 messages since 13:20, latest 14:00 · 53 not stored',
    );
  });

  test('has a profile name that is marked as not verified', () => {
    expect(messageRequestSender(request, '+44 770 090 0417')).toBe(
      'Profile name: “Parcel Desk” (not verified) · Not in your contacts',
    );
    expect(messageRequestSender({ ...request, calls_itself: false, groups: 1 }, '+1')).toBe(
      '+1 · In 1 group with you',
    );
    expect(messageRequestSender({ ...request, name: null, calls_itself: false }, null)).toBe(
      'Number hidden · Not in your contacts',
    );
  });
});

test('confirming grants exactly what was asked', () => {
  expect(confirmationFor('auto', 'Dana')).toMatchObject({
    title: 'Allow automatic replies to Dana?',
    change: { replyMode: 'auto' },
  });
  expect(confirmationFor('start', 'Dana').change).toEqual({ canInitiate: true });
  expect(confirmationFor('delete', 'Dana').change).toBeNull();
});

test('an invalid address shows the default page', () => {
  expect(readPeopleSearch({ show: 'auto', q: 415, page: '3' })).toEqual({
    show: 'auto',
    q: '415',
    page: 3,
  });
  expect(readPeopleSearch({ show: 'everything', q: {}, page: -1, who: '<script>' })).toEqual({});
});

test('erased data is counted by kind, and the typed name confirms the erasure', () => {
  const counted = { messages: 12, sent: 1, conversations: 0, session_lines: 0, schedules: 0 };
  const others = { approvals: 0, grants: 1, digests: 0, assistant_answers: 0, tool_calls: 0 };
  expect(erasedText({ ...counted, ...others })).toBe(
    '12 messages, 1 message sent or queued by Relay and 1 grant',
  );
  expect(erasedText({ ...counted, ...others, messages: 0, sent: 0, grants: 0 })).toBe(
    'only the contact entry',
  );
  expect(isNameTyped(' dana  WHITFIELD ', 'Dana Whitfield')).toBe(true);
  expect(isNameTyped('Dana', 'Dana Whitfield')).toBe(false);
  expect(isNameTyped('', '')).toBe(false);
});

test('the scopes of a client are described in words', () => {
  expect(clientAccessText(['schedules:read', 'ledger:read'], false)).toBe(
    'View schedules · View the ledger · Token for all contacts with a grant',
  );
});

test('the limits for messages of a chat include the general one and its own', () => {
  const labels = (general: number, own: number | null) =>
    messageLimitChoices(general, own).map(({ value, label }) => `${value}: ${label}`);
  expect(labels(0, 45)).toEqual([
    'null: General limit (Until you erase them)',
    '0: Until you erase them',
    '7: 7 days',
    '30: 30 days',
    '45: 45 days',
    '90: 90 days',
    '365: 365 days',
  ]);
  expect(labels(1, null)[0]).toBe('null: General limit (1 day)');
});
