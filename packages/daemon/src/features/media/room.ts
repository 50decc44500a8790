// The room that files take: the quotas, and removing what nothing refers to any more. A row goes first, then its file; a
// file without a row is removed by the next sweep.
import type { AccountId, ChatId } from '@relay/contract/ids';
import type { MediaSettings } from '@relay/contract/settings';
import type { MediaReason } from '@relay/core/media/next-step';
import { sql } from 'kysely';
import type { Db, Transaction } from '../../platform/db/database.ts';
import { transaction } from '../../platform/db/transaction.ts';
import type { MediaDeps } from './deps.ts';

const MB = 1_000_000;

export interface MediaUse {
  readonly files: number;
  readonly bytes: number;
}

/** What all files take. */
export async function readMediaUse(db: Db, account: AccountId): Promise<MediaUse> {
  const { rows } = await sql<MediaUse>`
    SELECT count(*) AS files, coalesce(sum(bytes), 0)::bigint AS bytes FROM media_objects
    WHERE account_id = ${account}`.execute(db);
  return rows[0] ?? { files: 0, bytes: 0 };
}

/** Which quota the new file would exceed; null if there is room. `chat` is null for an upload. */
export async function exceededQuota(
  tx: Transaction,
  account: AccountId,
  { chat_megabytes, total_megabytes }: MediaSettings,
  chat: ChatId | null,
  bytes: number,
): Promise<Extract<MediaReason, 'chat_quota' | 'total_quota'> | null> {
  const ofChat = chat === null ? 0 : chat_megabytes * MB;
  const total = total_megabytes * MB;
  if (ofChat === 0 && total === 0) return null;
  const { rows } = await sql<{ chat: number; total: number }>`
    SELECT CASE WHEN ${ofChat}::bigint > 0 THEN (SELECT coalesce(sum(bytes), 0)::bigint FROM media
        WHERE account_id = ${account} AND chat_id = ${chat} AND state = 'stored') ELSE 0 END AS chat,
      CASE WHEN ${total}::bigint > 0 THEN (SELECT coalesce(sum(bytes), 0)::bigint FROM media_objects
        WHERE account_id = ${account}) ELSE 0 END AS total`.execute(tx);
  const [used = { chat: 0, total: 0 }] = rows;
  if (ofChat > 0 && used.chat + bytes > ofChat) return 'chat_quota';
  return total > 0 && used.total + bytes > total ? 'total_quota' : null;
}

/** Removes contents that no row refers to. Returns how many files were removed. */
export async function removeUnusedObjects(deps: MediaDeps): Promise<number> {
  const { account } = deps.lease;
  const objects = await transaction(deps, async ({ tx }) => {
    const { rows } = await sql<{ object: string }>`
      DELETE FROM media_objects o WHERE o.account_id = ${account}
        AND NOT EXISTS (SELECT FROM media m WHERE m.account_id = o.account_id AND m.sha256 = o.sha256)
      RETURNING o.object`.execute(tx);
    return rows.map(({ object }) => object);
  });
  return removeUnusedFiles(deps, objects);
}

/** Removes files without a row: of a store that was interrupted, or of a removal that was. */
export async function sweepFiles(deps: MediaDeps): Promise<number> {
  await removeUnusedObjects(deps);
  const known = new Set(await knownObjects(deps.db, deps.lease.account));
  const orphans: string[] = [];
  for await (const object of deps.store.list()) if (!known.has(object)) orphans.push(object);
  return removeUnusedFiles(deps, orphans);
}

/** Removes those of these files that no row refers to. */
export async function removeUnusedFiles(
  deps: MediaDeps,
  objects: readonly string[],
): Promise<number> {
  let removed = 0;
  for (const object of objects) {
    const isUnused = async () =>
      (await knownObjects(deps.db, deps.lease.account, object)).length === 0;
    if (await deps.store.remove(object, isUnused)) removed += 1;
  }
  return removed;
}

async function knownObjects(db: Db, account: AccountId, object?: string): Promise<string[]> {
  const rows = await db
    .selectFrom('media_objects')
    .select('object')
    .where('account_id', '=', account)
    .$if(object !== undefined, (query) => query.where('object', '=', object ?? ''))
    .execute();
  return rows.map((row) => row.object);
}
