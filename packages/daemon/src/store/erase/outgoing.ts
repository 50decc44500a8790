// The end of what was sent or was to be sent: the words in the outbox, the permit they left under, and the
// question to the owner before it. The decision stays in the ledger, which holds no words.
import type { AccountId, ApprovalId, PermitId } from '@relay/core/ids';
import { type RawBuilder, sql } from 'kysely';
import type { Transaction } from '../database.ts';

/** `which` speaks of `outbox o`. Returns how many went. */
export async function eraseOutgoing(
  tx: Transaction,
  account: AccountId,
  which: RawBuilder<unknown>,
): Promise<number> {
  const { rows } = await sql<{ permit_id: PermitId }>`
    DELETE FROM outbox o WHERE o.account_id = ${account} AND (${which}) RETURNING o.permit_id`.execute(
    tx,
  );
  const permits = rows.map((row) => row.permit_id);
  await erasePermits(tx, account, sql`p.id = ANY(${permits}::uuid[])`);
  return rows.length;
}

/** `which` speaks of `permits p`; nothing of the outbox may stand under them any more. */
export async function erasePermits(
  tx: Transaction,
  account: AccountId,
  which: RawBuilder<unknown>,
): Promise<void> {
  const { rows } = await sql<{ approval_id: ApprovalId | null }>`
    DELETE FROM permits p WHERE p.account_id = ${account} AND (${which}) RETURNING p.approval_id`.execute(
    tx,
  );
  const asked = rows.map((row) => row.approval_id).filter((id) => id !== null);
  await eraseQuestions(tx, account, sql`a.id = ANY(${asked}::uuid[])`);
}

/** `which` speaks of `approvals a`. */
export async function eraseQuestions(
  tx: Transaction,
  account: AccountId,
  which: RawBuilder<unknown>,
): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM approvals a WHERE a.account_id = ${account} AND (${which})`.execute(tx);
  return Number(numAffectedRows ?? 0);
}
