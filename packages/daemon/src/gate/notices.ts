// The notices in the owner's chat: what waits for a yes, rendered by Relay and complete. Only what was shown there in
// full can be approved there; a question that ends because another takes its place closes its notice and says so.
import { approvalNotice, closedNotice } from '@relay/core/approvals/notice';
import { RelayError } from '@relay/core/errors';
import type { AccountId, ApprovalId, ChatId, MessageId } from '@relay/core/ids';
import type { Actor } from '@relay/core/policy/actors';
import { sql } from 'kysely';
import type { PutMessage } from '../outbox/outbox.ts';
import type { Reader, Transaction } from '../store/database.ts';
import { listApprovals } from './approval-list.ts';
import type { MessageToSend } from './proposals.ts';

interface Telling {
  readonly gate: {
    submit(
      tx: Transaction,
      actor: Actor,
      message: MessageToSend,
    ): Promise<{ readonly message: PutMessage | null }>;
  };
  readonly account: AccountId;
}

/** False if the text is too long for the chat, or nothing may be sent now: it cannot be answered there then. */
export async function showNotice(
  tx: Transaction,
  { gate, account }: Telling,
  id: ApprovalId,
  chat: ChatId,
): Promise<boolean> {
  const [waiting] = await listApprovals(tx, account, { id });
  if (waiting === undefined) throw new RelayError('approval_not_found', { id });
  const { text, isWhole } = approvalNotice(waiting);
  const proposal = { kind: 'send_message', chat, text } as const;
  const { message } = await gate.submit(tx, { kind: 'notifier' }, proposal);
  if (message === null || !isWhole) return false;
  await tx
    .updateTable('approvals')
    .set({ notice_id: message.id })
    .where('account_id', '=', account)
    .where('id', '=', id)
    .execute();
  return true;
}

/** Of those among these that were shown: the owner is told in the same chat that they wait no longer. */
export async function closeNotices(
  tx: Transaction,
  { gate, account }: Telling,
  ids: readonly ApprovalId[],
  why: string,
): Promise<void> {
  const { rows } = await sql<{ id: ApprovalId; chat: ChatId }>`
    SELECT a.id, o.chat_id AS chat FROM approvals a
      JOIN outbox o ON o.account_id = a.account_id AND o.id = a.notice_id
    WHERE a.account_id = ${account} AND a.id = ANY(${ids}::uuid[])`.execute(tx);
  for (const { id, chat } of rows) {
    const text = closedNotice(id, why);
    await gate.submit(tx, { kind: 'notifier' }, { kind: 'send_message', chat, text });
  }
}

/** Those that still wait and whose notice had reached this chat by then. */
export async function noticesShown(
  db: Reader,
  account: AccountId,
  chat: ChatId,
  by: Date,
): Promise<ReadonlySet<ApprovalId>> {
  const { rows } = await sql<{ id: ApprovalId }>`
    SELECT a.id FROM approvals a JOIN outbox o ON o.account_id = a.account_id AND o.id = a.notice_id
    WHERE a.account_id = ${account} AND a.state = 'pending' AND o.chat_id = ${chat}
      -- WhatsApp tells the time of a message in whole seconds.
      AND date_trunc('second', o.sent_at) <= ${by}`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** The question whose notice this message is; null for any other message. */
export async function noticedBy(
  db: Reader,
  account: AccountId,
  message: MessageId,
): Promise<ApprovalId | null> {
  const { rows } = await sql<{ id: ApprovalId }>`
    SELECT a.id FROM outbox o JOIN approvals a ON a.account_id = o.account_id AND a.notice_id = o.id
    WHERE o.account_id = ${account} AND o.message_id = ${message}`.execute(db);
  return rows[0]?.id ?? null;
}
