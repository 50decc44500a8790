import { randomUUID } from 'node:crypto';
import type { MessageId } from '@relay/contract/ids';
import { silentLog } from '@relay/core/log';
import type { IncomingMessage } from '@relay/core/messages/message';
import { eventually, freshStore, sleep, type TestStore, times } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { proto } from '@whiskeysockets/baileys';
import type { KyselyPlugin } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { takeLease } from '../../platform/db/lease.ts';
import { watchForLostHints } from '../../platform/db/lost-hints.ts';
import { deadlocksIn, interpose } from '../../platform/db/testing/interpose.ts';
import { knownTwice } from '../../platform/db/testing/people.ts';
import { Jobs } from '../../platform/jobs/jobs.ts';
import { readContent } from '../../whatsapp/inbound/read-message.ts';
import { Intake, type IntakeDeps, takeInBatch } from './intake.ts';
import { group, incoming, lid, ME, openPlain, phone, readJson, receive } from './testing/inbox.ts';

interface Desk extends TestStore, IntakeDeps {
  receive(...contents: Parameters<typeof receive>[2]): Promise<void>;
}

async function freshDesk(): Promise<Desk> {
  const store = await freshStore(onTestFinished);
  const db = store.database.kysely;
  const lease = await takeLease(db, store.account, randomUUID());
  if (lease === null) throw new Error('a fresh account is free');
  const jobs = await Jobs.start(store.database, silentLog);
  onTestFinished(() => jobs.stop(0));
  return {
    ...store,
    db,
    lease,
    jobs,
    unseal: openPlain,
    read: readJson,
    receive: (...contents) => receive(store, store.account, contents),
  };
}

const bodies = async ({ sql }: TestStore) =>
  (await sql('SELECT body FROM messages ORDER BY id')).map((row) => row.body);
const count = async ({ sql }: TestStore, from: string) =>
  (await sql<{ count: number }>(`SELECT count(*)::int AS count FROM ${from}`))[0]?.count;
const routed = (desk: TestStore) => count(desk, "relay_jobs.job WHERE name = 'route'");

async function takeAll(desk: Desk, batch = 200): Promise<void> {
  while ((await takeInBatch(desk, batch)).rows > 0);
}

test('stores a message with its chat, contact, job and event, and marks its row done', async () => {
  verifies('000-MSG-PERSISTED');
  const desk = await freshDesk();
  await desk.receive(
    incoming({
      chat: phone(1),
      alsoKnownAs: [lid(1)],
      pushName: 'Alice',
      body: 'Hey',
      expiresAfterS: 86_400,
      quotedId: 'Q',
      kind: 'imageMessage',
      media: { mimeType: 'image/png', fileName: null, size: 3, seconds: null },
    }),
  );
  await takeAll(desk);
  expect(await desk.sql('SELECT kind, value FROM contact_aliases ORDER BY kind')).toEqual([
    { kind: 'lid', value: '90000001' },
    { kind: 'phone', value: '4915100000001' },
  ]);
  const [row] = await desk.sql(`
    SELECT m.body, m.from_me, m.sender_id = c.contact_id AS by_contact, m.media->>'mimeType' AS mime, m.quoted_id,
      m.content IS NOT NULL AS kept, m.chat_address, p.push_name, c.kind, c.last_message_at, c.unread_count, c.expires_after_s
    FROM messages m JOIN chats c ON c.id = m.chat_id JOIN contacts p ON p.id = c.contact_id`);
  expect(row).toEqual({
    body: 'Hey',
    from_me: false,
    by_contact: true,
    mime: 'image/png',
    quoted_id: 'Q',
    kept: true,
    chat_address: phone(1),
    push_name: 'Alice',
    kind: 'direct',
    last_message_at: new Date('2026-02-21T10:00:00Z'),
    unread_count: 1,
    expires_after_s: 86_400,
  });
  expect(await routed(desk)).toBe(1);
  expect(await desk.sql('SELECT kind, data FROM events')).toEqual([
    { kind: 'message', data: { number: expect.any(Number), message: expect.any(String) } },
  ]);
  expect(await count(desk, 'inbox')).toBe(0);
});

