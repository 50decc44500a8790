// Whom the owner's assistant may know of: those the owner has made a record for, and the owner's own chats;
// and whom a program may know of: the same without those. Whoever is not in here does not exist for it. Names
// are the owner's, never what people call themselves.
import type { Alias } from '@relay/core/contacts/alias';
import type { ReplyMode } from '@relay/core/contacts/grants';
import type { AccountId, ChatId, ContactId } from '@relay/core/ids';
import { type RawBuilder, sql } from 'kysely';
import { jidOfAlias } from './addresses.ts';
import type { Reader } from './database.ts';

export interface Permitted {
  readonly kind: 'own' | 'direct' | 'group';
  readonly contact: ContactId | null;
  /** Null while nobody has written there. */
  readonly chat: ChatId | null;
  /** As WhatsApp has it: the number where it is known. */
  readonly address: string;
  readonly phone: string | null;
  readonly name: string;
  /** What they call themselves, for finding them by it. Never shown to a model. */
  readonly callsItself: string | null;
  readonly canRead: boolean;
  readonly canReply: boolean;
  readonly replyMode: ReplyMode;
  readonly canInitiate: boolean;
  readonly lastMessageAt: Date | null;
}

/** The owner's own chats, then those with the newest messages. `admins` are the owner's other numbers, in digits. */
export async function listPermitted(
  db: Reader,
  account: AccountId,
  admins: readonly string[],
  limit: number,
): Promise<Permitted[]> {
  const { rows } = await sql<Permitted>`${known(account, admins)}
    SELECT * FROM known ORDER BY kind = 'own' DESC, "lastMessageAt" DESC NULLS LAST, name, address LIMIT ${limit}`.execute(
    db,
  );
  return rows;
}

type Address = { readonly alias: Alias } | { readonly group: string };

/** Of a person, by any address they have; or of a group. */
export async function findPermitted(
  db: Reader,
  account: AccountId,
  admins: readonly string[],
  who: Address,
): Promise<Permitted | null> {
  const { rows } = await sql<Permitted>`${known(account, admins)}
    SELECT * FROM known WHERE ${isAt(account, who)} LIMIT 1`.execute(db);
  return rows[0] ?? null;
}

/** Whom a program's token names, or null for all; and the owner's other numbers, in digits. */
export interface Reach {
  readonly admins: readonly string[];
  readonly contacts: readonly ContactId[] | null;
}

/** A subquery of chat ids: of everybody whom the program may deal with. */
export const reachableChats = (
  account: AccountId,
  { admins, contacts }: Reach,
): RawBuilder<unknown> => sql`${known(account, admins)}
  SELECT chat FROM known WHERE kind <> 'own' AND chat IS NOT NULL
    AND (${contacts === null}::boolean OR contact = ANY(${contacts ?? []}::uuid[]))`;

/** For a program: of the people its token names, or of all; by an address, by ids, or everybody. */
export async function listReachable(
  db: Reader,
  account: AccountId,
  { admins, contacts }: Reach,
  who: Address | { readonly ids: readonly string[] } | 'everybody',
): Promise<Permitted[]> {
  const wanted =
    who === 'everybody'
      ? sql`true`
      : 'ids' in who
        ? sql`(chat = ANY(${who.ids}::uuid[]) OR contact = ANY(${who.ids}::uuid[]))`
        : isAt(account, who);
  const { rows } = await sql<Permitted>`${known(account, admins)}
    SELECT * FROM known WHERE kind <> 'own' AND ${wanted}
      AND (${contacts === null}::boolean OR contact = ANY(${contacts ?? []}::uuid[]))
    ORDER BY "lastMessageAt" DESC NULLS LAST, name, address`.execute(db);
  return rows;
}

const isAt = (account: AccountId, who: Address): RawBuilder<unknown> =>
  'alias' in who
    ? sql`contact = (SELECT contact_id FROM contact_aliases WHERE account_id = ${account}
        AND kind = ${who.alias.kind} AND value = ${who.alias.value})`
    : sql`address = ${who.group}`;

const known = (account: AccountId, admins: readonly string[]): RawBuilder<unknown> => sql`
  WITH own AS MATERIALIZED (
    SELECT DISTINCT s.contact_id FROM accounts a JOIN contact_aliases s ON s.account_id = a.id
    WHERE a.id = ${account} AND (s.value = CASE s.kind WHEN 'phone' THEN a.phone ELSE a.lid END
      OR (s.kind = 'phone' AND s.value = ANY(${admins}::text[])))
  ), entries AS (
    SELECT contact_id, NULL::uuid AS group_id, 'own' AS kind, 'Yourself' AS name, true AS can_read,
      true AS can_reply, 'auto' AS reply_mode, false AS can_initiate FROM own
    UNION ALL SELECT contact_id, chat_id, CASE WHEN chat_id IS NULL THEN 'direct' ELSE 'group' END,
      display_name, can_read, can_reply, reply_mode, can_initiate
    FROM grants WHERE account_id = ${account}
      AND (contact_id IS NULL OR contact_id NOT IN (SELECT contact_id FROM own))
  ), known AS (
    SELECT e.kind, e.contact_id AS contact, c.id AS chat, coalesce(c.group_address, s.address) AS address,
      s.phone, coalesce(e.name, c.group_address, '+' || s.phone, s.address) AS name,
      coalesce(c.subject, p.push_name, p.display_name) AS "callsItself", e.can_read AS "canRead", e.can_reply AS "canReply", e.reply_mode AS "replyMode",
      e.can_initiate AS "canInitiate", c.last_message_at AS "lastMessageAt"
    FROM entries e
      LEFT JOIN chats c ON c.account_id = ${account} AND (c.contact_id = e.contact_id OR c.id = e.group_id)
      LEFT JOIN contacts p ON p.account_id = ${account} AND p.id = e.contact_id
      LEFT JOIN LATERAL (
        SELECT ${jidOfAlias(sql.ref('a'))} AS address,
          CASE a.kind WHEN 'phone' THEN a.value END AS phone
        FROM contact_aliases a WHERE a.account_id = ${account} AND a.contact_id = e.contact_id
        ORDER BY a.kind DESC, a.learnt_at DESC, a.value LIMIT 1) s ON true
    WHERE coalesce(c.group_address, s.address) IS NOT NULL
  )`;
