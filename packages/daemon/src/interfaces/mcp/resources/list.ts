// Lists the resources that a client may read, in pages. A cursor only says where the previous page ended: the token is
// checked again for every page.
import {
  type ListResourcesResult,
  ProtocolError,
  ProtocolErrorCode,
  type Resource,
} from '@modelcontextprotocol/server';
import type { TokenClient } from '@relay/contract/api/credentials';
import type { AccountId } from '@relay/contract/ids';
import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { readableChats } from '../../../features/search/scope.ts';
import { CHAT_JID_SQL } from '../../../platform/db/names-and-addresses.ts';
import type { AuthorizedRequest } from '../protocol.ts';
import type { ClientDeps } from '../tool.ts';
import { CHATS_RESOURCE, RESOURCE_SCOPES, type ResourceRef, resourceUri } from './uris.ts';

export const JSON_MIME_TYPE = 'application/json';
const PAGE = 100;

export async function listResourcePage(
  { deps, client }: AuthorizedRequest,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  const after = cursor === undefined ? null : parseCursor(cursor);
  const rows = await listResourceRows(deps, client, { after, limit: PAGE + 1 });
  const page = rows.slice(0, PAGE);
  const last = page.at(-1);
  return {
    resources: [
      ...(after === null && mayReadResource(client, 'chats') ? [ALL_CHATS] : []),
      ...page.map(toResource),
    ],
    ...(rows.length > PAGE && last !== undefined ? { nextCursor: encodeCursor(last) } : {}),
  };
}

const ALL_CHATS: Resource = {
  uri: resourceUri({ kind: 'chats' }),
  ...CHATS_RESOURCE,
  mimeType: JSON_MIME_TYPE,
};

function toResource(row: ResourceRow): Resource {
  const place = resourceRefOf(row);
  return {
    uri: resourceUri(place),
    name: row.shown,
    title: `${TITLES[place.kind]} ${row.name}`,
    mimeType: JSON_MIME_TYPE,
    ...(row.at === null ? {} : { annotations: { lastModified: row.at.toISOString() } }),
  };
}

const TITLES: Readonly<Record<ResourceRef['kind'], string>> = {
  chats: 'Chats',
  chat: 'Chat:',
  digests: 'Digests:',
  day: 'Digests:',
  transcript: 'Conversation with',
};

const cursorSchema = z.tuple([
  z.int().min(0).max(9),
  z.string().regex(/^-?\d{1,20}(\.\d{1,6})?$/),
  z.uuid(),
]);

const encodeCursor = ({ part, age, id }: ResourceCursor): string =>
  Buffer.from(JSON.stringify([part, age, id])).toString('base64url');

function parseCursor(cursor: string): ResourceCursor {
  try {
    const [part, age, id] = cursorSchema.parse(
      JSON.parse(Buffer.from(cursor.slice(0, 200), 'base64url').toString('utf8')),
    );
    return { part, age, id };
  } catch {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'This is not a cursor of this list.');
  }
}

// The resources that a client may read, as rows: chats, groups with digests, conversations, each kind only with its
// scope.
// Invariant: no row contains what the token may not read, so neither a list nor a notice reveals that it exists.

interface ResourceRow {
  readonly part: number;
  /** Sorts within a part, newest first. */
  readonly age: string;
  readonly id: string;
  /** The id as the tools return it. */
  readonly shown: string;
  readonly name: string;
  readonly at: Date | null;
  readonly unread: number;
}

type ResourceCursor = Pick<ResourceRow, 'part' | 'age' | 'id'>;

type ResourceDeps = Pick<ClientDeps, 'db' | 'lease' | 'admins'>;

const PARTS = ['chat', 'digests', 'transcript'] as const;
export type ResourcePart = (typeof PARTS)[number];

export async function listResourceRows(
  deps: ResourceDeps,
  client: TokenClient,
  which: {
    readonly parts?: readonly ResourcePart[];
    readonly after: ResourceCursor | null;
    readonly limit: number;
  },
): Promise<readonly ResourceRow[]> {
  const { after, limit } = which;
  const beyond =
    after === null
      ? sql`true`
      : sql`(part, age, id) > (${after.part}::int, ${after.age}::numeric, ${after.id})`;
  const { rows } = await sql<ResourceRow>`
    SELECT part, age::text, id, shown, name, at, unread FROM (${resourceRowsSql(deps, client, which.parts)}) listed
    WHERE ${beyond} ORDER BY part, listed.age, id LIMIT ${limit}`.execute(deps.db);
  return rows;
}