test('stores and routes messages in the order of arrival, whatever time they carry', async () => {
  const desk = await freshDesk();
  const all = times(450, (n) =>
    incoming({
      chat: phone(n % 3),
      body: String(n),
      sentAt: new Date(1_770_000_000_000 - n * 60_000),
    }),
  );
  await desk.receive(...all);
  await takeAll(desk);
  expect(await bodies(desk)).toEqual(all.map(({ body }) => body));
  const order = await desk.sql<{ message: number }>(
    `SELECT (data->>'message')::int AS message FROM relay_jobs.job WHERE name = 'route' ORDER BY created_on, id`,
  );
  expect(order.map(({ message }) => message)).toEqual(
    order.map(({ message }) => message).toSorted((a, b) => a - b),
  );
});

test('stores each of a thousand rows once, although some are duplicates under other addresses', async () => {
  const desk = await freshDesk();
  const once = times(500, (n) =>
    incoming({ chat: phone(n % 7), alsoKnownAs: [lid(n % 7)], body: String(n) }),
  );
  const again = once.map((message, n) => ({
    ...message,
    chat: lid(n % 7),
    sender: lid(n % 7),
    late: true,
  }));
  await desk.receive(...once, ...again);
  expect(await count(desk, 'inbox')).toBe(1000);
  await takeAll(desk);
  expect(await bodies(desk)).toEqual(once.map(({ body }) => body));
  expect(await routed(desk)).toBe(500);
  expect(await count(desk, 'inbox')).toBe(0);
  expect(await desk.sql('SELECT sum(unread_count)::int AS unread FROM chats')).toEqual([
    { unread: 500 },
  ]);
});

test('accepts the same message id from two people, and from one person in two chats', async () => {
  const desk = await freshDesk();
  const id = 'SAME' as MessageId;
  await desk.receive(
    incoming({ id, chat: phone(1) }),
    incoming({ id, chat: phone(2) }),
    incoming({ id, chat: phone(1), fromMe: true }),
    incoming({ id, chat: group(1), sender: phone(1) }),
    incoming({ id, chat: group(1), sender: phone(2) }),
  );
  await takeAll(desk);
  expect(await count(desk, 'messages')).toBe(5);
});

test('neither loses nor duplicates a message, whichever statement fails', async () => {
  const desk = await freshDesk();
  const all = times(6, (n) =>
    incoming({
      chat: n < 4 ? phone(n) : group(1),
      sender: phone(n),
      body: String(n),
      pushName: 'P',
    }),
  );
  await desk.receive(...all, null, 'garbage');
  let failures = 0;
  for (let at = 1; at < 100; at++) {
    const broken = { ...desk, db: desk.db.withPlugin(failingAt(at)) };
    const failed = await takeInBatch(broken, 200).then(
      () => false,
      () => true,
    );
    if (!failed) break;
    failures++;
    expect(await count(desk, 'messages')).toBe(0);
    expect(await count(desk, 'inbox WHERE done_at IS NULL')).toBe(8);
    expect(await routed(desk)).toBe(0);
  }
  expect(failures).toBeGreaterThan(10);
  await takeAll(desk);
  expect(await bodies(desk)).toEqual(all.map(({ body }) => body));
  expect(await routed(desk)).toBe(6);
  expect(await count(desk, 'contacts')).toBe(6);
});

