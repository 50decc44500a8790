import { randomUUID } from 'node:crypto';
import type { ChatId, ContactId, MessageId } from '@relay/contract/ids';
import { freshStore } from '@relay/testing/store';
import { beforeAll, expect, test } from 'vitest';
import { findOrMakeChats } from '../../platform/db/chats.ts';
import { aliasesOfAddresses, resolveSightings } from '../../platform/db/contacts.ts';
import { type MessageToStore, putMessages, updateChats } from '../../platform/db/messages.ts';
import { createChatReader } from './chat-reader.ts';

const { account, database, sql } = await freshStore();
const db = database.kysely;
const reader = createChatReader({ db, account, admins: [] });
const LIMIT = 100;
const MANY = 100_000;

let dana: ChatId;
let crowd: ChatId;

async function chatWith(address: string): Promise<{ chat: ChatId; contact: ContactId }> {
  return db.transaction().execute(async (tx) => {
    const [contact] = (await resolveSightings(tx, account, [aliasesOfAddresses([address])])) as [
      ContactId,
    ];
    const { byContact } = await findOrMakeChats(tx, account, { contacts: [contact], groups: [] });
    return { chat: byContact.get(contact) as ChatId, contact };
  });
}

let minute = 0;
async function say(chat: ChatId, sender: ContactId | null, over: Partial<MessageToStore> = {}) {
  const message: MessageToStore = {
    chat,
    sender,
    id: randomUUID() as unknown as MessageId,
    sentAt: new Date(Date.UTC(2026, 10, 1, 10, minute++)),
    kind: 'conversation',
    body: 'hello',
    quotedId: null,
    media: null,
    isLate: false,
    source: 'whatsapp',
    inboxSeq: null,
    ...over,
  };
  await db.transaction().execute(async (tx) => {
    await putMessages(tx, account, [message]);
    const news = { chat, lastMessageAt: message.sentAt, unread: 0, isAnswered: false };
    await updateChats(tx, account, [news]);
  });
}

/** A chat too long to page through by offset. */
async function fill(chat: ChatId, sender: ContactId): Promise<void> {
  for (const month of [7, 8, 9]) {
    await sql('SELECT ensure_message_month($1)', [new Date(Date.UTC(2026, month, 15))]);
  }
  await sql(
    `INSERT INTO messages (account_id, sent_at, chat_id, sender_id, from_me, message_id, kind, body)
     SELECT $1, timestamptz '2026-08-02Z' + n * interval '60 s', $2, $3, false, 'many' || n, 'conversation', 'line ' || n
     FROM generate_series(1, ${MANY}) n`,
    [account, chat, sender],
  );
  await sql(
    `INSERT INTO message_keys (account_id, chat_id, sender, message_id, id, sent_at)
     SELECT account_id, chat_id, sender_id::text, message_id, id, sent_at FROM messages WHERE chat_id = $1`,
    [chat],
  );
  await sql(`UPDATE chats SET last_message_at = timestamptz '2026-10-11Z' WHERE id = $1`, [chat]);
  await sql('ANALYZE messages');
}

beforeAll(async () => {
  const one = await chatWith('14155550101@s.whatsapp.net');
  const two = await chatWith('14155550102@s.whatsapp.net');
  dana = one.chat;
  crowd = two.chat;
  await sql(
    `INSERT INTO grants (account_id, contact_id, display_name, can_read) VALUES ($1, $2, 'Dana', true)`,
    [account, one.contact],
  );
  await say(dana, one.contact, { id: 'first' as MessageId, body: 'Shall we?' });
  await say(dana, null, { body: 'Yes', quotedId: 'first' });
  await say(dana, one.contact, {
    kind: 'audioMessage',
    body: '[Audio message]',
    media: { mimeType: 'audio/ogg; codecs=opus', fileName: null, size: 1, seconds: 12 },
  });
  await say(dana, one.contact, {
    kind: 'reactionMessage',
    body: '[reactionMessage]',
    quotedId: 'first',
    details: { words: '👍' },
  });
  await fill(crowd, two.contact);
}, 120_000);

