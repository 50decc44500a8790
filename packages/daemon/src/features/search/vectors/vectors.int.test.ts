import type { ChatId } from '@relay/contract/ids';
import { freshStore, type TestStore } from '@relay/testing/store';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { openChatter } from '../testing/chatter.ts';
import { WordEmbedder } from '../testing/embedder.ts';

const SAME = { car: 'vehicle', automobile: 'vehicle', dinner: 'meal', supper: 'meal' };

type Chatter = Awaited<ReturnType<typeof openChatter>>;
let store: TestStore;
let embedder: WordEmbedder | null;
let chatter: Chatter;

beforeAll(async () => {
  store = await freshStore();
});

beforeEach(async () => {
  await store.sql(
    'TRUNCATE messages, search_documents, search_progress, search_vector_progress CASCADE',
  );
  await store.sql('DELETE FROM search_vectors_changed');
  embedder = new WordEmbedder(SAME);
  chatter = await openChatter(store, { embedder: async () => embedder });
});

/** Everything that was said is indexed and has its vector. */
async function settle({ indexer, vectors: { follower } }: Chatter = chatter): Promise<void> {
  indexer.start();
  await indexer.caughtUp();
  await indexer.stop();
  follower.start();
  await follower.caughtUp();
  await follower.stop();
}

async function near(text: string, chats: readonly ChatId[] | 'all' = 'all', of = chatter) {
  const found = await of.vectors.nearest(text, { chats, limit: 5 });
  if (found === null) return null;
  const said = await store.sql(
    `SELECT d.id, m.body FROM search_documents d JOIN messages m ON m.id = d.source_id::bigint
     WHERE d.id = ANY($1::bigint[])`,
    [found.map(({ id }) => id)],
  );
  const body = new Map(said.map(({ id, body }) => [id, body]));
  return found.map(({ id }) => body.get(id));
}

test('what means the same is found in other words, the nearest first', async () => {
  const { chat } = await chatter.person('Ana');
  await chatter.say(
    { chat, text: 'the automobile is red' },
    { chat, text: 'supper at eight' },
    { chat, text: 'nothing of the kind' },
  );
  await settle();
  expect((await near('car red'))?.[0]).toBe('the automobile is red');
  expect((await near('dinner'))?.[0]).toBe('supper at eight');
});

test('nothing is near while nobody wants vectors', async () => {
  embedder = null;
  await settle();
  expect(await near('car')).toBeNull();
});

test('a model that does not answer leaves search to words', async () => {
  (embedder as WordEmbedder).failing = new Error('away');
  expect(await near('car')).toBeNull();
});

test('many hits in other chats take nobody’s place', async () => {
  const [ana, ben] = [await chatter.person('Ana'), await chatter.person('Ben')];
  await chatter.say(
    ...Array.from({ length: 400 }, () => ({ chat: ben.chat, text: 'the car is red' })),
    { chat: ana.chat, text: 'a red bicycle' },
  );
  await settle();
  expect(await near('the car is red', [ana.chat])).toEqual(['a red bicycle']);
});

test('bounds of time and person are kept', async () => {
  const ana = await chatter.person('Ana');
  await chatter.say(
    { chat: ana.chat, by: ana.contact, text: 'red car', at: new Date('2026-01-01T10:00:00.400Z') },
    { chat: ana.chat, by: null, text: 'a red car', at: new Date('2026-01-02T10:00:00Z') },
  );
  await settle();
  const { nearest } = chatter.vectors;
  const count = async (bounds: object) =>
    (await nearest('red car', { chats: 'all', limit: 5, ...bounds }))?.length;
  expect(await count({})).toBe(2);
  expect(await count({ contact: 'me' })).toBe(1);
  expect(await count({ contact: ana.contact })).toBe(1);
  expect(await count({ from: new Date('2026-01-01T10:00:00.500Z') })).toBe(1);
  expect(await count({ to: new Date('2026-01-01T10:00:00.400Z') })).toBe(0);
});

test('an erased message is not found from that moment on, and soon leaves the index', async () => {
  const { chat } = await chatter.person('Ana');
  await chatter.say({ chat, text: 'the car is red' }, { chat, text: 'supper at eight' });
  await settle();
  const next = await openChatter(store, { embedder: async () => embedder });
  expect(await near('car', 'all', next)).toHaveLength(2);
  await store.sql(`DELETE FROM messages WHERE body = 'the car is red'`);
  expect(await near('car', 'all', next)).toEqual(['supper at eight']);
  await settle(next);
  expect(await next.vectors.indexes.current).toHaveProperty('size', 1);
});

test('erasing messages leaves the vectors of the others in place', async () => {
  const { chat } = await chatter.person('Ana');
  const words = Array.from({ length: 20 }, (_, n) => `word${'abcdefghijklmnopqrst'[n]}`);
  await chatter.say(...words.map((text) => ({ chat, text })));
  await settle();
  const next = await openChatter(store, { embedder: async () => embedder });
  expect(await near('worda', 'all', next)).toHaveLength(5);
  const erased = words.filter((_, n) => n % 3 === 0 || n > 16);
  await store.sql('DELETE FROM messages WHERE body = ANY($1)', [erased]);
  await next.say({ chat, text: 'wordz' });
  await settle(next);
  const left = [...words.filter((word) => !erased.includes(word)), 'wordz'];
  expect(await next.vectors.indexes.current).toHaveProperty('size', left.length);
  for (const word of left) expect((await near(word, 'all', next))?.[0]).toBe(word);
});

test('what belongs to another chat now is found there', async () => {
  const [ana, ben] = [await chatter.person('Ana'), await chatter.person('Ben')];
  await chatter.say({ chat: ana.chat, text: 'the car is red' });
  await settle();
  const next = await openChatter(store, { embedder: async () => embedder });
  expect(await near('car', [ana.chat], next)).toHaveLength(1);
  await store.sql('UPDATE search_documents SET chat_id = $1', [ben.chat]);
  expect(await near('car', [ana.chat], next)).toEqual([]);
  await settle(next);
  expect(await near('car', [ben.chat], next)).toHaveLength(1);
});

test('a restart continues where it stopped, and embeds nothing twice', async () => {
  const { chat } = await chatter.person('Ana');
  await chatter.say(
    ...Array.from({ length: 10 }, (_, n) => ({ chat, text: `car ${'x'.repeat(n)}` })),
  );
  await settle();
  expect(embedder?.asked).toHaveLength(10);
  const next = await openChatter(store, { embedder: async () => embedder });
  await next.say({ chat, text: 'a new car' });
  await settle(next);
  expect(embedder?.asked.slice(10)).toEqual(['a new car']);
  expect(await near('new car', 'all', next)).toContain('a new car');
});

test('the newest come first', async () => {
  const { chat } = await chatter.person('Ana');
  await chatter.say(...['one', 'two', 'three', 'four', 'five'].map((text) => ({ chat, text })));
  await settle();
  expect(embedder?.asked).toEqual(['five', 'four', 'three', 'two', 'one']);
});

test('another model starts from the beginning, is not compared with the previous one, and replaces it', async () => {
  const { chat } = await chatter.person('Ana');
  await chatter.say({ chat, text: 'red car' }, { chat, text: 'supper' });
  await settle();
  embedder = new WordEmbedder({}, 'other');
  expect(await near('red car')).toEqual([]);
  const next = await openChatter(store, { embedder: async () => embedder });
  await settle(next);
  expect(await near('red car', 'all', next)).toEqual(['red car', 'supper']);
  expect(await store.sql('SELECT DISTINCT model FROM search_vectors')).toEqual([
    { model: 'other' },
  ]);
});
