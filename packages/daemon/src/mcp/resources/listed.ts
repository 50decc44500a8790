// What a program may read by address, as rows: chats, groups with digests, conversations, each part if its
// scope is the token's. Invariant: what the token may not read is in no row, so neither a list nor a notice
// can tell that it exists.
import type { AccountId } from '@relay/core/ids';
import type { Program } from '@relay/core/ports/tokens';
import { type RawBuilder, sql } from 'kysely';
import { readableChats } from '../../search/scope.ts';
import { CHAT_ADDRESS } from '../../store/addresses.ts';
import type { ProgramWorld } from '../world.ts';
import { type Place, SCOPE_OF } from './uris.ts';

export interface Listed {
  readonly part: number;
  /** Orders within a part: the newest first. */
  readonly age: string;
  readonly id: string;
  /** As the tools give it. */
  readonly shown: string;
  readonly name: string;
  readonly at: Date | null;
  readonly unread: number;
}

export type After = Pick<Listed, 'part' | 'age' | 'id'>;

type ListingWorld = Pick<ProgramWorld, 'db' | 'lease' | 'admins'>;

const PARTS = ['chat', 'digests', 'transcript'] as const;
export type Part = (typeof PARTS)[number];

export async function listed(
  world: ListingWorld,
  program: Program,
  which: { readonly parts?: readonly Part[]; readonly after: After | null; readonly limit: number },
): Promise<readonly Listed[]> {
  const { after, limit } = which;
  const beyond =
    after === null
      ? sql`true`
      : sql`(part, age, id) > (${after.part}::int, ${after.age}::numeric, ${after.id})`;
  const { rows } = await sql<Listed>`
    SELECT part, age::text, id, shown, name, at, unread FROM (${rowsOf(world, program, which.parts)}) listed
    WHERE ${beyond} ORDER BY part, listed.age, id LIMIT ${limit}`.execute(world.db);
  return rows;
}

export interface Outline {
  /** Another when the list is: what is in it, and what it is called. */
  readonly print: string;
  readonly names: ReadonlySet<string>;
}

export async function outline(world: ListingWorld, program: Program): Promise<Outline> {
  const { rows } = await sql<{ print: string | null; names: string[] | null }>`
    SELECT md5(string_agg(part || shown || name, ' ' ORDER BY part, id)) AS print,
      array_agg(part || ' ' || id) AS names
    FROM (${rowsOf(world, program)}) listed`.execute(world.db);
  const [row] = rows;
  return { print: row?.print ?? '', names: new Set(row?.names) };
}

/** Of something in the list, as an outline has it. */
export const nameIn = (part: Part, id: string): string => `${PARTS.indexOf(part)} ${id}`;

export function placeOf({ part, shown }: Listed): Place {
  switch (PARTS[part]) {
    case 'digests':
      return { kind: 'digests', group: shown };
    case 'transcript':
      return { kind: 'transcript', conversation: shown };
    default:
      return { kind: 'chat', chat: shown };
  }
}

export const mayRead = ({ scopes }: Program, kind: Place['kind']): boolean =>
  scopes.includes(SCOPE_OF[kind]);

/** A subquery of chat ids. */
export const chatsFor = ({ lease, admins }: ListingWorld, { contacts }: Program) =>
  readableChats(lease.account, { kind: 'token', contacts }, admins);

function rowsOf(
  world: ListingWorld,
  program: Program,
  wanted: readonly Part[] = PARTS,
): RawBuilder<unknown> {
  const { account } = world.lease;
  const parts = PARTS.flatMap((part, n) =>
    wanted.includes(part) && mayRead(program, part)
      ? [
          sql`SELECT ${n}::int AS part, ${AGE} AS age, of.* FROM (${ROWS[part](account, chatsFor(world, program))}) of`,
        ]
      : [],
  );
  return parts.length === 0 ? NOTHING : sql.join(parts, sql` UNION ALL `);
}

const AGE = sql`coalesce(-extract(epoch FROM of.at), 0)::numeric`;

const NOTHING = sql`SELECT 0 AS part, 0::numeric AS age, '' AS id, '' AS shown, '' AS name, now() AS at,
  0 AS unread WHERE false`;

/** Of `chats c`: the address that `get_chats` gives, and the name in the owner's record. */
const ADDRESS = sql`coalesce(${CHAT_ADDRESS}, c.id::text)`;
const NAMED = sql`
  LEFT JOIN LATERAL (SELECT r.display_name FROM grants r WHERE r.account_id = c.account_id
    AND (r.chat_id = c.id OR r.contact_id = c.contact_id) LIMIT 1) g ON true`;
const NAME = sql`coalesce(g.display_name, ${ADDRESS})`;

type Rows = (account: AccountId, chats: RawBuilder<unknown>) => RawBuilder<unknown>;

const ROWS: Readonly<Record<Part, Rows>> = {
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