test('keeps one copy of a text, and recognizes it when it is delivered again', async () => {
  verifies('STORE-ONE-COPY');
  const desk = await freshDesk();
  const message = incoming({ body: 'Tuesday is fine' });
  await desk.receive(message);
  await takeAll(desk);
  await desk.receive(message);
  await takeAll(desk);
  expect(await desk.sql('SELECT body, content, chat_address FROM messages')).toEqual([
    { body: 'Tuesday is fine', content: null, chat_address: null },
  ]);
  expect(await count(desk, 'inbox')).toBe(0);
  expect(await routed(desk)).toBe(1);
});

test('stores messages once when the answer to COMMIT is lost', async () => {
  const desk = await freshDesk();
  await desk.receive(incoming({ body: 'one' }), incoming({ body: 'two' }));
  await expect(takeInBatch({ ...desk, db: losingAnswers(desk.db) }, 200)).rejects.toThrow('lost');
  expect(await takeInBatch(desk, 200)).toEqual({ rows: 0, stored: 0, setAside: [] });
  expect(await routed(desk)).toBe(2);
  expect(await bodies(desk)).toEqual(['one', 'two']);
});

test('sets unreadable rows aside with a reason and continues with the rest', async () => {
  const desk = await freshDesk();
  await desk.receive(
    incoming({ body: 'before' }),
    'garbage',
    null,
    incoming({ chat: 'status@broadcast', sender: 'status@broadcast' }),
    incoming({ body: 'sealed by another home' }),
    incoming({ body: 'after' }),
  );
  const unseal = (row: { content: Buffer }) => {
    if (row.content.includes('another home')) throw new Error('not ours');
    return row.content;
  };
  expect(await takeInBatch({ ...desk, unseal }, 200)).toMatchObject({ rows: 6, stored: 2 });
  expect(await bodies(desk)).toEqual(['before', 'after']);
  expect(await desk.sql('SELECT failure FROM inbox ORDER BY seq')).toEqual(
    ['garbage', 'nobody', 'sealed'].map((failure) => ({ failure })),
  );
});

test('replaces NUL and lone surrogates in the text and keeps them in the content of a document', async () => {
  const desk = await freshDesk();
  const message = incoming({
    body: 'a\0b\ud800c',
    pushName: '\udc00\0',
    kind: 'documentMessage',
    media: {
      mimeType: 'x\0',
      fileName: '\ud800',
      size: null,
      seconds: null,
    },
  });
  await desk.receive(message);
  await takeAll(desk);
  const [row] = await desk.sql<{ body: string; content: Buffer; push_name: string }>(
    'SELECT body, content, push_name FROM messages, contacts',
  );
  expect(row?.body).toBe('a\uFFFDb\uFFFDc');
  expect(row?.push_name).toBe('\uFFFD\uFFFD');
  expect(JSON.parse(String(row?.content)).body).toBe('a\0b\ud800c');
});

test('replaces an impossible sending time with the time of arrival', async () => {
  const desk = await freshDesk();
  await desk.receive(
    ...[0, -1e15, 8e14, Number.NaN].map((time) => incoming({ sentAt: new Date(time) })),
  );
  await takeAll(desk);
  expect(
    await count(desk, "messages WHERE sent_at = date_trunc('milliseconds', received_at)"),
  ).toBe(4);
});

test('stores a batch row by row if the database refuses one of its rows', async () => {
  const desk = await freshDesk();
  const poison = incoming({ body: 'poison' });
  await desk.receive(
    ...times(5, (n) => incoming({ body: `before ${n}` })),
    poison,
    ...times(600, (n) => incoming({ chat: phone(n % 5), body: `after ${n}` })),
  );
  await desk.sql(`ALTER TABLE message_keys ADD CHECK (message_id <> '${poison.id}')`);
  const intake = new Intake({ ...desk, log: silentLog });
  intake.start();
  await intake.waitUntilEmpty();
  await intake.stop();
  expect(await count(desk, 'messages')).toBe(605);
  expect(await desk.sql('SELECT message_id, failure FROM inbox WHERE failure IS NOT NULL')).toEqual(
    [{ message_id: poison.id, failure: 'failed' }],
  );
});

