// Notices about approvals in the owner's chat, rendered by Relay and complete. Only an approval that was shown there in
// full can be approved there; when another approval replaces it, its notice is closed with a message.

import { RelayError } from '@relay/contract/errors';
import type { AccountId, ApprovalId, ChatId, MessageId } from '@relay/contract/ids';
import { approvalClosedNotice, approvalNotice } from '@relay/core/approvals/approval-text';
import { lidAlias, phoneAlias } from '@relay/core/contacts/alias';
import type { Actor } from '@relay/core/policy/actors';
import { sql } from 'kysely';
import { findOrMakeChats } from '../../platform/db/chats.ts';
import { resolveSightings } from '../../platform/db/contacts.ts';
import type { Db, Transaction } from '../../platform/db/database.ts';
import type { OutboxMessage } from '../outbox/outbox.ts';
import { loadApprovals } from './approval-store.ts';
import type { MessageToSend } from './proposals.ts';

interface NoticeDeps {
  readonly gate: {
    submit(
      tx: Transaction,
      actor: Actor,
      message: MessageToSend,
    ): Promise<{ readonly message: OutboxMessage | null }>;
  };
  readonly account: AccountId;
}

/** False if the text is too long for the chat or nothing may be sent now; then it cannot be answered there. */
export async function showNotice(
  tx: Transaction,
  { gate, account }: NoticeDeps,
  id: ApprovalId,
  chat: ChatId,
): Promise<boolean> {
  const [waiting] = await loadApprovals(tx, account, { id });
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

/** Tells the owner in the same chat that those of these approvals that were shown are no longer pending. */
export async function closeNotices(
  tx: Transaction,
  { gate, account }: NoticeDeps,
  ids: readonly ApprovalId[],
  why: string,
): Promise<void> {
  const { rows } = await sql<{ id: ApprovalId; chat: ChatId }>`
    SELECT a.id, o.chat_id AS chat FROM approvals a
      JOIN outbox o ON o.account_id = a.account_id AND o.id = a.notice_id
    WHERE a.account_id = ${account} AND a.id = ANY(${ids}::uuid[])`.execute(tx);
  for (const { id, chat } of rows) {
    const text = approvalClosedNotice(id, why);
    await gate.submit(tx, { kind: 'notifier' }, { kind: 'send_message', chat, text });
  }
}

/** Approvals that are pending and whose notice had reached this chat by then. */
export async function listShownNotices(
  db: Db,
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

/** The approval whose notice this message is, and when the notice was sent; null for any other message. */
export async function findApprovalByNotice(
  db: Db,
  account: AccountId,
  message: MessageId,
): Promise<{ readonly id: ApprovalId; readonly sentAt: Date | null } | null> {
  const { rows } = await sql<{ id: ApprovalId; sentAt: Date | null }>`
    SELECT a.id, o.sent_at AS "sentAt"
    FROM outbox o JOIN approvals a ON a.account_id = o.account_id AND a.notice_id = o.id
    WHERE o.account_id = ${account} AND o.message_id = ${message}`.execute(db);
  return rows[0] ?? null;
}

// The chat of the linked number with itself, in which the owner is notified.

/** Null while no phone is linked. */
export async function findOrMakeOwnerChat(
  tx: Transaction,
  account: AccountId,
): Promise<ChatId | null> {
  const { phone, lid } = await tx
    .selectFrom('accounts')
    .select(['phone', 'lid'])
    .where('id', '=', account)
    .executeTakeFirstOrThrow();
  const number = phone === null ? null : phoneAlias(`+${phone}`);
  if (number === null) return null;
  // Number and LID are resolved together, so that messages under either one belong to one chat.
  const other = lid === null ? null : lidAlias(lid);
  const contacts = await resolveSightings(tx, account, [
    other === null ? [number] : [number, other],
  ]);
  const { byContact } = await findOrMakeChats(tx, account, { contacts, groups: [] });
  return [...byContact.values()][0] ?? null;
}
