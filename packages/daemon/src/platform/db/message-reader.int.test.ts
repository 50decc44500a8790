import { randomUUID } from 'node:crypto';
import { bufferedMessageSchema } from '@relay/contract/api/whatsapp';
import type { ChatId, ContactId, MessageId } from '@relay/contract/ids';
import { freshStore } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { noteLinkedIdentity } from './account.ts';
import { findOrMakeChats, noteGroup } from './chats.ts';
import { aliasesOfAddresses, resolveSightings } from './contacts.ts';
import { takeLease } from './lease.ts';
import { PostgresMessageReader } from './message-reader.ts';
import { type MessageToStore, putMessages, recordSent, updateChats } from './messages.ts';

const OWN = '19876543210@s.whatsapp.net';
const ALICE = '14155551234@s.whatsapp.net';
const BOB = '14155559999@s.whatsapp.net';
const CARL = '90071992@lid';
const GROUP = '120363041234567890@g.us';

const { account, database, sql } = await freshStore();
const db = database.kysely;
const reader = new PostgresMessageReader(db, account);
const lease = await takeLease(db, account, randomUUID());
if (lease === null) throw new Error('a fresh account is free');

const within = db.transaction().execute.bind(db.transaction());
const person = async (...addresses: string[]) =>
  (
    await within((tx) => resolveSightings(tx, account, [aliasesOfAddresses(addresses)]))
  )[0] as ContactId;
const chatOf = async (contact: ContactId) =>
  (
    await within((tx) => findOrMakeChats(tx, account, { contacts: [contact], groups: [] }))
  ).byContact.get(contact) as ChatId;

let minutes = 0;
async function say(
  chat: ChatId,
  sender: ContactId | null,
  id: string,
  over: Partial<MessageToStore> = {},
): Promise<void> {
  const sentAt = new Date(Date.UTC(2026, 1, 26, 10, minutes++));
  const message: MessageToStore = {
    chat,
    sender,
    id: id as MessageId,
    sentAt,
    kind: 'conversation',
    body: `words of ${id}`,
    quotedId: null,
    media: null,
    isLate: false,
    source: 'whatsapp',
    inboxSeq: null,
    ...over,
  };
  await within(async (tx) => {
    await putMessages(tx, account, [message]);
    await updateChats(tx, account, [
      { chat, lastMessageAt: message.sentAt, unread: 1, isAnswered: false },
    ]);
    if (sender !== null) {
      await tx.executeQuery(
        tx
          .updateTable('contacts')
          .set({ last_message_at: message.sentAt })
          .where('id', '=', sender)
          .compile(),
      );
    }
  });
}

type Wish = { limit?: number; contact?: string } | { limit?: number; chat: string };

const ids = async (query: Wish = {}) =>
  (await reader.recent({ limit: 50, ...query })).map(({ id }) => id);

beforeAll(async () => {
  await noteLinkedIdentity(db, lease, { phone: '19876543210', lid: '777@lid' });
  const alice = await person(ALICE, '5550001@lid');
  const bob = await person(BOB);
  const carl = await person(CARL);
  await sql("UPDATE contacts SET push_name = 'Alice' WHERE id = $1", [alice]);
  await noteGroup(db, lease, {
    address: GROUP,
    subject: 'Climbing',
    members: [
      { addresses: [ALICE], role: 'admin' },
      { addresses: [CARL], role: 'member' },
    ],
    expiresAfterS: null,
  });
  const [group] = await sql<{ id: ChatId }>("SELECT id FROM chats WHERE kind = 'group'");
  if (group === undefined) throw new Error('no group');
  await say(await chatOf(alice), alice, 'A1', { body: 'Hey, are you around?' });
  await say(await chatOf(alice), null, 'A2', { source: 'relay' });
  await say(await chatOf(bob), bob, 'B1');
  await say(group.id, alice, 'G1');
  await say(group.id, carl, 'G2');
  await say(group.id, null, 'G3');
  await say(await chatOf(carl), carl, 'C1');
});

test('returns the last messages, oldest first', async () => {
  verifies('000-MSG-LAST');
  expect(await ids()).toEqual(['A1', 'A2', 'B1', 'G1', 'G2', 'G3', 'C1']);
  expect(await ids({ limit: 2 })).toEqual(['G3', 'C1']);
});

describe('every field', () => {
  const message = async (id: string) => {
    const found = (await reader.recent({ limit: 50 })).find((one) => one.id === id);
    return bufferedMessageSchema.strict().parse(found);
  };

  test('of a message received in a direct chat is returned', async () => {
    verifies('000-MSG-SHAPE');
    expect(await message('A1')).toEqual({
      id: 'A1',
      from: ALICE,
      fromName: 'Alice',
      to: OWN,
      body: 'Hey, are you around?',
      timestamp: Date.UTC(2026, 1, 26, 10, 0),
      fromMe: false,
      isGroup: false,
    });
  });

  test('of a message that the account sent is returned', async () => {
    expect(await message('A2')).toMatchObject({
      from: OWN,
      fromName: null,
      to: ALICE,
      fromMe: true,
    });
  });

  test('of a group message is returned, from the member and to the group', async () => {
    expect(await message('G1')).toMatchObject({
      from: ALICE,
      to: GROUP,
      isGroup: true,
      fromMe: false,
    });
    expect(await message('G3')).toMatchObject({
      from: OWN,
      to: GROUP,
      isGroup: true,
      fromMe: true,
    });
  });

  test('of a sender without a known number is returned with the LID', async () => {
    expect(await message('C1')).toMatchObject({ from: CARL, to: OWN, fromName: null });
  });
});