test('stores at once after a hint, and finds what was received without one', async () => {
  verifies('SEP-LOST-HINT');
  const desk = await freshDesk();
  let calls = 0;
  const intake = new Intake({ ...desk, log: silentLog, onStored: () => calls++ });
  intake.start();
  onTestFinished(() => intake.stop());
  await intake.waitUntilEmpty();
  await desk.receive(incoming());
  intake.wake();
  await eventually(() => calls === 1);
  await desk.receive(incoming());
  const stop = watchForLostHints({
    db: desk.database.allAccounts,
    log: silentLog,
    accounts: () => [desk.lease.account],
    wake: () => intake.wake(),
    everyMs: 50,
  });
  onTestFinished(stop);
  await eventually(() => calls === 2);
});

test('stores nothing after losing its lease', async () => {
  const desk = await freshDesk();
  await desk.receive(incoming());
  await desk.sql('UPDATE account_leases SET epoch = epoch + 1');
  await expect(takeInBatch(desk, 200)).rejects.toThrow('Another Relay process');
  expect(await count(desk, 'messages')).toBe(0);
});

test('stores the owner’s messages from the phone as their own and marks the chat as read', async () => {
  const desk = await freshDesk();
  await desk.receive(
    incoming({ body: 'one' }),
    incoming({ body: 'two' }),
    incoming({ fromMe: true, body: 'mine' }),
    incoming({ body: 'three' }),
    incoming({ chat: group(1), fromMe: true, sender: ME, body: 'to all' }),
  );
  await takeAll(desk);
  expect(
    await desk.sql('SELECT from_me, sender_id IS NULL AS mine FROM messages ORDER BY id'),
  ).toEqual([false, false, true, false, true].map((mine) => ({ from_me: mine, mine })));
  expect(await desk.sql('SELECT kind, unread_count FROM chats ORDER BY kind')).toEqual([
    { kind: 'direct', unread_count: 1 },
    { kind: 'group', unread_count: 0 },
  ]);
});

