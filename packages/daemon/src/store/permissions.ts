// The standing grants as seed 000 shows them: sorted by name, each with the number of its contact.
import type { Permission, PermissionKind } from '@relay/core/api/permissions';
import type { GrantOptions } from '@relay/core/contacts/options';
import type { AccountId, GrantId } from '@relay/core/ids';
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from './database.ts';

interface Row {
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

export async function listPermissions(
  db: Reader,
  account: AccountId,
  kind: PermissionKind,
): Promise<Permission[]> {
  const which = {
    contact: sql`g.contact_id IS NOT NULL`,
    group: sql`g.chat_id IS NOT NULL`,
    all: sql`true`,
  }[kind];
  const permissions = await read(db, account, which);
  return permissions.sort((a, b) => BY_NAME.compare(a.displayName, b.displayName));
}

export async function readPermission(
  db: Reader,
  account: AccountId,
  id: GrantId,
): Promise<Permission | null> {
  const [permission] = await read(db, account, sql`g.id = ${id}`);
  return permission ?? null;
}

/** The newest alias of each kind is the one that a contact is known by. */
export const newestAlias = (kind: 'phone' | 'lid', contact: RawBuilder<unknown>) => sql<
  string | null
>`(SELECT s.value FROM contact_aliases s
    WHERE s.account_id = ${contact}.account_id AND s.contact_id = ${contact}.id AND s.kind = ${kind}
    ORDER BY s.learnt_at DESC, s.value LIMIT 1)`;

async function read(
  db: Reader,
  account: AccountId,
  which: RawBuilder<unknown>,
): Promise<Permission[]> {
  const { rows } = await sql<Row>`
    SELECT g.id, g.contact_id, c.group_address, g.display_name, g.can_read, g.can_reply, g.reply_mode,
      g.can_initiate, g.session_id, g.options, g.created_at, g.updated_at,
      ${newestAlias('phone', sql.ref('p'))} AS phone, ${newestAlias('lid', sql.ref('p'))} AS lid
    FROM grants g
      LEFT JOIN contacts p ON p.account_id = g.account_id AND p.id = g.contact_id
      LEFT JOIN chats c ON c.account_id = g.account_id AND c.id = g.chat_id
    WHERE g.account_id = ${account} AND ${which} ORDER BY g.created_at, g.id`.execute(db);
  return rows.map(toApi);
}

export const jidOf = ({ phone, lid }: { phone: string | null; lid: string | null }) =>
  phone !== null ? `${phone}@s.whatsapp.net` : lid === null ? null : `${lid}@lid`;

const toApi = (row: Row): Permission => ({
  id: row.id,
  phoneNumber: row.phone,
  displayName:
    row.display_name ??
    (row.phone === null ? (row.group_address ?? jidOf(row) ?? '') : `+${row.phone}`),
  contactId: row.contact_id,
  canRead: row.can_read,
  canReply: row.can_reply,
  chatId: row.session_id,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
  kind: row.contact_id === null ? 'group' : 'contact',
  jid: row.group_address ?? jidOf(row),
  replyMode: row.reply_mode,
  canInitiate: row.can_initiate,
  options: row.options,
});
