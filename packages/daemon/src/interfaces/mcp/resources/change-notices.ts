// Sends change notices to clients that listen. Subscriptions are grouped by the hash of their token; for every batch of
// events the token is looked up again, and only what it may read at that moment is sent.
// Invariant: a notice contains no message text and no id of anything that the token may not read.
import {
  createMcpHandler,
  type McpServerFactory,
  type ServerEvent,
} from '@modelcontextprotocol/server';
import type { TokenClient } from '@relay/contract/api/credentials';
import { type EventLog, MESSAGE_EVENT, type StreamEvent } from '@relay/contract/api/events';
import { OUTBOX_STATES } from '@relay/contract/outbox/states';
import { isReached } from '@relay/core/outbox/progress';
import { sql } from 'kysely';
import { z } from 'zod';
import { aliasJidSql } from '../../../platform/db/names-and-addresses.ts';
import { PollLoop } from '../../../platform/poll-loop.ts';
import type { ClientDeps } from '../tool.ts';
import {
  loadOutline,
  mayReadResource,
  outlineName,
  type ResourceOutline,
  readableChatsSql,
} from './list.ts';
import { type ResourceRef, resourceUriSpellings } from './uris.ts';

type SendNotice = (event: ServerEvent) => void;

interface NoticeSubscription {
  /** Starts notices from now on; returns a function that stops them. */
  onNotice(send: SendNotice): () => void;
  unsubscribe(): void;
}

type ChangeNoticeDeps = Pick<ClientDeps, 'db' | 'lease' | 'admins' | 'tokens' | 'events' | 'log'>;

/** The subscriptions of one token. */
interface Audience {
  readonly subscribers: Set<{ send: SendNotice }>;
  /** The token's resource list when it was last loaded. */
  outline: ResourceOutline | null;
}

/** Maximum number of connections and streams that listen with one token at a time. */
const MOST_SUBSCRIBERS = 32;

export class ChangeNotices {
  readonly #deps: ChangeNoticeDeps;
  readonly #audiences = new Map<string, Audience>();
  #following: Promise<() => void> | null = null;

  constructor(deps: ChangeNoticeDeps) {
    this.#deps = deps;
  }

  /** Once it resolves, no later change is missed. Null when the token has reached the maximum of subscriptions. */
  async subscribe(hash: string): Promise<NoticeSubscription | null> {
    const audience = this.#audiences.get(hash) ?? { subscribers: new Set(), outline: null };
    if (audience.subscribers.size >= MOST_SUBSCRIBERS) return null;
    const subscriber = { send: (_: ServerEvent) => {} };
    const unsubscribe = () => {
      audience.subscribers.delete(subscriber);
      if (audience.subscribers.size > 0 || this.#audiences.get(hash) !== audience) return;
      this.#audiences.delete(hash);
      this.#stopFollowingIfIdle();
    };
    audience.subscribers.add(subscriber);
    this.#audiences.set(hash, audience);
    try {
      this.#following ??= this.#follow();
      await this.#following;
      audience.outline ??= await this.#outline(hash);
    } catch (error) {
      unsubscribe();
      throw error;
    }
    return {
      onNotice(send) {
        subscriber.send = send;
        return unsubscribe;
      },
      unsubscribe,
    };
  }

  get subscriberCount(): number {
    return [...this.#audiences.values()].reduce((sum, each) => sum + each.subscribers.size, 0);
  }

  #follow(): Promise<() => void> {
    const { events, log } = this.#deps;
    return followEventLog(
      events,
      (batch) => this.#take(batch),
      (error) => log.warn('change notices failed; retrying', { error }),
    );
  }

  /** Stops following the log when nobody listens. */
  #stopFollowingIfIdle(): void {
    if (this.#audiences.size > 0) return;
    const following = this.#following;
    this.#following = null;
    following?.then(
      (stop) => stop(),
      () => {},
    );
  }

  async #outline(hash: string): Promise<ResourceOutline | null> {
    const client = await this.#deps.tokens.findClient(hash);
    return client === null ? null : loadOutline(this.#deps, client);
  }

  async #take(batch: readonly StreamEvent[]): Promise<void> {
    const changes = collectChanges(batch);
    if (changes === null) return;
    for (const [hash, audience] of this.#audiences) {
      const client = await this.#deps.tokens.findClient(hash);
      // The token is no longer valid. Whoever owns the connection closes it; until then nothing is sent.
      if (client === null) continue;
      for (const event of await this.#noticesFor(client, audience, changes)) {
        for (const { send } of audience.subscribers) send(event);
      }
    }
  }

