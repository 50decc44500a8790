import type { ChatId } from '@relay/contract/ids';
import { freshStore } from '@relay/testing/store';
import { beforeAll, describe, expect, test } from 'vitest';
import { openChatter } from './testing/chatter.ts';
import { WordEmbedder } from './testing/embedder.ts';

const store = await freshStore();
const NOW = new Date('2026-10-14T12:00:00Z');
const OWNER = { kind: 'owner' } as const;
const embedder = new WordEmbedder({ automobile: 'vehicle', car: 'vehicle', crimson: 'red' });
const chatter = await openChatter(store, { now: () => NOW, embedder: async () => embedder });
const { search, service, person, group, say } = chatter;
const at = (day: string) => new Date(`${day}T08:00:00Z`);

const texts = async (...asked: Parameters<typeof search.search>) =>
  (await search.search(...asked)).map(({ text }) => text);

let sam: { chat: ChatId };
let club: ChatId;

beforeAll(async () => {
  sam = await person('Sam');
  club = await group('Rowing club');
  await say(
    { chat: sam.chat, text: 'crimson automobile', at: at('2026-09-01') },
    { chat: sam.chat, text: 'the bakery closes early', at: at('2026-09-02') },
    { chat: club, text: 'Gate code on Quay Street: 7719', at: at('2026-01-10') },
    { chat: club, text: 'Quay Street gate: the code changed, 3046 now', at: at('2026-02-10') },
    { chat: club, text: 'New boat arrived at the quay', at: at('2026-03-10') },
    { chat: sam.chat, text: 'Gate code changed on Quay Street? 9999', at: at('2026-04-10') },
  );
  const { indexer, vectors } = chatter;
  indexer.start();
  await indexer.caughtUp();
  await indexer.stop();
  vectors.follower.start();
  await vectors.follower.caughtUp();
  await vectors.follower.stop();
});

describe('semantic search', () => {
  test('finds messages that share no word, for the owner and as context of a question', async () => {
    expect((await texts(OWNER, 'red car'))[0]).toBe('crimson automobile');
    const [first] = await search.retrieve(OWNER, 'red car');
    expect(first?.text).toBe('crimson automobile');
  });

  test('tells the owner that a hit was not found by its words', async () => {
    const { hits, sure } = await service.search({ q: 'red car', limit: 1 });
    expect({ sure, by: hits[0]?.by }).toEqual({ sure: true, by: 'meaning' });
    const { hits: plain } = await service.search({ q: 'bakery', limit: 1 });
    expect(plain[0]?.by).toBe('words');
  });

  test('finds only what may be read and is within the bounds', async () => {
    expect(await texts({ kind: 'assistant' }, 'red car')).toEqual([]);
    expect(await texts({ kind: 'chat', chat: club }, 'red car')).not.toContain(
      'crimson automobile',
    );
    expect(await texts(OWNER, 'red car', { chat: club })).not.toContain('crimson automobile');
    expect(await texts(OWNER, 'red car', { from: at('2026-09-02') })).not.toContain(
      'crimson automobile',
    );
  });

  test('falls back to words when the model does not answer', async () => {
    embedder.failing = new Error('gone');
    expect(await texts(OWNER, 'bakery')).toEqual(['the bakery closes early']);
    embedder.failing = null;
  });
});

describe('a later change', () => {
  test('ranks before the message it changes, although it matches less of the question', async () => {
    const asked = await texts({ kind: 'chat', chat: club }, 'gate code on Quay Street');
    expect(asked.slice(0, 2)).toEqual([
      'Quay Street gate: the code changed, 3046 now',
      'Gate code on Quay Street: 7719',
    ]);
  });

  test('does not rank before a message that the question names by its number', async () => {
    const [first] = await texts(OWNER, 'gate code Quay Street 7719', { chat: club });
    expect(first).toBe('Gate code on Quay Street: 7719');
  });

  test('is searched only in the same chat and within the chosen time', async () => {
    const [first] = await texts({ kind: 'chat', chat: club }, 'gate code Quay Street', {
      to: at('2026-02-01'),
    });
    expect(first).toBe('Gate code on Quay Street: 7719');
  });
});

test('gives a model nothing and the owner the closest hits when nothing matches the question', async () => {
  const question = 'electric guitar lessons at the bakery for beginners tuning strings';
  expect(await search.retrieve(OWNER, question)).toEqual([]);
  const { hits, sure } = await service.search({ q: question, limit: 3 });
  expect(sure).toBe(false);
  expect(hits[0]?.text).toBe('the bakery closes early');
});
