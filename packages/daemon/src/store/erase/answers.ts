// What the owner's assistant made of what it had read: its answers, what its tools were asked and found, and
// the same answers where they were sent to the owner's own chat. The owner's questions are the owner's.
import type { AccountId, ChatId, MessageId, OutboxId, RunId, SessionId } from '@relay/core/ids';
import { sql } from 'kysely';
import type { Transaction } from '../database.ts';
import { eraseSome } from './messages.ts';
import { eraseOutgoing } from './outgoing.ts';
import { madeOf } from './parts.ts';
import type { Whom } from './who.ts';

export async function eraseAnswers(
  tx: Transaction,
  account: AccountId,
  whom: Whom,
): Promise<{ answers: number; calls: number }> {
  const { rows: lines } = await sql<{ run_id: RunId; session_id: SessionId }>`
    DELETE FROM session_messages l USING runs r WHERE l.account_id = ${account} AND l.role <> 'user'
      AND r.account_id = ${account} AND r.id = l.run_id AND ${madeOf(whom, sql`l.content`)}
    RETURNING l.run_id, l.session_id`.execute(tx);
  const { numAffectedRows: calls } = await sql`
    DELETE FROM tool_calls t USING runs r WHERE t.account_id = ${account} AND r.account_id = ${account}
      AND r.id = t.run_id AND ${madeOf(whom, sql`concat_ws(' ', t.arguments, t.result, t.effect)`)}`.execute(
    tx,
  );
  const sessions = lines.map((line) => line.session_id);
  await sql`UPDATE sessions SET summary = NULL
    WHERE account_id = ${account} AND id = ANY(${sessions}::uuid[]) AND summary IS NOT NULL`.execute(
    tx,
  );
  await eraseSentAnswers(tx, account, whom);
  return { answers: lines.length, calls: Number(calls ?? 0) };
}

async function eraseSentAnswers(tx: Transaction, account: AccountId, whom: Whom): Promise<void> {
  const { rows } = await sql<{ id: OutboxId; chat_id: ChatId; message_id: MessageId }>`
    SELECT o.id, o.chat_id, o.message_id FROM outbox o
      JOIN permits p ON p.account_id = o.account_id AND p.id = o.permit_id
      JOIN runs r ON r.account_id = o.account_id AND r.id = p.run_id
      JOIN sessions s ON s.account_id = o.account_id AND s.id = r.session_id AND s.chat_id = o.chat_id
    WHERE o.account_id = ${account} AND ${madeOf(whom, sql`o.body`)}`.execute(tx);
  if (rows.length === 0) return;
  const messages = rows.map((row) => row.message_id);
  const chats = rows.map((row) => row.chat_id);
  await eraseSome(
    tx,
    account,
    sql`m.chat_id = ANY(${chats}::uuid[]) AND m.message_id = ANY(${messages}::text[])`,
    rows.length * 2,
  );
  await eraseOutgoing(tx, account, sql`o.id = ANY(${rows.map((row) => row.id)}::uuid[])`);
}
