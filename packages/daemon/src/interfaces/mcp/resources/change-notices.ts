// Notices of change, each program's own. Everybody who listens has a seat under the hash of their token; of
// every batch of events the token is looked up anew, and told is only what it may read at that moment.
// Invariant: no word of anybody and no id of anything that the token may not read goes into a notice.
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
  /** From now on; gives the way to leave. */
  hear(tell: SendNotice): () => void;
  leave(): void;
}

type ChangeNoticeDeps = Pick<ClientDeps, 'db' | 'lease' | 'admins' | 'tokens' | 'events' | 'log'>;

/** Of one token. */
interface Audience {
  readonly seats: Set<{ tell: SendNotice }>;
  /** Its list, when it was last looked at. */
  outline: ResourceOutline | null;
}

/** Connections and streams that listen with one token at a time. */
const MOST_SEATS = 32;

export class ChangeNotices {
  readonly #world: ChangeNoticeDeps;
  readonly #audiences = new Map<string, Audience>();
  #following: Promise<() => void> | null = null;

  constructor(deps: ChangeNoticeDeps) {
    this.#world = deps;
  }

  /** Once it resolves nothing is missed that happens from then on. Null when the token has no seat left. */
  async seat(hash: string): Promise<NoticeSubscription | null> {
    const audience = this.#audiences.get(hash) ?? { seats: new Set(), outline: null };
    if (audience.seats.size >= MOST_SEATS) return null;
    const place = { tell: (_: ServerEvent) => {} };
    const leave = () => {
      audience.seats.delete(place);
      if (audience.seats.size > 0 || this.#audiences.get(hash) !== audience) return;
      this.#audiences.delete(hash);
      this.#rest();
    };
    audience.seats.add(place);
    this.#audiences.set(hash, audience);
    try {
      this.#following ??= this.#follow();
      await this.#following;
      audience.outline ??= await this.#outline(hash);
    } catch (error) {
      leave();
      throw error;
    }
    return {
      hear(tell) {
        place.tell = tell;
        return leave;
      },
      leave,
    };
  }

  /** How many listen. */
  get seats(): number {
    return [...this.#audiences.values()].reduce((all, { seats }) => all + seats.size, 0);
  }

  #follow(): Promise<() => void> {
    const { events, log } = this.#world;
    return followEventLog(
      events,
      (batch) => this.#take(batch),
      (error) => log.warn('a notice of change was not told yet', { error }),
    );
  }

  /** Nobody listens, so nobody looks at the log. */
  #rest(): void {
    if (this.#audiences.size > 0) return;
    const following = this.#following;
    this.#following = null;
    following?.then(
      (stop) => stop(),
      () => {},
    );
  }

  async #outline(hash: string): Promise<ResourceOutline | null> {
    const program = await this.#world.tokens.known(hash);
    return program === null ? null : loadOutline(this.#world, program);
  }

  async #take(batch: readonly StreamEvent[]): Promise<void> {
    const changes = collectChanges(batch);
    if (changes === null) return;
    for (const [hash, audience] of this.#audiences) {
      const program = await this.#world.tokens.known(hash);
      // Whoever holds the connection ends it; until then nothing is told.
      if (program === null) continue;
      for (const event of await this.#newsFor(program, audience, changes)) {
        for (const { tell } of audience.seats) tell(event);
      }
    }
  }