test('lists chats with their last message and grants, newest first, and finds them by name', async () => {
  const { chats, cursor } = await reader.list({ limit: 1 });
  expect(chats).toMatchObject([
    {
      id: dana,
      name: 'Dana',
      kind: 'direct',
      grant: { can_read: true },
      last: { label: 'Reacted 👍' },
    },
  ]);
  const rest = await reader.list({ limit: 5, cursor: cursor ?? '' });
  expect(rest.chats).toMatchObject([{ id: crowd, grant: null, last: { text: `line ${MANY}` } }]);
  expect(rest.cursor).toBeNull();
  expect((await reader.list({ q: 'dan', limit: 5 })).chats.map(({ id }) => id)).toEqual([dana]);
  expect((await reader.list({ q: 'nobody', limit: 5 })).chats).toEqual([]);
});

test('returns each message’s author, text and quoted message', async () => {
  const { messages, older, newer } = await reader.messages(dana, { limit: LIMIT });
  expect({ older, newer }).toEqual({ older: false, newer: false });
  expect(messages.map(({ author, label, text }) => [author, label, text])).toEqual([
    ['contact', null, 'Shall we?'],
    ['phone', null, 'Yes'],
    ['contact', 'Voice message, 0:12', ''],
  ]);
  expect(messages[0]?.reactions).toEqual([{ emoji: '👍', author: 'contact', name: 'Dana' }]);
  expect(messages[1]?.quoted).toEqual({
    author: 'contact',
    name: 'Dana',
    label: null,
    text: 'Shall we?',
  });
});

test('shows a reply that quotes the writer’s own message', async () => {
  const { chat, contact } = await chatWith('4915155500077@s.whatsapp.net');
  await say(chat, contact, { id: 'theirs' as MessageId, body: 'At six' });
  await say(chat, contact, { body: 'Or at seven', quotedId: 'theirs' });
  await say(chat, null, { id: 'mine' as MessageId, body: 'See you' });
  await say(chat, null, { body: 'At the station', quotedId: 'mine' });
  const { messages } = await reader.messages(chat, { limit: LIMIT });
  expect(messages.map(({ text, quoted }) => [text, quoted?.text])).toEqual([
    ['At six', undefined],
    ['Or at seven', 'At six'],
    ['See you', undefined],
    ['At the station', 'See you'],
  ]);
});

test('shows reactions, edits and deletions with the message they belong to', async () => {
  const { chat, contact } = await chatWith('14155550103@s.whatsapp.net');
  const other = await chatWith('14155550104@s.whatsapp.net');
  const mark = (quotedId: string, kind: string, details: MessageToStore['details'] = null) =>
    ({ quotedId, kind, details, body: `[${kind}]` }) satisfies Partial<MessageToStore>;
  await say(chat, contact, { id: 'typo' as MessageId, body: 'See yuo at six' });
  await say(chat, contact, { id: 'gone' as MessageId, body: 'Forget this' });
  await say(chat, null, mark('typo', 'reactionMessage', { words: '🔥' }));
  await say(chat, null, mark('typo', 'reactionMessage', { words: '👍' }));
  await say(chat, contact, mark('typo', 'reactionMessage', { words: '😀' }));
  await say(chat, contact, mark('typo', 'reactionMessage', { words: '' }));
  await say(chat, contact, { body: 'See you at six', quotedId: 'typo', details: { edits: true } });
  await say(chat, contact, mark('gone', 'protocolMessage'));
  await say(chat, other.contact, {
    body: 'not theirs',
    quotedId: 'typo',
    details: { edits: true },
  });
  await say(chat, other.contact, mark('typo', 'protocolMessage'));
  await say(chat, contact, mark('never seen', 'protocolMessage'));

  const { messages } = await reader.messages(chat, { limit: LIMIT });
  expect(messages).toMatchObject([
    {
      text: 'See you at six',
      edited: true,
      deleted: false,
      reactions: [{ emoji: '👍', author: 'phone' }],
    },
    { text: '', edited: false, deleted: true, reactions: [] },
    { text: 'not theirs', edits: true, quoted: { text: 'See yuo at six' } },
    { label: 'Deleted a message', quoted: { text: 'See yuo at six' } },
    { label: 'Deleted a message', quoted: null },
  ]);
});

