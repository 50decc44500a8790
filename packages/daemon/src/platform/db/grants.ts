// Reads the owner's grants: as the API lists them, and as the chats that the assistant or a client may know of.
import type { Permission, PermissionKind } from '@relay/contract/api/contacts';
import type { GrantOptions, ReplyMode } from '@relay/contract/contacts/grant-options';
import type { AccountId, ChatId, ContactId, GrantId } from '@relay/contract/ids';
import type { Alias } from '@relay/core/contacts/alias';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from './database.ts';
import { aliasJidSql } from './names-and-addresses.ts';

// The grants as seed 000 shows them: sorted by name, each with the number of its contact.

interface GrantRow {
  id: string;
  contact_id: string | null;
  group_address: string | null;
  phone: string | null;
  lid: string | null;
  display_name: string | null;
  can_read: boolean;
  can_reply: boolean;
  reply_mode: Permission['replyMode'];
  can_initiate: boolean;
  session_id: string | null;
  options: GrantOptions;
  created_at: Date;
  updated_at: Date;
}

const BY_NAME = new Intl.Collator('en', { numeric: true });

export async function listGrants(
  db: Db,
  account: AccountId,
  kind: PermissionKind,
): Promise<Permission[]> {
  const which = {
    contact: sql`g.contact_id IS NOT NULL`,
    group: sql`g.chat_id IS NOT NULL`,
    all: sql`true`,
  }[kind];
  const permissions = await readGrants(db, account, which);
  return permissions.sort((a, b) => BY_NAME.compare(a.displayName, b.displayName));
}

export async function readGrant(
  db: Db,
  account: AccountId,
  id: GrantId,
): Promise<Permission | null> {
  const [permission] = await readGrants(db, account, sql`g.id = ${id}`);
  return permission ?? null;
}

/** A contact is shown by its newest alias of each kind. */
export const newestAliasSql = (kind: 'phone' | 'lid', contact: RawBuilder<unknown>) => sql<
  string | null
>`(SELECT s.value FROM contact_aliases s
    WHERE s.account_id = ${contact}.account_id AND s.contact_id = ${contact}.id AND s.kind = ${kind}
    ORDER BY s.learnt_at DESC, s.value LIMIT 1)`;

async function readGrants(
  db: Db,
  account: AccountId,
  which: RawBuilder<unknown>,
): Promise<Permission[]> {
  const { rows } = await sql<GrantRow>`
    SELECT g.id, g.contact_id, c.group_address, g.display_name, g.can_read, g.can_reply, g.reply_mode,
      g.can_initiate, g.session_id, g.options, g.created_at, g.updated_at,
      ${newestAliasSql('phone', sql.ref('p'))} AS phone, ${newestAliasSql('lid', sql.ref('p'))} AS lid
    FROM grants g
      LEFT JOIN contacts p ON p.account_id = g.account_id AND p.id = g.contact_id
      LEFT JOIN chats c ON c.account_id = g.account_id AND c.id = g.chat_id
    WHERE g.account_id = ${account} AND ${which} ORDER BY g.created_at, g.id`.execute(db);
  return rows.map(toPermission);
}

export const contactJid = ({ phone, lid }: { phone: string | null; lid: string | null }) =>
  phone !== null ? `${phone}@s.whatsapp.net` : lid === null ? null : `${lid}@lid`;

const toPermission = (row: GrantRow): Permission => ({
  id: row.id,
  phoneNumber: row.phone,
  displayName:
    row.display_name ??
    (row.phone === null ? (row.group_address ?? contactJid(row) ?? '') : `+${row.phone}`),
  contactId: row.contact_id,
  canRead: row.can_read,
  canReply: row.can_reply,
  chatId: row.session_id,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
  kind: row.contact_id === null ? 'group' : 'contact',
  jid: row.group_address ?? contactJid(row),
  replyMode: row.reply_mode,
  canInitiate: row.can_initiate,
  options: row.options,
});

// The chats that the owner's assistant may know of: those with a grant record by the owner, and the owner's own chats.
// A client may know of the same without the owner's own. Other chats do not exist for them. Names are the owner's,
// never the profile names of people.