  async #newsFor(
    program: TokenClient,
    audience: Audience,
    changes: ResourceChanges,
  ): Promise<readonly ServerEvent[]> {
    const { places, names } = await findReadableChanges(this.#world, program, changes);
    const before = audience.outline;
    // The whole list is looked at only where it may be another.
    if (changes.access || before === null || names.some((name) => !before.names.has(name))) {
      audience.outline = await loadOutline(this.#world, program);
    }
    const isAnother = before !== null && before.print !== audience.outline?.print;
    const chats = places.some(({ kind }) => kind === 'chat') || isAnother;
    return [
      ...(isAnother ? [{ kind: 'resources_list_changed' as const }] : []),
      ...(chats && mayReadResource(program, 'chats')
        ? [{ kind: 'chats' as const }, ...places]
        : places
      )
        .flatMap(resourceUriSpellings)
        .map((uri) => ({ kind: 'resource_updated' as const, uri })),
    ];
  }
}

// From the log of events to what has changed for those who read by address. Pure; the log names chats and
// conversations and holds no words.

interface ResourceChanges {
  /** Something was said there. */
  readonly chats: ReadonlySet<string>;
  /** A digest was made or taken away: the days, by chat. */
  readonly days: ReadonlyMap<string, ReadonlySet<string>>;
  /** A line or a state is new. */
  readonly conversations: ReadonlySet<string>;
  /** Who may read what, or who is who. */
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

/** Null when nothing of it concerns anybody who reads. */
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

/** A message of ours is in its chat once it has left; a transcript also shows how far it has come. */
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

// Follows the log of events for as long as somebody wants to hear of them: from now on, in order, one batch at
// a time. A batch that could not be told is told again.

const BATCH = 200;
/** How often it looks though nothing woke it: what waited for an older transaction wakes nobody. */
const LOOK_MS = 2_000;

type TakeBatch = (batch: readonly StreamEvent[]) => Promise<void>;

/** Resolves once nothing that happens from then on can be missed; gives the way to stop. */
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

// Of what has changed, what one program may read at this moment, by each address it may be asked for under.
// Invariant: whether something may be read is asked in the statement that looks it up.

type ReadableChangesDeps = Pick<ClientDeps, 'db' | 'lease' | 'admins'>;

interface ChatRow {
  readonly id: string;
  /** Every address that it has had. */
  readonly addresses: readonly string[];
}

interface ReadableChanges {
  readonly places: readonly ResourceRef[];
  /** The same things by their names in an outline. */
  readonly names: readonly string[];
}

async function findReadableChanges(
  deps: ReadableChangesDeps,
  program: TokenClient,
  { chats, days, conversations }: ResourceChanges,
): Promise<ReadableChanges> {
  const said = mayReadResource(program, 'chat') ? [...chats] : [];
  const digested = mayReadResource(program, 'digests') ? [...days.keys()] : [];
  const lines = mayReadResource(program, 'transcript') ? [...conversations] : [];
  const places: ResourceRef[] = [];
  const names: string[] = [];
  for (const { id, addresses } of await chatRows(deps, program, [...said, ...digested])) {
    if (said.includes(id)) {
      names.push(outlineName('chat', id));
      for (const chat of addresses) places.push({ kind: 'chat', chat });
    }
    if (!digested.includes(id)) continue;
    names.push(outlineName('digests', id));
    for (const group of addresses) {
      places.push({ kind: 'digests', group });
      for (const day of days.get(id) ?? []) places.push({ kind: 'day', group, day });
    }
  }
  for (const conversation of await readableConversations(deps, program, lines)) {
    names.push(outlineName('transcript', conversation));
    places.push({ kind: 'transcript', conversation });
  }
  return { places, names };
}

async function chatRows(
  deps: ReadableChangesDeps,
  program: TokenClient,
  chats: readonly string[],
): Promise<readonly ChatRow[]> {
  if (chats.length === 0) return [];
  const { rows } = await sql<ChatRow>`
    SELECT c.id, array_remove(ARRAY[c.group_address, c.id::text] || ARRAY(
      SELECT ${aliasJidSql(sql.ref('a'))} FROM contact_aliases a
      WHERE a.account_id = c.account_id AND a.contact_id = c.contact_id), NULL) AS addresses
    FROM chats c WHERE c.account_id = ${deps.lease.account} AND c.id = ANY(${chats}::uuid[])
      AND c.id IN (${readableChatsSql(deps, program)})`.execute(deps.db);
  return rows;
}

async function readableConversations(
  deps: ReadableChangesDeps,
  program: TokenClient,
  conversations: readonly string[],
): Promise<readonly string[]> {
  if (conversations.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    SELECT i.id FROM instances i WHERE i.account_id = ${deps.lease.account}
      AND i.id = ANY(${conversations}::uuid[]) AND i.chat_id IN (${readableChatsSql(deps, program)})`.execute(
    deps.db,
  );
  return rows.map(({ id }) => id);
}

// `subscriptions/listen` over HTTP. The library hands every event of a handler to every stream of it, so each
// stream has a handler of its own, and hears what its token may.

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
  const seat = await notices.seat(hash);
  let heard = false;
  const handler = createMcpHandler(factory, {
    onerror,
    maxSubscriptions: seat === null ? 0 : 1,
    bus: {
      publish() {},
      subscribe(tell) {
        heard = true;
        return seat?.hear(tell) ?? (() => {});
      },
    },
  });
  return async (...request) => {
    try {
      return await handler.fetch(...request);
    } finally {
      if (!heard) seat?.leave();
    }
  };
}
