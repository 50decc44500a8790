import type { ChatId, ContactId, MessageId } from '@relay/contract/ids';
import { freshStore } from '@relay/testing/store';
import { expect, test } from 'vitest';
import { type MessageToStore, putMessages } from '../messages.ts';
import {
  observedMessageAt,
  observedMessageById,
  observedMessagesBefore,
  observedMessagesBetween,
  readMemberNames,
} from './messages.ts';

const { account, database, sql } = await freshStore();
const db = database.kysely;
const ADMIN = '4915100000099';
const reader = { account, admins: [ADMIN] };

async function person(phone: string, name: string | null): Promise<ContactId> {
  const [row] = await sql<{ id: ContactId }>(
    'INSERT INTO contacts (account_id, push_name) VALUES ($1, $2) RETURNING id',
    [account, name],
  );
  if (row === undefined) throw new Error('no contact');
  await sql(`INSERT INTO contact_aliases VALUES ($1, 'phone', $2, $3)`, [account, phone, row.id]);
  return row.id;
}

async function group(): Promise<ChatId> {
  const [row] = await sql<{ id: ChatId }>(
    `INSERT INTO chats (account_id, kind, group_address) VALUES ($1, 'group', gen_random_uuid() || '@g.us') RETURNING id`,
    [account],
  );
  if (row === undefined) throw new Error('no chat');
  return row.id;
}

const [mum, nameless, other] = [
  await person('447700900103', 'Mum'),
  await person('447700900104', null),
  await person(ADMIN, 'Rohan’s other phone'),
];

let second = 0;
async function said(chat: ChatId, ...messages: Partial<MessageToStore>[]): Promise<void> {
  await database.kysely.transaction().execute((tx) =>
    putMessages(
      tx,
      account,
      messages.map((message) => ({
        chat,
        sender: mum,
        id: `M${++second}` as MessageId,
        sentAt: new Date(Date.UTC(2026, 2, 2, 10, 0, second)),
        kind: 'conversation',
        body: 'hello',
        quotedId: null,
        media: null,
        isLate: false,
        source: 'whatsapp',
        inboxSeq: null,
        ...message,
      })),
    ),
  );
}

const all = (chat: ChatId, limit?: number) =>
  observedMessagesBetween(db, reader, {
    chat,
    from: new Date(0),
    to: new Date('2027-01-01'),
    ...(limit === undefined ? {} : { limit }),
  });

test('distinguishes members, the owner by both numbers, and senders known by name only', async () => {
  const chat = await group();
  await said(
    chat,
    {},
    { sender: nameless },
    { sender: null },
    { sender: other },
    { sender: null, senderName: 'Papa', source: 'notification' },
    { sender: null, source: 'relay' },
  );
  const read = (await all(chat)).map(({ message }) => message);
  expect(read.map(({ senderName }) => senderName)).toEqual([
    'Mum',
    '+447700900104',
    'Rohan’s other phone',
    'Rohan’s other phone',
    'Papa',
    'Assistant',
  ]);
  expect(read.map(({ fromOwner }) => fromOwner)).toEqual([false, false, true, true, false, false]);
  expect(read.map(({ fromAssistant }) => fromAssistant)).toEqual([...Array(5).fill(false), true]);
  expect(new Set(read.map(({ sender }) => sender)).size).toBe(5);
});

test('reactions, replies, deletions and edits refer to their message', async () => {
  const chat = await group();
  await said(
    chat,
    { id: 'first' as MessageId },
    { quotedId: 'first', details: { mentions: ['9@lid'], forwarded: true } },
    {
      kind: 'reactionMessage',
      body: '[reactionMessage]',
      quotedId: 'first',
      details: { words: '👍' },
    },
    { kind: 'protocolMessage', body: '[protocolMessage]', quotedId: 'first' },
    { body: 'corrected', quotedId: 'first', details: { edits: true } },
  );
  const about = (await all(chat)).map(({ message }) => [
    message.kind,
    message.quotedId,
    message.reactionTo,
    message.replaces,
  ]);
  expect(about).toEqual([
    ['text', null, null, null],
    ['text', 'first', null, null],
    ['reaction', null, 'first', null],
    ['deleted', null, null, 'first'],
    ['text', null, null, 'first'],
  ]);
  expect((await all(chat))[1]?.message).toMatchObject({ forwarded: true, mentions: ['9@lid'] });
});

test('reads a period, its last messages, those before a message and one by its id, oldest first', async () => {
  const [chat, elsewhere] = [await group(), await group()];
  await said(chat, ...['a', 'b', 'c', 'd'].map((id) => ({ id: id as MessageId })));
  await said(elsewhere, { id: 'b' as MessageId });
  const ids = (read: Awaited<ReturnType<typeof all>>) => read.map(({ message }) => message.id);
  expect(ids(await all(chat))).toEqual(['a', 'b', 'c', 'd']);
  expect(ids(await all(chat, 2))).toEqual(['c', 'd']);
  const third = (await all(chat))[2];
  if (third === undefined) throw new Error('no third message');
  const place = { chat, number: third.number, sentAt: third.message.at };
  expect(ids(await observedMessagesBefore(db, reader, place, 1))).toEqual(['b']);
  expect((await observedMessageAt(db, reader, place))?.message.id).toBe('c');
  expect((await observedMessageById(db, reader, chat, 'b'))?.number).toBe(
    (await all(chat))[1]?.number,
  );
  expect(await observedMessageById(db, reader, chat, 'e')).toBeNull();
});

