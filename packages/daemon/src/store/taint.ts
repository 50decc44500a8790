// What a run has read that others wrote, kept with the run: whoever goes on from its words goes on from
// that too. Written before a model sees the text, so that no crash forgets it.
import type { AccountId, ChatId, RunId } from '@relay/core/ids';
import { runId } from '@relay/core/ids';
import { type Taint, together, UNTAINTED } from '@relay/core/policy/facts';
import { sql } from 'kysely';
import type { Reader, Transaction } from './database.ts';

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

/** Of all these runs together. One of which nothing is known may have read anything. */
export async function taintOf(
  db: Reader,
  account: AccountId,
  runs: readonly RunId[],
): Promise<Taint> {
  const { rows } = await sql<{ taint: Partial<Taint> | null }>`
    SELECT DISTINCT r.taint FROM unnest(${[...new Set(runs)]}::uuid[]) AS wanted(id)
      LEFT JOIN runs r ON r.account_id = ${account} AND r.id = wanted.id`.execute(db);
  return rows.reduce<Taint>(
    (all, { taint }) =>
      together(all, {
        chats: (taint?.chats ?? []) as readonly ChatId[],
        outside: taint?.outside ?? true,
        clients: taint?.clients ?? [],
      }),
    UNTAINTED,
  );
}

/**
 * Of whoever wrote a text, as the ledger names them: a program; an assistant, with what it had read; the owner, who
 * taints nothing.
 */
export async function taintOfAuthors(
  db: Reader,
  account: AccountId,
  authors: readonly string[],
): Promise<Taint> {
  const ids = (kind: string) =>
    authors.flatMap((by) => (by.startsWith(`${kind}:`) ? by.slice(kind.length + 1) : []));
  const read = await taintOf(db, account, ids('assistant').map(runId));
  return together(read, { ...UNTAINTED, clients: ids('token') });
}