export interface PermittedChat {
  readonly kind: 'own' | 'direct' | 'group';
  readonly contact: ContactId | null;
  /** Null until somebody has written there. */
  readonly chat: ChatId | null;
  /** As WhatsApp writes it: the number if it is known. */
  readonly address: string;
  readonly phone: string | null;
  readonly name: string;
  /** Their profile name, for finding them by it. Never shown to a model. */
  readonly callsItself: string | null;
  readonly canRead: boolean;
  readonly canReply: boolean;
  readonly replyMode: ReplyMode;
  readonly canInitiate: boolean;
  readonly lastMessageAt: Date | null;
}

/**
 * The owner's own chats first, then those with the newest messages. `admins` are the owner's other numbers, in digits.
 */
export async function listPermittedChats(
  db: Db,
  account: AccountId,
  admins: readonly string[],
  limit: number,
): Promise<PermittedChat[]> {
  const { rows } = await sql<PermittedChat>`${permittedChatsSql(account, admins)}
    SELECT * FROM known ORDER BY kind = 'own' DESC, "lastMessageAt" DESC NULLS LAST, name, address LIMIT ${limit}`.execute(
    db,
  );
  return rows;
}

type ChatAddress = { readonly alias: Alias } | { readonly group: string };

/** For a person, by any address they have; or for a group. */
export async function findPermittedChat(
  db: Db,
  account: AccountId,
  admins: readonly string[],
  who: ChatAddress,
): Promise<PermittedChat | null> {
  const { rows } = await sql<PermittedChat>`${permittedChatsSql(account, admins)}
    SELECT * FROM known WHERE ${isAt(account, who)} LIMIT 1`.execute(db);
  return rows[0] ?? null;
}

/** The contacts that a client's token names, or null for all; and the owner's other numbers, in digits. */
interface ClientReach {
  readonly admins: readonly string[];
  readonly contacts: readonly ContactId[] | null;
}

/** A subquery of the ids of all chats that the client may use. */
export const reachableChatsSql = (
  account: AccountId,
  { admins, contacts }: ClientReach,
): RawBuilder<unknown> => sql`${permittedChatsSql(account, admins)}
  SELECT chat FROM known WHERE kind <> 'own' AND chat IS NOT NULL
    AND (${contacts === null}::boolean OR contact = ANY(${contacts ?? []}::uuid[]))`;

/** The chats a client may use: of the contacts its token names, or of all; by an address, by ids, or all of them. */
export async function readReachableChats(
  db: Db,
  account: AccountId,
  { admins, contacts }: ClientReach,
  who: ChatAddress | { readonly ids: readonly string[] } | 'everybody',
): Promise<PermittedChat[]> {
  const wanted =
    who === 'everybody'
      ? sql`true`
      : 'ids' in who
        ? sql`(chat = ANY(${who.ids}::uuid[]) OR contact = ANY(${who.ids}::uuid[]))`
        : isAt(account, who);
  const { rows } = await sql<PermittedChat>`${permittedChatsSql(account, admins)}
    SELECT * FROM known WHERE kind <> 'own' AND ${wanted}
      AND (${contacts === null}::boolean OR contact = ANY(${contacts ?? []}::uuid[]))
    ORDER BY "lastMessageAt" DESC NULLS LAST, name, address`.execute(db);
  return rows;
}

const isAt = (account: AccountId, who: ChatAddress): RawBuilder<unknown> =>
  'alias' in who
    ? sql`contact = (SELECT contact_id FROM contact_aliases WHERE account_id = ${account}
        AND kind = ${who.alias.kind} AND value = ${who.alias.value})`
    : sql`address = ${who.group}`;

const permittedChatsSql = (
  account: AccountId,
  admins: readonly string[],
): RawBuilder<unknown> => sql`
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
        SELECT ${aliasJidSql(sql.ref('a'))} AS address,
          CASE a.kind WHEN 'phone' THEN a.value END AS phone
        FROM contact_aliases a WHERE a.account_id = ${account} AND a.contact_id = e.contact_id
        ORDER BY a.kind DESC, a.learnt_at DESC, a.value LIMIT 1) s ON true
    WHERE coalesce(c.group_address, s.address) IS NOT NULL
  )`;
