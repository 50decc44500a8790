// Message requests: people who wrote without a grant, one row for each contact, however often they write. Never
// answered; shown until the owner grants them something or dismisses them.
import type { MessageRequest } from '@relay/contract/api/contacts';
import type { AccountId, ContactId } from '@relay/contract/ids';
import { sql } from 'kysely';
import type { Db, Transaction } from './database.ts';
import { newestAliasSql } from './grants.ts';

const PAGE_LIMIT = 500;

interface Row {
  contact_id: ContactId;
  name: string | null;
  calls_itself: boolean;
  groups: number;
  phone: string | null;
  lid: string | null;
  count: number;
  first_at: Date;
  last_at: Date;
  not_stored: number;
}

export async function listMessageRequests(db: Db, account: AccountId): Promise<MessageRequest[]> {
  const { rows } = await sql<Row>`
    SELECT k.contact_id, coalesce(p.display_name, p.push_name) AS name,
      p.display_name IS NULL AND p.push_name IS NOT NULL AS calls_itself,
      (SELECT count(*) FROM chat_members m WHERE m.account_id = p.account_id AND m.contact_id = p.id)::int AS groups,
      k.count, k.first_at, k.last_at,
      (SELECT coalesce(sum(u.not_stored), 0)::int FROM stranger_use u
        WHERE u.account_id = k.account_id AND u.contact_id = k.contact_id) AS not_stored,
      ${newestAliasSql('phone', sql.ref('p'))} AS phone, ${newestAliasSql('lid', sql.ref('p'))} AS lid
    FROM knocks k JOIN contacts p ON p.account_id = k.account_id AND p.id = k.contact_id
    WHERE k.account_id = ${account} AND k.dismissed_at IS NULL
    ORDER BY k.last_at DESC, k.contact_id LIMIT ${PAGE_LIMIT}`.execute(db);
  return rows.map(({ phone, first_at, last_at, ...row }) => ({
    ...row,
    phone_number: phone,
    first_at: first_at.toISOString(),
    last_at: last_at.toISOString(),
  }));
}

/** Somebody who writes again after being dismissed is shown again. */
export async function recordMessageRequests(
  tx: Transaction,
  account: AccountId,
  counts: ReadonlyMap<ContactId, number>,
): Promise<void> {
  if (counts.size === 0) return;
  await sql`INSERT INTO knocks AS k (account_id, contact_id, count)
    SELECT ${account}::bigint, n.contact, n.count
    FROM unnest(${[...counts.keys()]}::uuid[], ${[...counts.values()]}::int[]) AS n(contact, count)
    ON CONFLICT (account_id, contact_id) DO UPDATE
      SET count = k.count + excluded.count, last_at = now(), dismissed_at = NULL`.execute(tx);
}

/** False if they have no message request. */
export async function markMessageRequestDismissed(
  tx: Transaction,
  account: AccountId,
  contact: ContactId,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('knocks')
    .set({ dismissed_at: sql`now()` })
    .where('account_id', '=', account)
    .where('contact_id', '=', contact)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