test('carries the file and the typed content of a message', async () => {
  const { chat, contact } = await chatWith('14155550105@s.whatsapp.net');
  const content = {
    kind: 'location' as const,
    latitude: 52.5,
    longitude: 13.4,
    name: 'Gate',
    address: null,
    live: false,
  };
  await say(chat, contact, { kind: 'locationMessage', body: '[x]', details: { content } });
  await say(chat, contact, { id: 'voice' as MessageId, kind: 'audioMessage', body: '[x]' });
  await sql(
    `INSERT INTO media (account_id, chat_id, message, message_at, message_id, origin, kind, mime_type, seconds, state,
       transcript, language)
     SELECT account_id, chat_id, id, sent_at, message_id, 'received', 'voice', 'audio/ogg', 4, 'waiting', 'Hello.', 'en'
     FROM messages WHERE message_id = 'voice'`,
  );
  const { messages } = await reader.messages(chat, { limit: LIMIT });
  expect(messages).toMatchObject([
    { content, media: null },
    {
      content: null,
      media: { kind: 'voice', state: 'waiting', transcript: 'Hello.', language: 'en', seconds: 4 },
    },
  ]);
});

test('pages through a chat of 100,000 messages in both directions without gaps or duplicates', async () => {
  const end = await reader.messages(crowd, { limit: LIMIT });
  expect(end.messages.at(-1)?.text).toBe(`line ${MANY}`);
  expect({ older: end.older, newer: end.newer }).toEqual({ older: true, newer: false });
  const above = await reader.messages(crowd, { limit: LIMIT, before: end.messages[0]?.cursor });
  expect(above.messages.at(-1)?.text).toBe(`line ${MANY - LIMIT}`);
  const down = await reader.messages(crowd, { limit: LIMIT, after: above.messages.at(-1)?.cursor });
  expect(down.messages.map(({ cursor }) => cursor)).toEqual(
    end.messages.map(({ cursor }) => cursor),
  );
  expect(down.newer).toBe(false);
  const around = await reader.messages(crowd, { limit: LIMIT, message: 'many50000' });
  const texts = around.messages.map(({ text }) => text);
  expect(texts).toContain('line 50000');
  expect(new Set(texts).size).toBe(texts.length);
  expect({ older: around.older, newer: around.newer }).toEqual({ older: true, newer: true });
});

test('reads a page by the index of the chat, wherever it is', async () => {
  const middle = await reader.messages(crowd, { limit: 1, message: 'many50000' });
  const [micros, id] = middle.messages.at(-1)?.cursor.split('_') ?? [];
  const plan = await sql<{ 'QUERY PLAN': string }>(
    `EXPLAIN (ANALYZE, BUFFERS) SELECT sent_at, id FROM messages WHERE account_id = $1 AND chat_id = $2
       AND (sent_at, id) < ('epoch'::timestamptz + $3::bigint * interval '1 microsecond', $4::bigint)
     ORDER BY sent_at DESC, id DESC LIMIT 101`,
    [account, crowd, micros, id],
  );
  const text = plan.map((row) => row['QUERY PLAN']).join('\n');
  expect(text).toMatch(/Index (Only )?Scan( Backward)? using messages_\d+_\d+_account_id_chat_id/);
  expect(text).not.toMatch(/Seq Scan|Sort/);
  const pages = Number(/Buffers: shared hit=(\d+)/.exec(text)?.[1]);
  expect(pages).toBeLessThan(120);
});

test('finds the last message of a chat by its index, even if another chat has nearly all messages', async () => {
  await sql('ANALYZE messages');
  const plan = await sql<{ 'QUERY PLAN': string }>(
    `EXPLAIN (ANALYZE, BUFFERS) SELECT last.id FROM chats c CROSS JOIN LATERAL (
       SELECT id FROM messages WHERE account_id = c.account_id AND chat_id = c.id
       ORDER BY sent_at DESC, id DESC LIMIT 1) last WHERE c.account_id = $1`,
    [account],
  );
  const text = plan.map((row) => row['QUERY PLAN']).join('\n');
  const read = [...text.matchAll(/using (messages_\w+)/g)].map(([, index = '']) => index);
  expect(read.length).toBeGreaterThan(0);
  expect(read.filter((index) => !index.includes('_account_id_chat_id'))).toEqual([]);
});

test('returns no erased messages, and does not find an unknown chat', async () => {
  await sql('DELETE FROM messages WHERE chat_id = $1', [dana]);
  expect(await reader.messages(dana, { limit: LIMIT })).toEqual({
    messages: [],
    older: false,
    newer: false,
  });
  expect((await reader.get(dana)).last).toBeNull();
  const refused = { code: 'chat_gone' };
  await expect(reader.get(randomUUID())).rejects.toMatchObject(refused);
  await expect(reader.messages('no-id', { limit: LIMIT })).rejects.toMatchObject(refused);
  await expect(reader.messages(crowd, { limit: 1, message: 'nope' })).rejects.toMatchObject({
    code: 'message_unknown',
  });
});
