import { freshStore } from '@relay/testing/store';
import { expect, test } from 'vitest';
import { openChatter } from './testing/chatter.ts';

const OWNER = { kind: 'owner' } as const;

test('of a long history rare words are found wherever they stand, frequent ones where they are new or together', async () => {
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
  // As if half a million others had come since.
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
