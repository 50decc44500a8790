// Loads the history of a set as an account would have it, and runs its queries with the complete search.
import type { ChatId, ContactId } from '@relay/contract/ids';
import type { Embedder } from '@relay/core/ports/embedder';
import type { SearchScope } from '@relay/daemon/features/search/scope';
import type { MessageHit } from '@relay/daemon/features/search/search';
import { openChatter } from '@relay/daemon/features/search/testing/chatter';
import type { openStore } from '../store.ts';
import type { RetrievalSet, SetQuery } from './data.ts';
import type { Answer } from './score.ts';

type Store = Awaited<ReturnType<typeof openStore>>;
type Chatter = Awaited<ReturnType<typeof openChatter>>;

export interface Answers {
  /** What `relay search` shows; it reports that nothing was found where nothing is certain. */
  readonly search: readonly Answer[];
  /** What a model is shown. */
  readonly retrieve: readonly Answer[];
}

/** As many as are scored. */
const SHOWN = 10;

export async function askAll(
  set: RetrievalSet,
  store: Pick<Store, 'database' | 'account' | 'sql'>,
  embedder: Embedder | null,
): Promise<Answers> {
  let now = new Date();
  const chatter = await openChatter(store, { now: () => now, embedder: async () => embedder });
  const { chats, ids } = await fill(set, chatter);
  if (embedder !== null) await embedAll(chatter);
  const search: Answer[] = [];
  const retrieve: Answer[] = [];
  for (const query of set.queries) {
    now = new Date(query.now);
    const scope = await scoped(query, chats, chatter, store);
    const found = (hits: readonly MessageHit[]) =>
      hits.map(({ message }) => ids.get(message) ?? '');
    const shown = await chatter.search.search(scope, query.q, { to: now, limit: SHOWN });
    const told = await chatter.search.retrieve(scope, query.q, { to: now, limit: SHOWN });
    search.push({ query, found: found(shown), nothing: !shown.some(({ isSure }) => isSure) });
    retrieve.push({ query, found: found(told), nothing: told.length === 0 });
  }
  return { search, retrieve };
}

async function fill(set: RetrievalSet, chatter: Chatter) {
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

/** Also waits for the baseline vectors: until they exist, a query with a newly enabled model uses words only. */
async function embedAll({ vectors }: Chatter): Promise<void> {
  vectors.follower.start();
  await vectors.follower.caughtUp();
  await vectors.follower.stop();
  const anywhere = async () => ({ chats: 'all', limit: 1 }) as const;
  while ((await vectors.findNearby('hello', anywhere)) === null);
}

/** A single chat is searched as a session bound to it, several as the assistant with grants for them. */
async function scoped(
  { scope }: SetQuery,
  chats: ReadonlyMap<string, ChatId>,
  chatter: Chatter,
  { sql }: Pick<Store, 'sql'>,
): Promise<SearchScope> {
  if (scope === undefined || scope.length === chats.size) return { kind: 'owner' };
  const readable = scope.map((chat) => chats.get(chat) as ChatId);
  const [only] = readable;
  if (readable.length === 1 && only !== undefined) return { kind: 'chat', chat: only };
  await sql('DELETE FROM grants');
  for (const chat of readable) await chatter.grantChat(chat);
  return { kind: 'assistant' };
}
