// Tests the owner's search as another actor: exactly what that actor would find, and without recording a read.
import { randomBytes, randomUUID } from 'node:crypto';
import type { ContactId } from '@relay/contract/ids';
import { freshStore } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openChatter, type Person } from './testing/chatter.ts';

const store = await freshStore();
const { search, service, indexer, person, group, say, grant } = await openChatter(store);

let mum: Person;
let sam: Person;

beforeAll(async () => {
  indexer.start();
  mum = await person('Mum');
  sam = await person('Sam');
  const kit = await person('Kit');
  const books = await group('Book club');
  await say(
    { chat: mum.chat, by: mum.contact, text: 'the boiler of mum' },
    { chat: sam.chat, by: sam.contact, text: 'the boiler of sam' },
    { chat: kit.chat, by: kit.contact, text: 'the boiler of kit' },
    { chat: books, by: kit.contact, text: 'the boiler in a book' },
  );
  await grant({ contact: mum.contact });
  await grant({ contact: sam.contact });
  await grant({ group: books });
  await indexer.caughtUp();
});
afterAll(() => indexer.stop());

async function token(scopes: readonly string[], contacts: readonly ContactId[] | null = null) {
  const id = randomUUID();
  await store.sql(
    `INSERT INTO tokens (account_id, id, name, hash, scopes, contacts, confirm)
     VALUES ($1, $2, $3, $4, $5, $6, true)`,
    [store.account, id, `Claude ${id}`, randomBytes(32), scopes, contacts],
  );
  return id;
}
const found = async (as?: string) => {
  const { hits } = await service.search({ q: 'boiler', limit: 20, ...(as ? { as } : {}) });
  return hits.map(({ text }) => text).sort();
};

test('finds everything as the owner, and what may be read as the assistant', async () => {
  expect(await found()).toHaveLength(4);
  expect(await found('assistant')).toEqual([
    'the boiler in a book',
    'the boiler of mum',
    'the boiler of sam',
  ]);
});

test('finds as a client what its token may read, the same as its own search', async () => {
  const all = await token(['search:read']);
  const one = await token(['search:read', 'messages:read'], [sam.contact]);
  expect(await found(all)).toHaveLength(3);
  expect(await found(one)).toEqual(['the boiler of sam']);
  const own = await search.search({ kind: 'token', contacts: [sam.contact] }, 'boiler');
  expect(own.map(({ text }) => text)).toEqual(await found(one));
  const there = await service.search({ q: 'boiler', limit: 20, as: one, chat: 'Mum' });
  expect(there.hits).toEqual([]);
});

test('records neither a read nor a use of the token', async () => {
  const id = await token(['search:read']);
  expect(await found(id)).not.toEqual([]);
  expect(await store.sql('SELECT FROM token_reads')).toEqual([]);
  expect(await store.sql('SELECT last_used_at FROM tokens WHERE id = $1', [id])).toEqual([
    { last_used_at: null },
  ]);
});

test('refuses a token that may not search, was revoked or never existed', async () => {
  const cannot = await token(['messages:read']);
  const ended = await token(['search:read']);
  await store.sql('UPDATE tokens SET revoked_at = now() WHERE id = $1', [ended]);
  await expect(found(cannot)).rejects.toMatchObject({ code: 'token_searches_nothing' });
  await expect(found(ended)).rejects.toMatchObject({ code: 'token_not_found' });
  await expect(found(randomUUID())).rejects.toMatchObject({ code: 'token_not_found' });
});

test('a hit carries the file and the typed content of its message, and so do its neighbours', async () => {
  verifies('MEDIA-TYPED', 'MEDIA-ON-MESSAGES');
  const [photo, place] = await say(
    { chat: sam.chat, by: sam.contact, text: '[Image] harbour at dawn', kind: 'imageMessage' },
    { chat: sam.chat, by: sam.contact, text: '[Location] harbour gate', kind: 'locationMessage' },
  );
  await store.sql(
    `INSERT INTO media (account_id, chat_id, message, message_at, message_id, origin, kind, state, reason)
     SELECT account_id, chat_id, id, sent_at, message_id, 'received', 'image', 'refused', 'too_large'
     FROM messages WHERE message_id = $1`,
    [photo],
  );
  await store.sql(`UPDATE messages SET details = $2 WHERE message_id = $1`, [
    place,
    { content: PLACE },
  ]);
  await indexer.caughtUp();
  const { hits } = await service.search({ q: 'harbour', limit: 20 });
  const hitOf = (id: string | undefined) => hits.find(({ message_id }) => message_id === id);
  expect(hitOf(photo)?.media).toMatchObject({ kind: 'image', reason: 'too_large' });
  expect(hitOf(photo)?.content).toBeUndefined();
  expect(hitOf(place)).toMatchObject({ content: PLACE });
  expect(hitOf(place)?.media).toBeUndefined();
  const beside = [hitOf(photo), hitOf(place)].flatMap((hit) => [hit?.before, hit?.after]);
  expect(beside).toContainEqual(expect.objectContaining({ content: PLACE }));
});

const PLACE = {
  kind: 'location',
  latitude: 52.5,
  longitude: 13.25,
  name: 'Gate',
  address: null,
  live: false,
};
