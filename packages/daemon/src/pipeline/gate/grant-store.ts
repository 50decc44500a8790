// Stores grants; only the gate writes them. The contact or group is locked before its grant is read, so that two
// changes run one after the other and a merge of contacts waits for both.

import type { GrantOptions } from '@relay/contract/contacts/grant-options';
import type { AccountId, GrantId } from '@relay/contract/ids';
import type { Grant, GrantRecord } from '@relay/core/contacts/grants';
import { sql } from 'kysely';
import type { Transaction } from '../../platform/db/database.ts';
import { appendEvent } from '../../platform/db/events.ts';
import type { Grantee } from './proposals.ts';

export interface StoredGrant extends GrantRecord {
  readonly id: GrantId;
}

interface LockedGrantee {
  readonly held: StoredGrant | null;
}

interface Row {
  id: GrantId;
  display_name: string | null;
  grant: Grant;
  options: GrantOptions;
}

/** Null if there is no such contact or group. */
export async function lockGrantee(
  tx: Transaction,
  account: AccountId,
  of: Grantee,
): Promise<LockedGrantee | null> {
  const found =
    of.kind === 'contact'
      ? sql`SELECT FROM contacts WHERE account_id = ${account} AND id = ${of.contact} FOR NO KEY UPDATE`
      : sql`SELECT FROM chats WHERE account_id = ${account} AND id = ${of.chat} AND kind = 'group' FOR NO KEY UPDATE`;
  const { rows: whom } = await found.execute(tx);
  if (whom.length === 0) return null;
  if (of.kind === 'contact') {
    // Locked before the ledger, like everywhere a message request is counted, because the grant deletes the row.
    await sql`SELECT FROM knocks WHERE account_id = ${account} AND contact_id = ${of.contact} FOR UPDATE`.execute(
      tx,
    );
  }
  const { rows } = await sql<Row>`
    SELECT id, display_name, options, json_build_object('canRead', can_read, 'canReply', can_reply,
      'replyMode', reply_mode, 'canInitiate', can_initiate) AS grant
    FROM grants WHERE account_id = ${account} AND ${isOf(of)} FOR UPDATE`.execute(tx);
  const row = rows[0];
  if (row === undefined) return { held: null };
  const { id, display_name: displayName, grant, options } = row;
  return { held: { id, displayName, grant, options } };
}

const isOf = (of: Grantee) =>
  of.kind === 'contact' ? sql`contact_id = ${of.contact}` : sql`chat_id = ${of.chat}`;

/** `record` null removes the grant. A contact with a grant has no message requests any more. */
export async function writeGrant(
  tx: Transaction,
  account: AccountId,
  { of, id, record }: { of: Grantee; id: GrantId; record: GrantRecord | null },
): Promise<void> {
  const [contact, chat] = of.kind === 'contact' ? [of.contact, null] : [null, of.chat];
  if (record === null) {
    await sql`DELETE FROM grants WHERE account_id = ${account} AND id = ${id}`.execute(tx);
  } else {
    const { grant, displayName, options } = record;
    await sql`
      INSERT INTO grants (account_id, id, contact_id, chat_id, display_name, can_read, can_reply,
        can_initiate, reply_mode, options)
      VALUES (${account}, ${id}, ${contact}, ${chat}, ${displayName}, ${grant.canRead}, ${grant.canReply},
        ${grant.canInitiate}, ${grant.replyMode}, ${JSON.stringify(options)}::jsonb)
      ON CONFLICT (account_id, id) DO UPDATE SET display_name = excluded.display_name,
        can_read = excluded.can_read, can_reply = excluded.can_reply, can_initiate = excluded.can_initiate,
        reply_mode = excluded.reply_mode, options = excluded.options, updated_at = now()`.execute(
      tx,
    );
    await sql`DELETE FROM knocks WHERE account_id = ${account} AND contact_id = ${contact}`.execute(
      tx,
    );
  }
  await appendEvent(tx, account, {
    kind: 'grant',
    subject: id,
    data: { contact, chat, grant: record?.grant ?? null },
  });
}
