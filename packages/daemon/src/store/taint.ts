// What a run has read that others wrote, kept with the run: whoever goes on from its words goes on from
// that too. Written before a model sees the text, so that no crash forgets it.
import type { AccountId, ChatId, RunId } from '@relay/core/ids';
import type { Taint } from '@relay/core/policy/facts';
import { sql } from 'kysely';
import type { Reader, Transaction } from './database.ts';

export const UNTAINTED: Taint = { chats: [], outside: false };

export function together(a: Taint, b: Taint): Taint {
  const clients = [...new Set([...(a.clients ?? []), ...(b.clients ?? [])])];
  return {
    chats: [...new Set([...a.chats, ...b.chats])],
    outside: a.outside || b.outside,
    ...(clients.length === 0 ? {} : { clients }),
  };
}

export async function saveTaint(
  tx: Transaction,
  account: AccountId,
  run: RunId,
  taint: Taint,
): Promise<void> {
  await tx
    .updateTable('runs')
    .set({ taint: JSON.stringify(taint) })
    .where('account_id', '=', account)
    .where('id', '=', run)
    .execute();
}

/** Of all these runs together. */
export async function taintOf(
  db: Reader,
  account: AccountId,
  runs: readonly RunId[],
): Promise<Taint> {
  const { rows } = await sql<{ taint: Partial<Taint> }>`
    SELECT DISTINCT taint FROM runs WHERE account_id = ${account} AND id = ANY(${runs}::uuid[])
      AND jsonb_typeof(taint) = 'object'`.execute(db);
  return rows.reduce<Taint>(
    (all, { taint }) =>
      together(all, {
        chats: (taint.chats ?? []) as readonly ChatId[],
        outside: taint.outside ?? false,
        clients: taint.clients ?? [],
      }),
    UNTAINTED,
  );
}
