// Random contacts, groups, grants, messages and questions: everything found, retrieved or read is within what may be
// read, according to a second implementation of the rule in this file.
import type { ChatId, ContactId } from '@relay/contract/ids';
import { findZone } from '@relay/core/schedule/zone';
import { freshStore, times } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SearchScope } from './scope.ts';
import { MessageSearch } from './search.ts';
import { findCandidates, findLaterChanges } from './sql.ts';
import { openChatter } from './testing/chatter.ts';

// PROPERTY_RUNS requests the long run.
const numRuns = process.env.PROPERTY_RUNS ? 200 : 25;

const store = await freshStore();
const NOW = new Date('2026-10-14T12:00:00Z');
const ADMIN = '4915112345678';
const chatter = await openChatter(store, { now: () => NOW, admins: [ADMIN] });

const UTC = findZone('UTC');
if (UTC === null) throw new Error('no UTC');

/** Every document with its chat. All of them are near every question, whatever the caller may read. */
let chats: ReadonlyMap<number, ChatId> = new Map();
const everything = () => ({
  chance: 0,
  documents: [...chats.keys()].map((id) => ({ id, similarity: 1 })),
});
const place = { db: store.database.kysely, account: store.account, admins: [ADMIN] };
const deceived = new MessageSearch({
  ...place,
  zone: UTC,
  now: () => NOW,
  caughtUp: async () => {},
  findNearby: async () => everything(),
});

const NOTHING_SAID = { terms: [], phrases: [], time: null, spare: [] };
const NOBODY = { contacts: [], chats: [], words: new Set<string>() };

const WORDS = [
  'boiler',
  'golden',
  'lion',
  'plumber',
  'yesterday',
  'ana',
  'bo',
  'club',
  'what',
  'changed',
  '"golden lion"',
];

interface Place {
  readonly chat: ChatId;
  readonly contact: ContactId | null;
  readonly own: boolean;
}

test('finds nothing outside of what the caller may read', async () => {
  verifies('001-CONTEXT-SCOPE');
  const people = await Promise.all(['Ana', 'Bo', 'Cy', 'Dee'].map((name) => chatter.person(name)));
  const admin = await chatter.person('Other phone', ADMIN);
  const groups = [await chatter.group('Club of Ana'), await chatter.group('Lion')];
  const places: readonly Place[] = [
    ...people.map(({ chat, contact }) => ({ chat, contact, own: false })),
    { ...admin, own: true },
    ...groups.map((chat) => ({ chat, contact: null, own: false })),
  ];
  await chatter.say(
    ...times(400, (n) => ({
      chat: (places[n % places.length] as Place).chat,
      by: n % 3 === 0 ? null : (people[n % people.length]?.contact ?? null),
      text: times(4, (word) => WORDS[(n * 7 + word * word * 3) % WORDS.length]).join(' '),
      at: new Date(NOW.getTime() - (n % 60) * 3_600_000),
    })),
  );
  chatter.indexer.start();
  await chatter.indexer.caughtUp();
  await chatter.indexer.stop();
  const documents = await store.sql<{ id: number; chat_id: ChatId }>(
    'SELECT id, chat_id FROM search_documents',
  );
  chats = new Map(documents.map(({ id, chat_id }) => [id, chat_id]));

  const grants = fc.array(fc.constantFrom('none', 'read', 'no read'), {
    minLength: places.length,
    maxLength: places.length,
  });
  const scopes = fc.oneof(
    fc.constant<SearchScope>({ kind: 'assistant' }),
    fc.constantFrom(...places.map(({ chat }): SearchScope => ({ kind: 'chat', chat }))),
  );
  const question = fc
    .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 })
    .map((words) => words.join(' '));
  const chosen = fc.record(
    {
      chat: fc.constantFrom(...places.map(({ chat }) => chat)),
      contact: fc.constantFrom<ContactId | 'me'>('me', ...people.map(({ contact }) => contact)),
    },
    { requiredKeys: [] },
  );

  let seen = 0;
  await fc.assert(
    fc.asyncProperty(grants, scopes, question, chosen, async (given, scope, asked, options) => {
      await store.sql('DELETE FROM grants');
      for (const [n, { chat, contact }] of places.entries()) {
        if (given[n] === 'none') continue;
        const of = contact === null ? { group: chat } : { contact };
        await chatter.grant(of, given[n] === 'read');
      }
      const readable = new Set(
        scope.kind === 'chat'
          ? [scope.chat]
          : places.flatMap(({ chat, own }, n) => (own || given[n] === 'read' ? [chat] : [])),
      );
      const found = [
        ...(await chatter.search.search(scope, asked, { limit: 100, ...options })),
        ...(await chatter.search.retrieve(scope, asked, { limit: 50 })),
        ...(await deceived.search(scope, asked, { limit: 100, ...options })),
        ...(await deceived.retrieve(scope, asked, { limit: 50 })),
        ...(
          await Promise.all(
            places.map(({ chat }) => chatter.search.lastMessages(scope, { chat, limit: 5 })),
          )
        ).flat(),
      ];
      seen += found.length;
      for (const { chat } of found) expect(readable).toContain(chat);
      // What may not be read must not influence the order, or whether a result is sure.
      const weighed = await findCandidates(
        place,
        scope,
        NOTHING_SAID,
        NOBODY,
        {},
        Promise.resolve(everything()),
      );
      for (const { id } of weighed.candidates) expect(readable).toContain(chats.get(id));
      const overtaken = await findLaterChanges(place, scope, {}, [...chats.keys()].slice(0, 30));
      for (const id of overtaken.keys()) expect(readable).toContain(chats.get(id));
    }),
    { numRuns },
  );
  expect(seen).toBeGreaterThan(numRuns);
});