export interface ResourceOutline {
  /** A fingerprint of the list: changes when an entry or its name changes. */
  readonly print: string;
  readonly names: ReadonlySet<string>;
}

export async function loadOutline(
  deps: ResourceDeps,
  client: TokenClient,
): Promise<ResourceOutline> {
  const { rows } = await sql<{ print: string | null; names: string[] | null }>`
    SELECT md5(string_agg(part || shown || name, ' ' ORDER BY part, id)) AS print,
      array_agg(part || ' ' || id) AS names
    FROM (${resourceRowsSql(deps, client)}) listed`.execute(deps.db);
  const [row] = rows;
  return { print: row?.print ?? '', names: new Set(row?.names) };
}

/** The name of an entry in an outline. */
export const outlineName = (part: ResourcePart, id: string): string =>
  `${PARTS.indexOf(part)} ${id}`;

export function resourceRefOf({ part, shown }: ResourceRow): ResourceRef {
  switch (PARTS[part]) {
    case 'digests':
      return { kind: 'digests', group: shown };
    case 'transcript':
      return { kind: 'transcript', conversation: shown };
    default:
      return { kind: 'chat', chat: shown };
  }
}

export const mayReadResource = ({ scopes }: TokenClient, kind: ResourceRef['kind']): boolean =>
  scopes.includes(RESOURCE_SCOPES[kind]);

/** A subquery of chat ids. */
export const readableChatsSql = ({ lease, admins }: ResourceDeps, { contacts }: TokenClient) =>
  readableChats(lease.account, { kind: 'token', contacts }, admins);

function resourceRowsSql(
  deps: ResourceDeps,
  client: TokenClient,
  wanted: readonly ResourcePart[] = PARTS,
): RawBuilder<unknown> {
  const { account } = deps.lease;
  const parts = PARTS.flatMap((part, n) =>
    wanted.includes(part) && mayReadResource(client, part)
      ? [
          sql`SELECT ${n}::int AS part, ${AGE} AS age, of.* FROM (${ROWS[part](account, readableChatsSql(deps, client))}) of`,
        ]
      : [],
  );
  return parts.length === 0 ? NO_ROWS_SQL : sql.join(parts, sql` UNION ALL `);
}

const AGE = sql`coalesce(-extract(epoch FROM of.at), 0)::numeric`;

const NO_ROWS_SQL = sql`SELECT 0 AS part, 0::numeric AS age, '' AS id, '' AS shown, '' AS name, now() AS at,
  0 AS unread WHERE false`;

/** For `chats c`: the address that `get_chats` returns, and the name in the owner's record. */
const ADDRESS = sql`coalesce(${CHAT_JID_SQL}, c.id::text)`;
const NAMED = sql`
  LEFT JOIN LATERAL (SELECT r.display_name FROM grants r WHERE r.account_id = c.account_id
    AND (r.chat_id = c.id OR r.contact_id = c.contact_id) LIMIT 1) g ON true`;
const NAME = sql`coalesce(g.display_name, ${ADDRESS})`;

type Rows = (account: AccountId, chats: RawBuilder<unknown>) => RawBuilder<unknown>;

const ROWS: Readonly<Record<ResourcePart, Rows>> = {
  chat: (account, chats) => sql`
    SELECT c.id::text AS id, ${ADDRESS} AS shown, ${NAME} AS name, c.last_message_at AS at, c.unread_count AS unread
    FROM chats c ${NAMED} WHERE c.account_id = ${account} AND c.id IN (${chats})`,
  digests: (account, chats) => sql`
    SELECT c.id::text AS id, ${ADDRESS} AS shown, ${NAME} AS name, d.at, 0 AS unread
    FROM chats c ${NAMED}
      LEFT JOIN LATERAL (SELECT max(created_at) AS at FROM digests
        WHERE account_id = c.account_id AND chat_id = c.id) d ON true
    WHERE c.account_id = ${account} AND c.id IN (${chats}) AND c.kind = 'group' AND (d.at IS NOT NULL OR EXISTS (
      SELECT FROM observed_groups o WHERE o.account_id = c.account_id AND o.chat_id = c.id))`,
  transcript: (account, chats) => sql`
    SELECT i.id::text AS id, i.id::text AS shown, ${NAME} AS name, i.updated_at AS at, i.unread
    FROM instances i JOIN chats c ON c.account_id = i.account_id AND c.id = i.chat_id ${NAMED}
    WHERE i.account_id = ${account} AND i.chat_id IN (${chats})`,
};