describe('the contact filter', () => {
  test.each([
    ['a whole number', '14155551234', ['A1', 'A2', 'G1']],
    ['as people write it', '+1 (415) 555-1234', ['A1', 'A2', 'G1']],
    ['a part of two numbers', '4155', ['A1', 'A2', 'B1', 'G1']],
    ['the digits of a group', '1203630412', ['G1', 'G2', 'G3']],
    ['a LID while the number is not known', '90071992', ['G2', 'C1']],
    ['a LID whose number is known is not shown', '5550001', []],
    ['the own number', '9876543210', ['A1', 'A2', 'B1', 'G3', 'C1']],
    ['nobody', '000000', []],
    ['no digits at all: no filter', 'Alice', ['A1', 'A2', 'B1', 'G1', 'G2', 'G3', 'C1']],
  ])(
    'compares digits only, as a substring of from and to: %s',
    async (_what, contact, expected) => {
      verifies('000-MSG-FILTER');
      expect(await ids({ contact })).toEqual(expected);
    },
  );

  test('counts the last matching messages', async () => {
    expect(await ids({ contact: '14155551234', limit: 2 })).toEqual(['A2', 'G1']);
    expect(await ids({ contact: '9876543210', limit: 1 })).toEqual(['C1']);
  });

  test('gives the result that the seed describes for any digits', async () => {
    const all = await reader.recent({ limit: 50 });
    for (const digits of ['1', '5', '99', '415', '120', '0', '3210', '7', '1234567890']) {
      const seed = all.filter(({ from, to }) => from.includes(digits) || to.includes(digits));
      expect(await ids({ contact: digits })).toEqual(seed.map(({ id }) => id));
    }
  });
});

test('returns one chat only when asked for any of its addresses', async () => {
  expect(await ids({ chat: ALICE })).toEqual(['A1', 'A2']);
  expect(await ids({ chat: '5550001@lid' })).toEqual(['A1', 'A2']);
  expect(await ids({ chat: GROUP })).toEqual(['G1', 'G2', 'G3']);
  expect(await ids({ chat: 'nobody@example' })).toEqual([]);
});

test('a sent message and its echo are one message, whichever comes first', async () => {
  const chat = await chatOf(await person('491700000001@s.whatsapp.net'));
  const sentAt = new Date('2026-02-27T10:00:00Z');
  const record = (id: string) =>
    within((tx) => recordSent(tx, account, [{ chat, id: id as MessageId, body: 'sent', sentAt }]));
  await record('S1');
  await say(chat, null, 'S1');
  await say(chat, null, 'S2');
  await record('S2');
  await record('S2');
  expect((await ids({ contact: '491700000001' })).toSorted()).toEqual(['S1', 'S2']);
  expect(
    (await sql('SELECT source FROM messages WHERE chat_id = $1 ORDER BY id', [chat])).map(
      (row) => row.source,
    ),
  ).toEqual(['relay', 'whatsapp']);
});

test('an answer sent in the same second as its question is listed after it', async () => {
  const dora = await person('491700000002@s.whatsapp.net');
  const chat = await chatOf(dora);
  const sentAt = new Date('2026-02-27T10:05:00.700Z');
  const id = 'D1' as MessageId;
  await within((tx) => recordSent(tx, account, [{ chat, id, body: 'Around?', sentAt }]));
  // WhatsApp reports whole seconds.
  await say(chat, dora, 'D2', { sentAt: new Date('2026-02-27T10:05:00Z') });
  expect(await ids({ contact: '491700000002' })).toEqual(['D1', 'D2']);
});

test('a query reads as many rows as it requests, not as many as are stored', async () => {
  const many = await freshStore(onTestFinished, { max: 1 });
  await many.sql(
    "SELECT ensure_message_month(m) FROM generate_series('2025-01-15'::timestamptz, '2025-12-15', '1 month') m",
  );
  await many.sql(
    `WITH people AS (
       INSERT INTO contacts (account_id, id, last_message_at)
       SELECT $1, md5(n::text)::uuid, '2025-12-01' FROM generate_series(1, 400) n
     ), addresses AS (
       INSERT INTO contact_aliases SELECT $1, 'phone', (491510000000 + n)::text, md5(n::text)::uuid
       FROM generate_series(1, 400) n
     ), places AS (
       INSERT INTO chats (account_id, id, kind, contact_id, last_message_at)
       SELECT $1, md5('c' || n)::uuid, 'direct', md5(n::text)::uuid, '2025-12-01' FROM generate_series(1, 400) n
     )
     INSERT INTO messages (account_id, sent_at, chat_id, sender_id, from_me, message_id, kind, body)
     SELECT $1, '2025-01-01'::timestamptz + n * interval '5 minutes', md5('c' || (1 + n % 400))::uuid,
       md5((1 + n % 400)::text)::uuid, false, 'M' || n, 'conversation', '' FROM generate_series(1, 60000) n`,
    [many.account],
  );
  await many.sql('ANALYZE');
  const read = async () => {
    await many.sql('SELECT pg_stat_force_next_flush()');
    const [row] = await many.sql<{ rows: number }>(
      `SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int AS rows FROM pg_stat_user_tables
       WHERE relname LIKE 'messages\\_2025%'`,
    );
    return row?.rows ?? 0;
  };
  const asked = new PostgresMessageReader(many.database.kysely, many.account);
  for (const query of [
    {},
    { contact: '491510000007' },
    { contact: '49151000000' },
    { contact: '49151' },
    { chat: '491510000007@s.whatsapp.net' },
  ]) {
    const before = await read();
    expect(await asked.recent({ ...query, limit: 50 })).toHaveLength(50);
    expect((await read()) - before, JSON.stringify(query)).toBeLessThan(15_000);
  }
});
