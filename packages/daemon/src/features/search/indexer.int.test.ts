import type { ChatId } from '@relay/contract/ids';
import { toStorableText } from '@relay/core/messages/text';
import { eventually, freshStore, sleep as pause } from '@relay/testing/store';
import fc from 'fast-check';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { toDocuments } from './indexer.ts';
import { openChatter } from './testing/chatter.ts';

const OWNER = { kind: 'owner' } as const;

const store = await freshStore();
const open = () => openChatter(store);
let chatter: Awaited<ReturnType<typeof open>>;
let chat: ChatId;

beforeEach(async () => {
  await store.sql('DELETE FROM messages');
  chatter = await open();
  ({ chat } = await chatter.person('Ana', '14155551234'));
});

const found = async (word: string) => (await chatter.search.search(OWNER, word)).length;
const documents = async () =>
  (await store.sql<{ n: number }>('SELECT count(*)::int AS n FROM search_documents'))[0]?.n;

function start() {
  const { indexer } = chatter;
  indexer.start();
  onTestFinished(() => indexer.stop());
}

test('continues after a restart where it was, and indexes nothing twice', async () => {
  await chatter.say({ chat, text: 'heron one' });
  chatter.indexer.start();
  await chatter.indexer.caughtUp();
  await chatter.indexer.stop();
  await chatter.say({ chat, text: 'heron two' });
  expect(await found('heron')).toBe(1);
  chatter = await open();
  start();
  await chatter.indexer.caughtUp();
  expect(await found('heron')).toBe(2);
  expect(await documents()).toBe(2);
});

test('indexes a message whose transaction ends after a later one', async () => {
  const slow = await store.database.pool.connect();
  try {
    await slow.query('BEGIN');
    await slow.query('SELECT epoch FROM account_leases FOR KEY SHARE');
    const { rows } = await slow.query("SELECT nextval('message_ids') AS id");
    start();
    const caughtUp = chatter.indexer.caughtUp();
    await pause(100);
    await chatter.say({ chat, text: 'egret that came later' });
    expect(await found('egret')).toBe(0);
    await slow.query(
      `INSERT INTO messages (account_id, sent_at, id, chat_id, from_me, message_id, kind, body)
       VALUES ($1, now(), $2, $3, true, 'SLOW', 'conversation', 'egret that came first')`,
      [store.account, rows[0].id, chat],
    );
    await slow.query('COMMIT');
    await caughtUp;
    await chatter.indexer.caughtUp();
    expect(await found('egret')).toBe(2);
  } finally {
    slow.release();
  }
});

test('indexes stored messages when the log of events hints at them', async () => {
  start();
  await chatter.say({ chat, text: 'stork' });
  chatter.indexer.hint();
  await eventually(async () => (await found('stork')) === 1);
});

test('deletes a document with its message, and with its chat', async () => {
  start();
  const { chat: other } = await chatter.person('Bo', '14155559999');
  await chatter.say({ chat, text: 'crane' }, { chat: other, text: 'crane' });
  await chatter.indexer.caughtUp();
  expect(await documents()).toBe(2);
  await store.sql('DELETE FROM messages WHERE chat_id = $1', [chat]);
  expect(await documents()).toBe(1);
  await store.sql('DELETE FROM chats WHERE id = $1', [other]);
  expect(await documents()).toBe(0);
});

test('indexes again when the index version has changed', async () => {
  start();
  await chatter.say({ chat, text: 'ibis' });
  await chatter.indexer.caughtUp();
  await store.sql("UPDATE search_documents SET terms = 'old:1'");
  await store.sql('UPDATE search_progress SET version = 0');
  await chatter.indexer.stop();
  chatter = await open();
  start();
  await chatter.indexer.caughtUp();
  expect(await found('ibis')).toBe(1);
  expect(await documents()).toBe(1);
});

test('indexes more than fits into one batch', async () => {
  start();
  await chatter.say(...Array.from({ length: 1_201 }, (_, n) => ({ chat, text: `plover ${n}` })));
  await chatter.indexer.caughtUp();
  expect(await documents()).toBe(1_201);
});

test('indexes and finds any text that people write', async () => {
  start();
  const written = fc.sample(fc.string({ unit: 'binary', maxLength: 60 }), 300);
  const odd = ["''", '\\', "a'b\\c", ':*', '<->', 'x'.repeat(60_000), '瓷砖'.repeat(5_000)];
  const texts = [...written, ...odd].map(toStorableText);
  await chatter.say(...texts.map((text) => ({ chat, text })));
  await chatter.indexer.caughtUp();
  for (const text of texts) await chatter.search.search(OWNER, text, { limit: 1 });
  const [row] = await store.sql(
    'SELECT indexed_up_to = last_value AS all FROM search_progress, message_ids',
  );
  expect(row).toEqual({ all: true });
});

test('stops indexing when the daemon has lost its lease', async () => {
  const former = chatter;
  await open();
  await store.sql('UPDATE account_leases SET epoch = epoch + 1');
  former.indexer.start();
  onTestFinished(() => former.indexer.stop());
  await store.sql(
    `INSERT INTO messages (account_id, sent_at, chat_id, from_me, message_id, kind, body)
     VALUES ($1, now(), $2, true, 'LATE', 'conversation', 'avocet')`,
    [store.account, chat],
  );
  former.indexer.hint();
  await pause(200);
  expect(await documents()).toBe(0);
});

test('indexes long messages in several batches, and each can be found', async () => {
  const long = 'pelican '.repeat(8_000);
  await chatter.say({ chat, text: `heron ${long}` });
  for (let n = 0; n < 38; n++) await chatter.say({ chat, text: long });
  await chatter.say({ chat, text: `egret ${long}` });
  start();
  await chatter.indexer.caughtUp();
  expect(await documents()).toBe(40);
  expect(await found('heron')).toBe(1);
  expect(await found('egret')).toBe(1);
});

test('yields to the event loop between two long messages', async () => {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const row = { chat_id: chat, sender_id: null, sent_at: '2026-11-17', kind: 'conversation' };
  const rows = Array.from({ length: 10 }, (_, id) => ({ ...row, id, body: '你好'.repeat(30_000) }));
  const indexed = await toDocuments(store.account, rows);
  isOver = true;
  expect(indexed).toHaveLength(10);
  expect(turns).toBeGreaterThanOrEqual(9);
});
