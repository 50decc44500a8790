import { freshStore } from '@relay/testing/store';
import { expect, test } from 'vitest';
import { openChatter } from './testing/chatter.ts';

const OWNER = { kind: 'owner' } as const;

test('finds rare words anywhere in a long history, and frequent ones in new messages or together', async () => {
  const store = await freshStore();
  const chatter = await openChatter(store);
  const { chat } = await chatter.person('Ana');
  const at = new Date('2026-01-01');
  await chatter.say(
    { chat, text: 'the boat needs an anchor', at },
    { chat, text: 'the boat is old', at },
    { chat, text: 'a heron', at },
  );
  chatter.indexer.start();
  await chatter.indexer.caughtUp();
  // As if half a million other messages had arrived since.
  await store.sql(`SELECT setval('search_documents_id_seq', 500000)`);
  const new_ = Array.from({ length: 160 }, (_, n) => ({ chat, text: `boat ${n}` }));
  await chatter.say(...new_, { chat, text: 'anchor ahoy' });
  await chatter.indexer.caughtUp();
  await chatter.indexer.stop();
  const found = async (question: string) =>
    (await chatter.search.search(OWNER, question, { limit: 100 })).map(({ text }) => text);
  expect(await found('heron')).toEqual(['a heron']);
  expect((await found('anchor')).sort()).toEqual(['anchor ahoy', 'the boat needs an anchor']);
  expect(await found('boat anchor')).toContain('the boat needs an anchor');
  const boats = await found('boat');
  expect(boats).toHaveLength(100);
  expect(boats).not.toContain('the boat is old');
});

test('finds a word of every message about as fast right after a history sync as later', async () => {
  const store = await freshStore();
  const chatter = await openChatter(store);
  const { chat, contact } = await chatter.person('Ana');
  await store.sql('SELECT ensure_message_month(now())');
  await store.sql(
    `INSERT INTO messages (account_id, sent_at, chat_id, sender_id, from_me, message_id, kind, body)
     SELECT $1, now() + n * interval '1 ms', $2, $3, false, 'many' || n, 'text', 'delivery ' || n
     FROM generate_series(1, 8000) n`,
    [store.account, chat, contact],
  );
  // As before the server has analyzed the new rows.
  await store.sql('ALTER TABLE search_documents SET (autovacuum_enabled = false)');
  chatter.indexer.start();
  await chatter.indexer.caughtUp();
  await chatter.indexer.stop();
  const timed = async () => {
    const times: number[] = [];
    for (let n = 0; n < 5; n += 1) {
      const began = performance.now();
      expect(await chatter.search.search(OWNER, 'delivery', { limit: 20 })).toHaveLength(20);
      times.push(performance.now() - began);
    }
    return Math.min(...times);
  };
  const before = await timed();
  await store.sql('ANALYZE search_documents');
  expect(before / (await timed())).toBeLessThan(3);
});