  async #noticesFor(
    client: TokenClient,
    audience: Audience,
    changes: ResourceChanges,
  ): Promise<readonly ServerEvent[]> {
    const { places, names } = await findReadableChanges(this.#deps, client, changes);
    const before = audience.outline;
    // Load the whole list only when it may have changed.
    if (changes.access || before === null || names.some((name) => !before.names.has(name))) {
      audience.outline = await loadOutline(this.#deps, client);
    }
    const isAnother = before !== null && before.print !== audience.outline?.print;
    const chats = places.some(({ kind }) => kind === 'chat') || isAnother;
    return [
      ...(isAnother ? [{ kind: 'resources_list_changed' as const }] : []),
      ...(chats && mayReadResource(client, 'chats')
        ? [{ kind: 'chats' as const }, ...places]
        : places
      )
        .flatMap(resourceUriSpellings)
        .map((uri) => ({ kind: 'resource_updated' as const, uri })),
    ];
  }
}

// Derives from events which resources have changed. Pure; the log names chats and conversations and contains no text.

interface ResourceChanges {
  /** Chats with new messages. */
  readonly chats: ReadonlySet<string>;
  /** Days whose digest was created or deleted, by chat. */
  readonly days: ReadonlyMap<string, ReadonlySet<string>>;
  /** Conversations with a new message or state. */
  readonly conversations: ReadonlySet<string>;
  /** Whether grants or identities have changed. */
  readonly access: boolean;
}

const state = z.enum(OUTBOX_STATES);
const outboxSchema = z.object({
  state,
  from: state,
  chat: z.uuid(),
  instance: z.uuid().nullable(),
});
const digestSchema = z.object({ day: z.string() });

const ACCESS = ['grant', 'grant.withdrawn', 'contact.merged'];

/** Null when none of the events concerns a resource. */
export function collectChanges(events: readonly StreamEvent[]): ResourceChanges | null {
  const chats = new Set<string>();
  const days = new Map<string, Set<string>>();
  const conversations = new Set<string>();
  let access = false;
  for (const { kind, subject, data } of events) {
    if (ACCESS.includes(kind)) access = true;
    else if (kind === 'outbox') collectOutboxChange(data, chats, conversations);
    else if (subject === null) continue;
    else if (kind === MESSAGE_EVENT) chats.add(subject);
    else if (kind === 'conversation' || kind.startsWith('conversation.'))
      conversations.add(subject);
    else if (kind === 'digest') {
      const day = digestSchema.safeParse(data).data?.day;
      if (day !== undefined) days.set(subject, (days.get(subject) ?? new Set()).add(day));
    }
  }
  const nothing = !access && chats.size + days.size + conversations.size === 0;
  return nothing ? null : { chats, days, conversations, access };
}

/** A sent message appears in its chat once WhatsApp has it; a transcript also shows its delivery state. */
function collectOutboxChange(
  data: StreamEvent['data'],
  chats: Set<string>,
  conversations: Set<string>,
): void {
  const moved = outboxSchema.safeParse(data).data;
  if (moved === undefined) return;
  if (isReached(moved.state) && !isReached(moved.from)) chats.add(moved.chat);
  if (moved.instance !== null) conversations.add(moved.instance);
}

// Follows the event log while there are subscriptions: from now on, in order, one batch at a time. A batch that failed
// is handled again.

const BATCH = 200;
/** How often it polls even if nothing woke it: an event that waited for an older transaction sends no wake-up. */
const LOOK_MS = 2_000;

type TakeBatch = (batch: readonly StreamEvent[]) => Promise<void>;

/** Resolves once no later event can be missed; returns a function that stops following. */
async function followEventLog(
  log: EventLog,
  take: TakeBatch,
  onerror: (error: unknown) => void,
): Promise<() => void> {
  let cursor = await log.latest();
  const loop = new PollLoop({
    look: async () => {
      const batch = await log.read(cursor, BATCH);
      if (loop.isStopping || batch.length === 0) return LOOK_MS;
      await take(batch);
      cursor = batch.at(-1)?.cursor ?? cursor;
      return batch.length === BATCH ? 'more' : LOOK_MS;
    },
    failed: (error) => {
      onerror(error);
      return LOOK_MS;
    },
    hintsEndFailure: true,
  });
  const unsubscribe = log.subscribe(() => loop.hint());
  loop.start();
  return () => {
    unsubscribe();
    loop.end();
  };
}

// Selects the changes that one client may read at this moment, with every address under which it may have subscribed.
// Invariant: the permission is checked in the same statement that loads the resource.

type ReadableChangesDeps = Pick<ClientDeps, 'db' | 'lease' | 'admins'>;

interface ChatRow {
  readonly id: string;
  /** Every address the chat has had. */
  readonly addresses: readonly string[];
}

interface ReadableChanges {
  readonly places: readonly ResourceRef[];
  /** The same resources by their names in an outline. */
  readonly names: readonly string[];
}

async function findReadableChanges(
  deps: ReadableChangesDeps,
  client: TokenClient,
  { chats, days, conversations }: ResourceChanges,
): Promise<ReadableChanges> {
  const chatsWithMessages = mayReadResource(client, 'chat') ? [...chats] : [];
  const chatsWithDigests = mayReadResource(client, 'digests') ? [...days.keys()] : [];
  const transcripts = mayReadResource(client, 'transcript') ? [...conversations] : [];
  const places: ResourceRef[] = [];
  const names: string[] = [];
  const changed = [...chatsWithMessages, ...chatsWithDigests];
  for (const { id, addresses } of await chatRows(deps, client, changed)) {
    if (chatsWithMessages.includes(id)) {
      names.push(outlineName('chat', id));
      for (const chat of addresses) places.push({ kind: 'chat', chat });
    }
    if (!chatsWithDigests.includes(id)) continue;
    names.push(outlineName('digests', id));
    for (const group of addresses) {
      places.push({ kind: 'digests', group });
      for (const day of days.get(id) ?? []) places.push({ kind: 'day', group, day });
    }
  }
  for (const conversation of await readableConversations(deps, client, transcripts)) {
    names.push(outlineName('transcript', conversation));
    places.push({ kind: 'transcript', conversation });
  }
  return { places, names };
}

async function chatRows(
  deps: ReadableChangesDeps,
  client: TokenClient,
  chats: readonly string[],
): Promise<readonly ChatRow[]> {
  if (chats.length === 0) return [];
  const { rows } = await sql<ChatRow>`
    SELECT c.id, array_remove(ARRAY[c.group_address, c.id::text] || ARRAY(
      SELECT ${aliasJidSql(sql.ref('a'))} FROM contact_aliases a
      WHERE a.account_id = c.account_id AND a.contact_id = c.contact_id), NULL) AS addresses
    FROM chats c WHERE c.account_id = ${deps.lease.account} AND c.id = ANY(${chats}::uuid[])
      AND c.id IN (${readableChatsSql(deps, client)})`.execute(deps.db);
  return rows;
}

async function readableConversations(
  deps: ReadableChangesDeps,
  client: TokenClient,
  conversations: readonly string[],
): Promise<readonly string[]> {
  if (conversations.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    SELECT i.id FROM instances i WHERE i.account_id = ${deps.lease.account}
      AND i.id = ANY(${conversations}::uuid[]) AND i.chat_id IN (${readableChatsSql(deps, client)})`.execute(
    deps.db,
  );
  return rows.map(({ id }) => id);
}

// `subscriptions/listen` over HTTP. The library sends every event of a handler to all its streams, so each stream gets
// its own handler and receives only what its token may read.

type Fetch = ReturnType<typeof createMcpHandler>['fetch'];

export const isListenRequest = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'method' in body && body.method === METHOD;

const METHOD = 'subscriptions/listen';

export async function createListenHandler(
  notices: ChangeNotices,
  hash: string,
  factory: McpServerFactory,
  onerror: (error: Error) => void,
): Promise<Fetch> {
  const subscription = await notices.subscribe(hash);
  let isSubscribed = false;
  const handler = createMcpHandler(factory, {
    onerror,
    maxSubscriptions: subscription === null ? 0 : 1,
    bus: {
      publish() {},
      subscribe(send) {
        isSubscribed = true;
        return subscription?.onNotice(send) ?? (() => {});
      },
    },
  });
  return async (...request) => {
    try {
      return await handler.fetch(...request);
    } finally {
      if (!isSubscribed) subscription?.unsubscribe();
    }
  };
}
