import {
  type Chat,
  type ChatDetail,
  type ChatMessage,
  MESSAGE_AUTHORS,
} from '@relay/contract/api/chats';
import { expect, test } from 'vitest';
import { grantSentence } from '../../parts/grant-copy.ts';
import { readChatsSearch } from '../../search-params.ts';
import {
  authorName,
  chatAccessLevel,
  chatAccessSummary,
  chatTitle,
  lastMessage,
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
const ungranted = { ...chat, grant: null };

test('the header of a chat states what Relay may do there', () => {
  expect(chatAccessSummary(chat)).toBe(
    grantSentence({ displayName: 'Dana', canRead: true, canReply: true, replyMode: 'draft' }),
  );
  expect(chatAccessSummary(ungranted)).toMatch(/^Dana has no grant\./);
  const inConversation = { ...ungranted, conversations: [{ state: 'WAITING_FOR_REPLY' as const }] };
  expect(chatAccessSummary(inConversation)).toBe(
    'Dana has no grant. The agent of the running conversation can read and write here until the conversation ends.',
  );
  expect(chatAccessSummary({ ...ungranted, conversations: [{ state: 'COMPLETED' }] })).toBe(
    chatAccessSummary(ungranted),
  );
});

test('the list shows the access level of each chat', () => {
  const none = { ...grant, can_read: false, can_reply: false };
  expect(
    [
      chat,
      ungranted,
      { ...ungranted, observed: true },
      { ...ungranted, kind: 'own' as const },
      { ...chat, grant: { ...grant, reply_mode: 'auto' as const } },
      { ...chat, grant: { ...grant, can_reply: false } },
      { ...chat, grant: none },
      { ...chat, grant: { ...none, can_initiate: true } },
    ].map(chatAccessLevel),
  ).toEqual(['draft', 'none', 'observed', 'own', 'auto', 'read', 'none', 'initiate']);
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
    media: null,
    content: null,
    reactions: [{ emoji: '👍', author: 'owner', name: null }],
    edited: false,
    deleted: false,
    delivery: null,
  };
  expect(toChatEntry(false)(message)).toMatchObject({
    authorName: null,
    side: 'contact',
    marks: ['Edited'],
    reactions: [{ emoji: '👍', by: 'You' }],
    quoted: { by: 'You', label: 'Photo' },
  });
  expect(toChatEntry(true)(message).authorName).toBe('Dana');
  expect(placeFromCursor(message.cursor)).toEqual([1762000000000000, 12]);
});

test('the last message is shown in one line', () => {
  const last: Chat['last'] = { author: 'phone', name: null, label: 'Photo', text: 'the leak' };
  expect(lastMessage({ last })).toEqual({ author: 'You (phone)', text: 'Photo: the leak' });
  const received = { ...last, author: 'contact', name: 'Mum', text: '' } as const;
  expect(lastMessage({ last: received })).toEqual({ author: null, text: 'Photo' });
  const notice = { ...last, author: 'relay', label: null, text: 'Relay: Mum needs you.' } as const;
  expect(lastMessage({ last: notice })).toEqual({ author: null, text: 'Relay: Mum needs you.' });
  expect(lastMessage({ last: null })).toEqual({ author: null, text: 'No messages stored.' });
});

test('the address keeps known parameters and reads digits as text', () => {
  expect(readChatsSearch({ q: 415, message: 'A1', x: 1 })).toEqual({ q: '415', message: 'A1' });
  expect(readChatsSearch({ q: ' ' })).toEqual({});
});

test('the own chat is called “You”, and a chat without a name by its formatted number', () => {
  expect(chatTitle({ kind: 'own', name: '+14155550142' })).toBe('You');
  expect(chatTitle({ kind: 'direct', name: '+14155550142' })).toBe('+1 415 555 0142');
  expect(chatTitle({ kind: 'direct', name: 'Mum' })).toBe('Mum');
});

test('a read-only grant does not hide that the agent of a running conversation writes', () => {
  const grant = { can_read: true, can_reply: false, can_initiate: false, reply_mode: 'auto' };
  const chat = { kind: 'direct', name: 'Rosa', observed: false, grant } as ChatDetail;
  const summary = (...states: string[]) =>
    chatAccessSummary({ ...chat, conversations: states.map((state) => ({ state })) } as ChatDetail);
  const allowed = 'Agents may read messages from Rosa but not reply.';
  expect(summary('WAITING_FOR_REPLY')).toBe(
    `${allowed} The agent of the running conversation can write here until the conversation ends.`,
  );
  expect(summary('COMPLETED')).toBe(allowed);
});
