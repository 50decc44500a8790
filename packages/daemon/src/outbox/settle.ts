// What became of a message, written: the pure machine decides, and row, event, transcript and the sent
// message itself change together in the caller's transaction.
import type { AccountId, MessageId, OutboxId } from '@relay/core/ids';
import type { OutboxEvent, Reached } from '@relay/core/outbox/progress';
import { advance, isReached } from '@relay/core/outbox/progress';
import type { Selectable } from 'kysely';
import type { Transaction } from '../store/database.ts';
import { appendEvent } from '../store/events.ts';
import type { Tables } from '../store/tables.ts';

export type OutboxRow = Selectable<Tables['outbox']>;

/** Writes a message that has left among the account's messages; called once for each. */
export type RecordSent = (tx: Transaction, row: OutboxRow, at: Date) => Promise<void>;

export interface Happened {
  readonly event: OutboxEvent;
  readonly at: Date;
  /** Why, for a person; kept when it failed. */
  readonly sentence?: string;
  /** When it may be tried again. */
  readonly notBefore?: Date | null;
}

/** By the outbox's own id, or by the one WhatsApp knows it by. */
export type Named = { readonly id: OutboxId } | { readonly messageId: MessageId };

export async function lockRow(
  tx: Transaction,
  account: AccountId,
  named: Named,
): Promise<OutboxRow | undefined> {
  const rows = tx.selectFrom('outbox').selectAll().where('account_id', '=', account).forUpdate();
  return 'id' in named
    ? rows.where('id', '=', named.id).executeTakeFirst()
    : rows.where('message_id', '=', named.messageId).executeTakeFirst();
}

const TIME_OF: Readonly<Record<Reached, 'sent_at' | 'delivered_at' | 'read_at'>> = {
  sent: 'sent_at',
  delivered: 'delivered_at',
  read: 'read_at',
};

/** To a row that is locked. Returns it as it is now. */
export async function settle(
  tx: Transaction,
  row: OutboxRow,
  happened: Happened,
  recordSent: RecordSent,
): Promise<OutboxRow> {
  const before = { state: row.state, inDoubt: row.in_doubt };
  const after = advance(before, happened.event);
  const { state } = after;
  const later = happened.event.type === 'refused' && happened.event.verdict === 'later';
  const left = isReached(state) && !isReached(row.state);
  const changes = {
    state,
    in_doubt: after.inDoubt,
    failure: state === 'failed' ? (row.failure ?? happened.sentence ?? null) : null,
    not_before: happened.notBefore === undefined ? row.not_before : happened.notBefore,
    unknown_since:
      state === 'unknown' ? (row.unknown_since ?? row.attempted_at ?? happened.at) : null,
    // Too much at once is no fault of this message.
    attempts: later && state === 'pending' ? 0 : row.attempts,
    ...(left ? { sent_at: happened.at } : {}),
    ...(isReached(state) && row[TIME_OF[state]] === null ? { [TIME_OF[state]]: happened.at } : {}),
  };
  await tx
    .updateTable('outbox')
    .set(changes)
    .where('account_id', '=', row.account_id)
    .where('id', '=', row.id)
    .execute();
  const now: OutboxRow = { ...row, ...changes };
  if (left) await recordSent(tx, now, happened.at);
  if (state !== row.state) await tell(tx, row, now);
  return now;
}

async function tell(tx: Transaction, before: OutboxRow, now: OutboxRow): Promise<void> {
  await appendEvent(tx, now.account_id, {
    kind: 'outbox',
    subject: now.id,
    data: {
      state: now.state,
      from: before.state,
      message: now.message_id,
      chat: now.chat_id,
      instance: now.instance_id,
      reason: now.failure,
    },
  });
  if (now.state !== 'failed' || now.instance_id === null) return;
  await tx
    .insertInto('instance_messages')
    .values({
      account_id: now.account_id,
      instance_id: now.instance_id,
      role: 'system',
      content: `Not sent: ${now.failure}`,
    })
    .execute();
}
