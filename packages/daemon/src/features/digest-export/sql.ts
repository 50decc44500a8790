// Stores where copies of digests were exported, so that they can be removed. A row outlives its digest until its lines
// are removed.
import type { AccountId, ChatId, DigestId } from '@relay/contract/ids';
import type { ExportedDigest } from '@relay/core/observer/digest/export-segments';
import { sql } from 'kysely';
import type { Db, Transaction } from '../../platform/db/database.ts';
import { findDigests } from '../../platform/db/observer/digests.ts';

export interface DigestCopy {
  readonly digest: DigestId;
  /** The file that contains its lines. */
  readonly file: string | null;
  /** The version of the digest that was sent to the webhook. */
  readonly told: Date | null;
  /** It is being removed, and nothing more of it may be written. */
  readonly erased: boolean;
}

const DIGEST_COPY_COLUMNS = sql`digest_id AS digest, file, told_of AS told, erased_at IS NOT NULL AS erased`;

export async function findDigestCopy(
  db: Db,
  account: AccountId,
  digest: DigestId,
): Promise<DigestCopy | null> {
  const [copy] = await findDigestCopies(db, account, [digest]);
  return copy ?? null;
}

export async function findDigestCopies(
  db: Db,
  account: AccountId,
  digests: readonly DigestId[],
): Promise<readonly DigestCopy[]> {
  const { rows } = await sql<DigestCopy>`SELECT ${DIGEST_COPY_COLUMNS} FROM outside_copies
    WHERE account_id = ${account} AND digest_id = ANY(${digests}::uuid[])`.execute(db);
  return rows;
}

/** Copies whose digests no longer exist. */
export async function findOrphanedDigestCopies(
  db: Db,
  account: AccountId,
): Promise<readonly DigestCopy[]> {
  const { rows } = await sql<DigestCopy>`SELECT ${DIGEST_COPY_COLUMNS} FROM outside_copies c
    WHERE c.account_id = ${account} AND NOT EXISTS (
      SELECT FROM digests d WHERE d.account_id = c.account_id AND d.id = c.digest_id)`.execute(db);
  return rows;
}

/** Called before the lines are written, so that every file that may contain them is known, whatever happens next. */
export async function noteDigestCopyFile(
  tx: Transaction,
  account: AccountId,
  digest: DigestId,
  file: string,
): Promise<void> {
  await sql`INSERT INTO outside_copies (account_id, digest_id, file) VALUES (${account}, ${digest}, ${file})
    ON CONFLICT (account_id, digest_id) DO UPDATE SET file = excluded.file`.execute(tx);
}

export async function noteDigestCopyDelivered(
  tx: Transaction,
  account: AccountId,
  digest: DigestId,
  of: Date,
): Promise<void> {
  await sql`INSERT INTO outside_copies (account_id, digest_id, told_of) VALUES (${account}, ${digest}, ${of})
    ON CONFLICT (account_id, digest_id) DO UPDATE SET told_of = excluded.told_of`.execute(tx);
}

/** From now on nothing of these digests is exported. */
export async function markDigestCopiesErased(
  tx: Transaction,
  account: AccountId,
  digests: readonly DigestId[],
): Promise<void> {
  await sql`INSERT INTO outside_copies (account_id, digest_id, erased_at)
    SELECT ${account}::bigint, digest, now() FROM unnest(${digests}::uuid[]) AS digest
    ON CONFLICT (account_id, digest_id) DO UPDATE SET erased_at = now()`.execute(tx);
}

export async function deleteDigestCopies(
  tx: Transaction,
  account: AccountId,
  digests: readonly DigestId[],
): Promise<void> {
  await sql`DELETE FROM outside_copies WHERE account_id = ${account} AND digest_id = ANY(${digests}::uuid[])`.execute(
    tx,
  );
}

export interface DigestToExport extends ExportedDigest {
  readonly id: DigestId;
  /** The time zone for its day; null when the group is no longer observed, then the owner's is used. */
  readonly zone: string | null;
}

/** Null when it no longer exists. */
export async function readDigestToExport(
  db: Db,
  account: AccountId,
  id: DigestId,
): Promise<DigestToExport | null> {
  const { rows } = await sql<DigestLocation>`
    SELECT d.chat_id AS chat, d.kind, d.period_start AS start, coalesce(c.subject, c.group_address, '') AS group, o.zone
    FROM digests d JOIN chats c ON c.account_id = d.account_id AND c.id = d.chat_id
      LEFT JOIN observed_groups o ON o.account_id = c.account_id AND o.chat_id = c.id
    WHERE d.account_id = ${account} AND d.id = ${id}`.execute(db);
  const [where] = rows;
  if (where === undefined) return null;
  const { chat, kind, start, group, zone } = where;
  const to = new Date(+start + 1);
  const [digest] = await findDigests(db, account, { chat, kind, from: start, to });
  return digest === undefined ? null : { ...digest, id, group, groupId: chat, zone };
}

interface DigestLocation {
  chat: ChatId;
  kind: 'hourly' | 'daily';
  start: Date;
  group: string;
  zone: string | null;
}
