// How well past messages are found: a history, questions with graded answers, and the whole of search over a
// real database. What was asked within a scope may find nothing outside of it, or the figures are worth nothing.
import { join } from 'node:path';
import type { ChatId, ContactId } from '@relay/core/ids';
import type { SearchScope } from '@relay/daemon/search/scope';
import { openChatter } from '@relay/daemon/search/testing/chatter';
import type { Limit } from './figures.ts';
import { type RetrievalSet, readSet, type SetQuery } from './retrieval/data.ts';
import { type Answer, score } from './retrieval/score.ts';
import { openStore } from './store.ts';

const FIXTURES = join(import.meta.dirname, 'retrieval', 'fixtures');

export async function benchRetrieval(directory = FIXTURES): Promise<readonly Limit[]> {
  const set = await readSet(directory);
  const store = await openStore();
  try {
    const { searched, retrieved, leaks } = await ask(set, store);
    return [
      ...figures('search', searched, { all: 0.6, mrr: 0.62, none: 0, ...OF_WORDS }),
      ...figures('retrieve', retrieved, { all: 0.54, mrr: 0.58, none: 0.9, ...OF_WORDS }),
      leaks,
    ];
  } finally {
    await store.close();
  }
}

async function ask(set: RetrievalSet, store: Awaited<ReturnType<typeof openStore>>) {
  let now = new Date(0);
  const chatter = await openChatter(store, { now: () => now });
  const { chats, ids } = await fill(set, chatter);
  const searched: Answer[] = [];
  const retrieved: Answer[] = [];
  let leaks = 0;
  for (const query of set.queries) {
    now = new Date(query.now);
    const scope = await scoped(query, chats, chatter, store);
    const [search, retrieve] = [
      await chatter.search.search(scope, query.q, { to: now, limit: 20 }),
      await chatter.search.retrieve(scope, query.q, { to: now }),
    ];
    const readable = new Set(query.scope?.map((chat) => chats.get(chat)));
    leaks += [...search, ...retrieve].filter(
      ({ chat }) => query.scope !== undefined && !readable.has(chat),
    ).length;
    searched.push({ query, found: search.map(({ message }) => ids.get(message) ?? '') });
    retrieved.push({ query, found: retrieve.map(({ message }) => ids.get(message) ?? '') });
  }
  return {
    searched,
    retrieved,
    leaks: { name: 'found outside of the scope', measured: leaks, unit: '', atMost: 0 } as const,
  };
}

/** The history as an account would have it; `ids` leads from our ids of messages to those of the set. */
async function fill(set: RetrievalSet, chatter: Awaited<ReturnType<typeof openChatter>>) {
  const people = new Map<string, ContactId>();
  const chats = new Map<string, ChatId>();
  for (const { id, kind, name } of set.chats) {
    if (kind === 'group') {
      chats.set(id, await chatter.group(name));
      continue;
    }
    const sender = set.messages.find((line) => line.chat === id && line.sender !== 'me')?.sender;
    const { chat, contact } = await chatter.person(sender ?? name);
    chats.set(id, chat);
    people.set(sender ?? name, contact);
  }
  for (const { sender } of set.messages) {
    if (sender === 'me' || people.has(sender)) continue;
    people.set(sender, (await chatter.person(sender)).contact);
  }
  const said = await chatter.say(
    ...set.messages.map(({ chat, sender, ts, text }) => ({
      chat: chats.get(chat) as ChatId,
      by: people.get(sender) ?? null,
      text,
      at: new Date(ts),
    })),
  );
  chatter.indexer.start();
  await chatter.indexer.caughtUp();
  await chatter.indexer.stop();
  return { chats, ids: new Map(said.map((id, n) => [id, set.messages[n]?.id ?? ''])) };
}

/** One chat is asked as a session bound to it, several as the assistant with grants for them. */
async function scoped(
  { scope }: SetQuery,
  chats: ReadonlyMap<string, ChatId>,
  chatter: Awaited<ReturnType<typeof openChatter>>,
  { sql }: Awaited<ReturnType<typeof openStore>>,
): Promise<SearchScope> {
  if (scope === undefined || scope.length === chats.size) return { kind: 'owner' };
  const readable = scope.map((chat) => chats.get(chat) as ChatId);
  const [only] = readable;
  if (readable.length === 1 && only !== undefined) return { kind: 'chat', chat: only };
  await sql('DELETE FROM grants');
  for (const chat of readable) await chatter.grantChat(chat);
  return { kind: 'assistant' };
}

const KINDS = [
  'keyword',
  'identifier',
  'who',
  'temporal',
  'superseded',
  'paraphrase',
  'crosslingual',
];

/** What full text must find; other words and other languages are for vectors. */
const OF_WORDS = { keyword: 0.9, identifier: 0.98, temporal: 0.85 };

type Floors = Readonly<Record<string, number>>;

function figures(verb: string, answers: readonly Answer[], floors: Floors): readonly Limit[] {
  const all = score(answers);
  const limit = (name: string, measured: number, floor?: number): Limit => ({
    name: `${verb}: ${name}`,
    measured,
    unit: '×',
    ...(floor === undefined ? {} : { atLeast: floor }),
  });
  return [
    limit(`recall@5 over ${all.queries} questions`, all.recall, floors.all),
    limit('MRR', all.mrr, floors.mrr),
    ...KINDS.map((kind) => {
      const { recall } = score(answers.filter(({ query }) => query.kind === kind));
      return limit(`recall@5 of ${kind}`, recall, floors[kind]);
    }),
    limit('finds nothing where nothing is', all.abstains, floors.none),
    limit('the current fact before the old one', all.newFirst),
  ];
}
