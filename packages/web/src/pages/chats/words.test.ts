import { type Chat, type ChatMessage, MESSAGE_AUTHORS } from '@relay/contract/api/chats';
import { expect, test } from 'vitest';
import { readChatsSearch } from '../../search-params.ts';
import {
  authorName,
  chatAccessMark,
  chatAccessSentence,
  chatsSentence,
  lastMessageText,
  peekSentence,
  placeFromCursor,
  toChatEntry,
} from './copy.ts';

const grant = {
  id: 'g',
  can_read: true,
  can_reply: true,
  reply_mode: 'draft',
  can_initiate: false,
} as const;
const chat = { kind: 'direct', name: 'Dana', grant, observed: false } as const;
const closed = { ...chat, grant: null };

test('a chat says what Relay may do there and who reads it', () => {
  expect(chatAccessSentence(chat)).toBe('Relay may read Dana and write drafts. You send them.');
  expect(chatAccessSentence(closed)).toContain('Nobody opened Dana.');
  expect(
    [chat, closed, { ...closed, observed: true }, { ...closed, kind: 'own' as const }].map(
      chatAccessMark,
    ),
  ).toEqual(['Drafts', 'Closed', 'Observed', 'Yours']);
  expect(peekSentence(closed)).toContain('no agent does');
  expect(peekSentence(chat)).not.toContain('no agent does');
  const held = { ...closed, conversations: [{ state: 'WAITING_FOR_REPLY' as const }] };
  expect(chatAccessSentence(held)).toBe('Dana is open inside a conversation until it ends.');
  expect(peekSentence(held)).not.toContain('no agent does');
  expect(chatAccessSentence({ ...closed, conversations: [{ state: 'COMPLETED' }] })).toContain(
    'No agent',
  );
});

test('every author has a label, and the contact of a two-person chat is not named each time', () => {
  for (const author of MESSAGE_AUTHORS)
    expect(authorName({ author, name: null })).toMatch(/^[A-Z]/);
  const message: ChatMessage = {
    author: 'contact',
    name: 'Dana',
    label: null,
    text: 'Hi',
    cursor: '1762000000000000_12',
    message_id: 'A1',
    at: '2026-11-01T10:00:00.000Z',
    edits: true,
    forwarded: false,
    quoted: { author: 'owner', name: null, label: 'Photo', text: '' },
    delivery: null,
  };
  expect(toChatEntry(false)(message)).toMatchObject({
    authorName: null,
    side: 'contact',
    marks: ['Edited'],
    quoted: { by: 'You', label: 'Photo' },
  });
  expect(toChatEntry(true)(message).authorName).toBe('Dana');
  expect(placeFromCursor(message.cursor)).toEqual([1762000000000000, 12]);
});

test('the last message is shown in one line', () => {
  const last: Chat['last'] = { author: 'phone', name: null, label: 'Photo', text: 'the leak' };
  expect(lastMessageText({ last })).toBe('You, on your phone: Photo: the leak');
  expect(lastMessageText({ last: null })).toBe('Nothing is kept of it.');
  expect(chatsSentence([])).toBe('Nothing was said yet.');
  expect(chatsSentence([], 'zebra')).toBe('Nobody is called so.');
  expect(chatsSentence([{ name: 'Mum', last }])).toBe('The last words went to Mum.');
});

test('the address keeps known parameters and reads digits as text', () => {
  expect(readChatsSearch({ q: 415, message: 'A1', x: 1 })).toEqual({ q: '415', message: 'A1' });
  expect(readChatsSearch({ q: ' ' })).toEqual({});
});
