// Rows of the ledger as they stand, for whoever tells a story from them.
import type { AccountId, ApprovalId, ChatId, MessageId } from '@relay/core/ids';
import type { LedgerDetail } from '@relay/core/ledger/detail';
import { sql } from 'kysely';
import type { Reader } from '../database.ts';

export interface StoredRow {
  readonly seq: number;
  readonly at: Date;
  readonly actor: string;
  readonly action: string;
  readonly subject_kind: string;
  readonly subject_id: string;
  readonly outcome: string;
  readonly reason: string;
  readonly detail: LedgerDetail & Readonly<Record<string, unknown>>;
}

export const COLUMNS = sql`l.seq, l.at, l.actor, l.action, l.subject_kind, l.subject_id, l.outcome, l.reason, l.detail`;

/** About one thing, the oldest first. */
export async function rowsAbout(
  db: Reader,
  account: AccountId,
  kind: string,
  id: string,
): Promise<readonly StoredRow[]> {
  const { rows } = await sql<StoredRow>`SELECT ${COLUMNS} FROM ledger l
    WHERE l.account_id = ${account} AND l.subject_kind = ${kind} AND l.subject_id = ${id}
    ORDER BY l.seq`.execute(db);
  return rows;
}

/**
 * About one message. Only where its id stands in several chats does the chat count: one that was merged
 * into another had another id when the rows were written.
 */
export async function rowsAboutMessage(
  db: Reader,
  account: AccountId,
  { id, chat, number }: { readonly id: MessageId; readonly chat: ChatId; readonly number: number },
): Promise<readonly StoredRow[]> {
  const rows = await rowsAbout(db, account, 'message', id);
  const { rows: same } = await sql`SELECT 1 FROM message_keys
    WHERE account_id = ${account} AND message_id = ${id} LIMIT 2`.execute(db);
  if (same.length < 2) return rows;
  return rows.filter(({ detail }) =>
    detail.number === undefined ? detail.chat === chat : detail.number === number,
  );
}

/** So many rows of one question are told; asked again and again, the newest say it. */
const MOST_OF_A_QUESTION = 20;

/** That it was asked, what the owner answered, and what that let go; of all the words that it ever had. */
export async function rowsAboutQuestion(
  db: Reader,
  account: AccountId,
  id: ApprovalId,
): Promise<readonly StoredRow[]> {
  const { rows } = await sql<StoredRow>`
    WITH questions AS MATERIALIZED (
      SELECT q.id, p.kind, p.id AS place, ledger_commitment(q.account_id, p.kind, p.id, encode(q.intent_hash, 'hex')) AS hash
      FROM approvals a JOIN approvals q ON q.account_id = a.account_id
          AND (q.id = coalesce(a.began_as, a.id) OR q.began_as = coalesce(a.began_as, a.id)),
        LATERAL (SELECT CASE WHEN q.intent->'of' ? 'contact' THEN 'contact' ELSE 'chat' END AS kind,
          coalesce(q.intent->>'chat', q.intent->'of'->>'chat', q.intent->'of'->>'contact') AS id) p
      WHERE a.account_id = ${account} AND a.id = ${id}
    )
    SELECT ${COLUMNS} FROM ledger l JOIN questions q ON l.subject_kind = 'approval' AND l.subject_id = q.id::text
    WHERE l.account_id = ${account}
    UNION SELECT ${COLUMNS} FROM ledger l JOIN questions q
      ON l.subject_kind = q.kind AND l.subject_id = q.place AND l.detail->>'hash' = q.hash
    WHERE l.account_id = ${account}
    ORDER BY seq DESC LIMIT ${MOST_OF_A_QUESTION}`.execute(db);
  return rows.toReversed();
}

export async function rowNumbered(
  db: Reader,
  account: AccountId,
  seq: number,
): Promise<StoredRow | null> {
  const { rows } = await sql<StoredRow>`SELECT ${COLUMNS} FROM ledger l
    WHERE l.account_id = ${account} AND l.seq = ${seq}`.execute(db);
  return rows[0] ?? null;
}
