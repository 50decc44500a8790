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

/** The room that is left for new files, of which several may be taken in one transaction. */
interface MediaRoom {
  /** Takes room for a file; or says which quota it would exceed, and takes none. `chat` is null for an upload. */
  take(chat: ChatId | null, bytes: number): QuotaReason | null;
}

type QuotaReason = Extract<MediaReason, 'chat_quota' | 'total_quota'>;

export async function readRoom(
  tx: Transaction,
  account: AccountId,
  { chat_megabytes, total_megabytes }: MediaSettings,
  chats: readonly (ChatId | null)[],
): Promise<MediaRoom> {
  const [ofChat, ofAll] = [chat_megabytes * MB, total_megabytes * MB];
  const limited = ofChat > 0 ? [...new Set(chats.filter((chat) => chat !== null))] : [];
  const used = new Map<ChatId | null, number>();
  if (limited.length > 0 || ofAll > 0) {
    const { rows } = await sql<{ chat: ChatId | null; bytes: number }>`
      SELECT chat_id AS chat, sum(bytes)::bigint AS bytes FROM media
      WHERE account_id = ${account} AND chat_id = ANY(${limited}::uuid[]) AND state = 'stored' GROUP BY chat_id
      UNION ALL SELECT NULL, coalesce(sum(bytes), 0)::bigint FROM media_objects
      WHERE account_id = ${account} AND ${ofAll}::bigint > 0`.execute(tx);
    for (const row of rows) used.set(row.chat, row.bytes);
  }
  return {
    take(chat, bytes) {
      const [inChat, inAll] = [(used.get(chat) ?? 0) + bytes, (used.get(null) ?? 0) + bytes];
      if (chat !== null && ofChat > 0 && inChat > ofChat) return 'chat_quota';
      if (ofAll > 0 && inAll > ofAll) return 'total_quota';
      if (chat !== null) used.set(chat, inChat);
      used.set(null, inAll);
      return null;
    },
  };
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
