import { freshStore } from '@relay/testing/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openChatter } from './testing/chatter.ts';

const store = await freshStore();
const NOW = new Date('2026-10-14T12:00:00Z');
const { search, indexer, person, group, say } = await openChatter(store, { now: () => NOW });
const OWNER = { kind: 'owner' } as const;
const texts = async (...asked: Parameters<typeof search.search>) =>
  (await search.search(...asked)).map(({ text }) => text);

beforeAll(() => indexer.start());
afterAll(() => indexer.stop());

test('what was said is found by its words, with who said it where and when', async () => {
  const mom = await person('Mom');
  const [id] = await say({
    chat: mom.chat,
    by: mom.contact,
    text: 'The boiler lost pressure again',
    at: new Date('2026-10-01T08:00:00Z'),
  });
  await search.caughtUp();
  expect(await search.search(OWNER, 'boiler pressure')).toMatchObject([
    {
      message: id,
      chat: mom.chat,
      chatName: 'Mom',
      sender: mom.contact,
      senderName: 'Mom',
      isGroup: false,
      at: new Date('2026-10-01T08:00:00Z'),
      text: 'The boiler lost pressure again',
    },
  ]);
  expect(await texts({ kind: 'assistant' }, 'boiler')).toEqual([]);
  expect(await group('Book club')).toBeTruthy();
});
