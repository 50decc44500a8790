import type { ContactCounts, MessageRequest } from '@relay/contract/api/contacts';
import { describe, expect, test } from 'vitest';
import { readPeopleSearch } from '../../search-params.ts';
import {
  clientAccessText,
  confirmationFor,
  erasedText,
  grantLadder,
  isNameTyped,
  messageRequestSender,
  messageRequestTimes,
  peopleSentence,
} from './copy.ts';

const NOW = Date.parse('2026-11-12T14:20:00');
const none = { known: 0, open: 0, read: 0, reply: 0, auto: 0, start: 0 };
const counts: ContactCounts = {
  people: { known: 220, open: 7, read: 6, reply: 5, auto: 2, start: 1 },
  groups: { ...none, known: 1, open: 1, read: 1 },
  in_conversations_only: 1,
  knocking: 0,
};
const knock: MessageRequest = {
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

test('the summary says who has a grant and that everyone else has none', () => {
  expect(peopleSentence(counts)).toBe(
    'Seven people and one group are open. Everyone else is closed.',
  );
  expect(peopleSentence({ ...counts, people: none })).toBe(
    'One group is open. Everyone else is closed.',
  );
  expect(peopleSentence({ ...counts, people: none, groups: none })).toBe('Everyone is closed.');
});

test('the access counts cover people and groups, each with its meaning', () => {
  expect(grantLadder(counts).map(({ n, label, detail }) => `${n} ${label}, ${detail}`)).toEqual([
    '221 known, 213 closed',
    '7 may be read, 1 more inside talks',
    '5 may be answered, 3 as drafts',
    '2 are answered, without asking you',
    '1 may be written first, still paced',
  ]);
});

describe('the sender of a message request', () => {
  test('is described by time and count', () => {
    expect(messageRequestTimes(knock, NOW)).toBe('3 messages since 13:20, last 14:00');
    expect(messageRequestTimes({ ...knock, count: 1, first_at: knock.last_at }, NOW)).toBe(
      '1 message, 14:00',
    );
    expect(messageRequestTimes({ ...knock, count: 60, not_stored: 53 }, NOW)).toBe(
      '60 messages since 13:20, last 14:00; 53 not stored',
    );
  });

  test('is not shown by a self-chosen profile name', () => {
    expect(messageRequestSender(knock, '+44 770 090 0417')).toBe(
      'calls itself “Parcel Desk” · not in your contacts',
    );
    expect(messageRequestSender({ ...knock, calls_itself: false, groups: 1 }, '+1')).toBe(
      '+1 · in 1 group with you',
    );
    expect(messageRequestSender({ ...knock, name: null, calls_itself: false }, null)).toBe(
      'hidden number · not in your contacts',
    );
  });
});

test('confirming grants exactly what was asked', () => {
  expect(confirmationFor('auto', 'Dana')).toMatchObject({
    title: 'Let replies to Dana leave without asking you?',
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

test('what forgetting erases is counted, and the name confirms it', () => {
  const counted = { messages: 12, sent: 1, conversations: 0, session_lines: 0, schedules: 0 };
  const rest = { approvals: 0, grants: 1, digests: 0, assistant_answers: 0, tool_calls: 0 };
  expect(erasedText({ ...counted, ...rest })).toBe(
    '12 messages, 1 message that Relay sent and 1 grant',
  );
  expect(isNameTyped(' dana  WHITFIELD ', 'Dana Whitfield')).toBe(true);
  expect(isNameTyped('Dana', 'Dana Whitfield')).toBe(false);
  expect(isNameTyped('', '')).toBe(false);
});

test('the scopes of a client are described in words', () => {
  expect(clientAccessText(['schedules:read', 'ledger:read'], false)).toBe(
    'May see what is scheduled; ask why something was or was not sent. Only as far as your grants go.',
  );
});