describe('when two chats are merged', () => {
  test('routes the waiting messages of both one at a time, in order', async () => {
    const desk = await freshDesk();
    await desk.receive(
      incoming({ chat: phone(1), body: '1' }),
      incoming({ chat: lid(1), body: '2' }),
      incoming({ chat: phone(1), body: '3' }),
      incoming({ chat: lid(1), body: '4' }),
    );
    await takeAll(desk);
    await desk.receive(incoming({ chat: phone(1), alsoKnownAs: [lid(1)], body: '5' }));
    await takeAll(desk);
    const routed: number[] = [];
    let running = 0;
    let mostAtOnce = 0;
    desk.jobs.work('route', 4, async ({ data }) => {
      running += 1;
      mostAtOnce = Math.max(mostAtOnce, running);
      await sleep(5);
      routed.push(data.message);
      running -= 1;
    });
    await eventually(() => routed.length === 5);
    expect(mostAtOnce).toBe(1);
    expect(routed).toEqual([...routed].sort((a, b) => a - b));
  });

  test('makes a new message wait for the one of the former chat that is being routed', async () => {
    const desk = await freshDesk();
    const routed: number[] = [];
    const [isRouted, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    desk.jobs.work('route', 4, async ({ data }) => {
      routed.push(data.message);
      if (routed.length < 2) return;
      isRouted.resolve();
      await mayEnd.promise;
    });
    for (const chat of [phone(1), lid(1)]) {
      await desk.receive(incoming({ chat }));
      await takeAll(desk);
      await eventually(async () => routed.length === (chat === phone(1) ? 1 : 2));
    }
    await isRouted.promise;
    await desk.receive(incoming({ chat: phone(1), alsoKnownAs: [lid(1)] }));
    await takeAll(desk);
    desk.jobs.wake('route');
    await sleep(500);
    expect(routed).toHaveLength(2);
    mayEnd.resolve();
    await eventually(() => routed.length === 3);
  });
});

test('keeps the timer of disappearing messages until plain text arrives without one', async () => {
  const desk = await freshDesk();
  const timer = async (...messages: Partial<IncomingMessage>[]) => {
    await desk.receive(...messages.map(incoming));
    await takeAll(desk);
    return (await desk.sql('SELECT expires_after_s FROM chats'))[0]?.expires_after_s;
  };
  expect(await timer({ kind: 'extendedTextMessage', expiresAfterS: 60 })).toBe(60);
  expect(await timer({ kind: 'reactionMessage' })).toBe(60);
  expect(await timer({ kind: 'imageMessage', expiresAfterS: 90 })).toBe(90);
  expect(await timer({ kind: 'conversation' })).toBe(null);
});

test('stores a message with the longest timer that WhatsApp can carry', async () => {
  const desk = await freshDesk();
  const written = { text: 'call me', contextInfo: { expiration: 2 ** 32 - 1 } };
  const content = readContent(proto.Message.encode({ extendedTextMessage: written }).finish());
  await desk.receive(
    incoming({ chat: phone(1), body: 'before' }),
    incoming({ ...content, chat: phone(2) }),
    incoming({ chat: phone(3), body: 'after' }),
  );
  await takeAll(desk);
  expect(await bodies(desk)).toEqual(['before', 'call me', 'after']);
  expect(await desk.sql('SELECT max(expires_after_s) AS timer FROM chats')).toEqual([
    { timer: 2 ** 31 - 1 },
  ]);
});

/** Commits and then loses the answer, so that the caller cannot know the result. */
function losingAnswers(db: Desk['db']): Desk['db'] {
  return new Proxy(db, {
    get(target, name, self) {
      if (name !== 'transaction') return Reflect.get(target, name, self);
      return () => ({
        async execute(...work: Parameters<ReturnType<Desk['db']['transaction']>['execute']>) {
          await target.transaction().execute(...work);
          throw new Error('the answer was lost');
        },
      });
    },
  });
}

function failingAt(at: number): KyselyPlugin {
  let seen = 0;
  return {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (++seen === at) throw new Error('killed here');
      return result;
    },
  };
}

describe.each([
  ['known before', true],
  ['new', false],
] as const)(
  'a contact whose chat is %s and who is merged while their message is stored',
  (_, hasChat) => {
    test('keeps the message, without a deadlock', async () => {
      verifies('IDENTITY-MERGE-CARRIES', 'IDENTITY-MERGE-ANY-MOMENT');
      const desk = await freshDesk();
      /** After each statement of the transaction, until there are no more. */
      let at = 0;
      for (let seen = 1; at < seen; ) {
        at++;
        const person = await knownTwice(desk, desk.lease, at % 2 === 0 ? 'phone' : 'lid');
        const id = randomUUID();
        const chats = [person.lid, person.phone];
        if (hasChat) await desk.receive(...chats.map((chat) => incoming({ chat })));
        await takeAll(desk);
        await desk.receive(...chats.map((chat) => incoming({ chat, body: `${id} ${chat}` })));
        const merging = interpose(desk.db, at, person.merge);
        await takeAll({ ...desk, db: merging.db });
        await merging.settled();
        await person.merge();
        ({ seen } = merging);
        const stored = await desk.sql(
          `SELECT count(*)::int AS messages, count(DISTINCT m.chat_id)::int AS chats, count(c.id)::int AS found
         FROM messages m LEFT JOIN chats c ON c.id = m.chat_id AND c.contact_id = m.sender_id
         WHERE m.body LIKE $1 || '%'`,
          [id],
        );
        expect({ at, ...stored[0] }).toEqual({ at, messages: 2, chats: 1, found: 2 });
      }
      expect(at).toBeGreaterThan(5);
      expect(await deadlocksIn(desk)).toBe(0);
    });
  },
);
