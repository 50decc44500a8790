// Mentions of the assistant in an observed group and their outcome. One row for each message, even across restarts: it
// is checked, then answered once or left unanswered.
import type { AccountId, ChatId, MessageId, OutboxId, RequestId, RunId } from '@relay/contract/ids';
import type { TriggerLabel } from '@relay/core/observer/trigger/prompt';
import { type Selectable, sql } from 'kysely';
import type { Transaction } from '../database.ts';
import type { Tables } from '../tables.ts';
import type { MessagePosition } from './messages.ts';

export type ObserverRequestRow = Selectable<Tables['observer_requests']>;

/** `silence`: why it gets no answer. Null if it existed already. */
export async function putObserverRequest(
  tx: Transaction,
  account: AccountId,
  { chat, number, sentAt }: MessagePosition,
  silence: string | null,
): Promise<RequestId | null> {
  const row = await tx
    .insertInto('observer_requests')
    .values({
      account_id: account,
      chat_id: chat,
      message: number,
      sent_at: sentAt,
      state: silence === null ? 'asked' : 'silent',
      verdict: null,
      reason: silence,
      run_id: null,
      answered_at: null,
      outbox_id: null,
    })
    .onConflict((on) => on.doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id ?? null;
}

/** Null if it is gone, or its group is. */
export async function lockObserverRequest(
  tx: Transaction,
  account: AccountId,
  id: RequestId,
): Promise<ObserverRequestRow | null> {
  const row = await tx
    .selectFrom('observer_requests')
    .selectAll()
    .where('account_id', '=', account)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  return row ?? null;
}

/** WhatsApp's id of the request's message; null if the message is gone. */
export async function messageIdOfRequest(
  tx: Transaction,
  { account_id, message, sent_at }: Pick<ObserverRequestRow, 'account_id' | 'message' | 'sent_at'>,
): Promise<MessageId | null> {
  const { rows } = await sql<{ id: MessageId }>`SELECT message_id AS id FROM messages
    WHERE account_id = ${account_id} AND sent_at = ${sent_at} AND id = ${message}`.execute(tx);
  return rows[0]?.id ?? null;
}

interface ObserverRequestChange {
  readonly state: 'asked' | 'answering' | 'silent';
  readonly verdict?: TriggerLabel | null;
  readonly reason?: string;
  readonly run?: RunId;
}

export async function changeObserverRequest(
  tx: Transaction,
  { account_id, id }: Pick<ObserverRequestRow, 'account_id' | 'id'>,
  { state, verdict, reason, run }: ObserverRequestChange,
): Promise<void> {
  await tx
    .updateTable('observer_requests')
    .set({
      state,
      ...(verdict === undefined ? {} : { verdict }),
      ...(reason === undefined ? {} : { reason }),
      ...(run === undefined ? {} : { run_id: run }),
    })
    .where('account_id', '=', account_id)
    .where('id', '=', id)
    .execute();
}

/** A deleted or edited message is no longer a request, unless its answer may have been sent. */
export async function dropObserverRequest(
  tx: Transaction,
  account: AccountId,
  { chat, number }: Pick<MessagePosition, 'chat' | 'number'>,
  reason: string,
): Promise<void> {
  await sql`UPDATE observer_requests r SET state = 'silent', reason = ${reason}
    WHERE r.account_id = ${account} AND r.chat_id = ${chat} AND r.message = ${number}
      AND (r.state IN ('asked', 'answering') OR (r.state = 'answered' AND EXISTS (SELECT FROM outbox o
        WHERE o.account_id = r.account_id AND o.id = r.outbox_id AND o.state = 'pending' AND NOT o.in_doubt)))`.execute(
    tx,
  );
}

/** The gate permitted the answer: from now on it counts. */
export async function markRequestAnswered(
  tx: Transaction,
  account: AccountId,
  answer: {
    readonly chat: ChatId;
    readonly run: RunId;
    readonly outbox: OutboxId;
    readonly at: Date;
  },
): Promise<void> {
  await tx
    .updateTable('observer_requests')
    .set({ state: 'answered', answered_at: answer.at, outbox_id: answer.outbox })
    .where('account_id', '=', account)
    .where('chat_id', '=', answer.chat)
    .where('run_id', '=', answer.run)
    .where('state', '=', 'answering')
    .execute();
}

const SOME_DAYS = sql`interval '3 days'`;

/**
 * Times of the group's recent answers: sent, queued and in progress. `now` stands for answers that have no time yet.
 */
export async function readAnswerTimes(
  tx: Transaction,
  account: AccountId,
  chat: ChatId,
  {
    now,
    except,
    before,
  }: {
    readonly now: Date;
    readonly except: RequestId | null;
    /** Of queued answers, counts only those before this position in the outbox; by default all. */
    readonly before?: number;
  },
): Promise<Date[]> {
  const { rows } = await sql<{ at: Date | null }>`
    SELECT CASE WHEN r.state = 'answering' THEN r.created_at WHEN o.state = 'pending' THEN NULL
      ELSE coalesce(o.sent_at, o.attempted_at, r.answered_at) END AS at
    FROM observer_requests r LEFT JOIN outbox o ON o.account_id = r.account_id AND o.id = r.outbox_id
    WHERE r.account_id = ${account} AND r.chat_id = ${chat} AND r.id IS DISTINCT FROM ${except}
      AND r.state IN ('answering', 'answered') AND r.sent_at > ${now}::timestamptz - ${SOME_DAYS}
      AND NOT (coalesce(o.state = 'failed', false) AND NOT o.in_doubt)
      AND NOT (coalesce(o.state = 'pending', false) AND o.seq >= coalesce(${before ?? null}::bigint, o.seq + 1))`.execute(
    tx,
  );
  return rows.map(({ at }) => at ?? now);
}