test('each message that the noise filter judged has its verdict', async () => {
  const chat = await group();
  await said(chat, {}, {});
  await sql(`INSERT INTO observed_groups (account_id, chat_id, zone) VALUES ($1, $2, 'UTC')`, [
    account,
    chat,
  ]);
  const first = (await all(chat))[0];
  await sql(
    `INSERT INTO observed_messages (account_id, chat_id, message, sent_at, category, noise, tokens)
     VALUES ($1, $2, $3, $4, 'greeting', true, 3)`,
    [account, chat, first?.number, first?.message.at],
  );
  expect((await all(chat)).map(({ verdict }) => verdict)).toEqual([
    { category: 'greeting', noise: true, tokens: 3 },
    null,
  ]);
});

test("nobody can edit another sender's message or hide it behind the same id", async () => {
  const chat = await group();
  await said(
    chat,
    { id: 'plan' as MessageId, body: 'Dinner at 8' },
    { sender: nameless, id: 'plan' as MessageId, body: 'Dinner at 9' },
    { sender: nameless, body: 'Dinner is off', quotedId: 'plan', details: { edits: true } },
    { sender: nameless, kind: 'protocolMessage', body: '[protocolMessage]', quotedId: 'plan' },
    { sender: other, kind: 'protocolMessage', body: '[protocolMessage]', quotedId: 'plan' },
  );
  const read = await all(chat);
  const theirs = `plan#${read[1]?.number}`;
  expect(read.map(({ message }) => message.id).slice(0, 2)).toEqual(['plan', theirs]);
  expect(read.map(({ message }) => message.replaces)).toEqual([null, null, theirs, theirs, null]);
  expect(read.map(({ replacesNumber }) => replacesNumber)[2]).toBe(read[1]?.number);
});

test('a group admin and the owner can delete messages of others', async () => {
  const chat = await group();
  await sql(
    `INSERT INTO chat_members (account_id, chat_id, contact_id, role) VALUES ($1, $2, $3, 'admin')`,
    [account, chat, nameless],
  );
  const gone = { kind: 'protocolMessage', body: '[protocolMessage]', quotedId: 'code' };
  await said(
    chat,
    { id: 'code' as MessageId },
    { ...gone, sender: nameless },
    { ...gone, sender: null },
  );
  expect((await all(chat)).map(({ message }) => message.replaces)).toEqual([null, 'code', 'code']);
});

test("the owner has the account's name on WhatsApp if none of their contacts has a name", async () => {
  const chat = await group();
  await said(chat, { sender: null });
  const named = () =>
    observedMessagesBetween(
      db,
      { account, admins: [] },
      { chat, from: new Date(0), to: new Date('2027-01-01') },
    );
  expect((await named())[0]?.message.senderName).toBe('Owner');
  await sql("UPDATE accounts SET label = 'Rohan' WHERE id = $1", [account]);
  expect((await named())[0]?.message.senderName).toBe('Rohan');
});

test('reads both ends of a long message, and the newest megabyte of many', async () => {
  const chat = await group();
  const long = `begins ${'so on '.repeat(11_000)} ends, Relay`;
  await said(
    chat,
    { id: 'old' as MessageId },
    ...Array.from({ length: 100 }, () => ({ body: long })),
  );
  await said(chat, { id: 'last' as MessageId });
  const read = await all(chat);
  const [first, last] = [read[0]?.message, read.at(-1)?.message];
  expect(last?.id).toBe('last');
  expect(first?.text.startsWith('begins so on')).toBe(true);
  expect(first?.text.endsWith('so on  ends, Relay')).toBe(true);
  expect(read.length).toBeGreaterThan(50);
  const characters = read.reduce((sum, { message }) => sum + message.text.length, 0);
  expect(characters).toBeLessThan(1_010_000);
  // Short messages displace nothing.
  const quiet = await group();
  await said(quiet, ...Array.from({ length: 300 }, () => ({})));
  expect(await all(quiet)).toHaveLength(300);
});

test('lists members by name with their role, recent senders included, without the owner', async () => {
  const chat = await group();
  const papa = await person('447700900110', 'Papa');
  const second = await person('447700900111', 'Mum');
  await sql(
    `INSERT INTO chat_members (account_id, chat_id, contact_id, role)
     VALUES ($1, $2, $3, 'admin'), ($1, $2, $4, 'member'), ($1, $2, $5, 'member'), ($1, $2, $6, 'member')`,
    [account, chat, papa, nameless, other, second],
  );
  await said(chat, { sender: mum });
  expect(await readMemberNames(db, reader, chat)).toEqual([
    expect.stringMatching(/^Mum \(…\d{4}\)$/),
    expect.stringMatching(/^Mum \(…\d{4}\)$/),
    'Papa (admin)',
    '1 whose name is not known',
  ]);
  expect(await readMemberNames(db, reader, await group())).toEqual([]);
});
