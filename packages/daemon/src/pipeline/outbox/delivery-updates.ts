// Applies delivery reports: the pure state machine decides, and rows, events, transcripts and the sent messages change
// together in the caller's transaction. Many reports cost as many statements as one.
import type { AccountId, InstanceId, MessageId, OutboxId } from '@relay/contract/ids';
import type { DeliverySettings } from '@relay/contract/settings';
import { type StopReason, stopLedgerRow } from '@relay/core/ledger/rows';
import type { RefusalCause } from '@relay/core/outbox/freeze';
import {
  advanceProgress,
  isReached,
  isUnsettled,
  type OutboxEvent,
  type ReachedState,
} from '@relay/core/outbox/progress';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Transaction } from '../../platform/db/database.ts';
import { appendEvent } from '../../platform/db/events.ts';
import { appendLedger } from '../../platform/db/ledger.ts';
import type { Tables } from '../../platform/db/tables.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';

export type OutboxRow = Selectable<Tables['outbox']>;

/** Stores sent messages among the account's messages; called once for each. */
type RecordSent = (
  tx: Transaction,
  sent: readonly { readonly row: OutboxRow; readonly at: Date }[],
) => Promise<void>;

/** Further effects of delivery reports, in the same transaction. */
export interface DeliveryHooks {
  readonly recordSent: RecordSent;
  /** A conversation's messages that will not arrive, except those that were stopped on purpose. */
  onUndelivered(
    tx: Transaction,
    messages: readonly { readonly id: OutboxId; readonly instance: InstanceId }[],
  ): Promise<void>;
  /** Conversations with a message that is no longer unsent: WhatsApp accepted it, or it was stopped on purpose. */
  onSettled(tx: Transaction, instances: readonly InstanceId[]): Promise<void>;
}

export interface DeliveryUpdate {
  readonly event: OutboxEvent;
  readonly at: Date;
  /** The reason as text for people; stored when the message failed. */
  readonly sentence?: string;
  /** How often it was tried, if this try was not counted before. */
  readonly attempts?: number;
  /** When it may be tried again; null: not before it has been reconciled. */
  readonly notBefore?: Date | null;
  /** Stopped, though nobody meant to stop it. */
  readonly lost?: boolean;
  /** The refusal that also freezes sending. */
  readonly freeze?: RefusalCause | null;
}

/** By the outbox's own id, or by WhatsApp's message id. */
export type OutboxTarget = { readonly id: OutboxId } | { readonly messageId: MessageId };

export interface DeliveryReport {
  readonly target: OutboxTarget;
  /** Null if the report adds nothing to the message's present state. */
  readonly apply: (row: OutboxRow) => DeliveryUpdate | null;
}

/** Returns each applied update with the row as it is now. */
export async function applyDeliveryReports(
  tx: Transaction,
  account: AccountId,
  outcomes: readonly DeliveryReport[],
  hooks: DeliveryHooks,
): Promise<readonly { readonly row: OutboxRow; readonly update: DeliveryUpdate }[]> {
  const before = await lockRows(tx, account, outcomes);
  const rows = new Map<OutboxId | undefined, OutboxRow>(before.map((row) => [row.id, row]));
  const byMessage = new Map(before.map((row) => [row.message_id, row.id]));
  const settled: { row: OutboxRow; update: DeliveryUpdate }[] = [];
  const sent: { row: OutboxRow; at: Date }[] = [];
  const lost: { id: OutboxId; instance: InstanceId }[] = [];
  const closed = new Set<InstanceId>();
  for (const { target, apply } of outcomes) {
    const row = rows.get('id' in target ? target.id : byMessage.get(target.messageId));
    const update = row && apply(row);
    if (!row || !update) continue;
    const now = rowAfter(row, update);
    rows.set(row.id, now);
    settled.push({ row: now, update });
    if (isReached(now.state) && !isReached(row.state)) sent.push({ row: now, at: update.at });
    if (row.instance_id === null) continue;
    if (isLost(row, now, update)) lost.push({ id: row.id, instance: row.instance_id });
    else if (isUnsettled(row.state) && !isUnsettled(now.state)) closed.add(row.instance_id);
  }
  const changes = before
    .map((row) => ({ from: row, to: rows.get(row.id) ?? row }))
    .filter(({ from, to }) => from !== to);
  await writeRows(tx, changes);
  if (sent.length > 0) await hooks.recordSent(tx, sent);
  await recordStateChanges(
    tx,
    account,
    changes.filter(({ from, to }) => from.state !== to.state),
  );
  if (lost.length > 0) await hooks.onUndelivered(tx, lost);
  if (closed.size > 0) await hooks.onSettled(tx, [...closed]);
  return settled;
}

/** It failed, though nobody stopped it on purpose. */
function isLost(before: OutboxRow, now: OutboxRow, { event, lost }: DeliveryUpdate): boolean {
  if (now.state !== 'failed' || before.state === 'failed') return false;
  return event.type !== 'stopped' || lost === true;
}

/** Locked in a fixed order, so that two batches never deadlock. */
async function lockRows(
  tx: Transaction,
  account: AccountId,
  outcomes: readonly DeliveryReport[],
): Promise<OutboxRow[]> {
  const ids = outcomes.flatMap(({ target }) => ('id' in target ? [target.id] : []));
  const messages = outcomes.flatMap(({ target }) =>
    'messageId' in target ? [target.messageId] : [],
  );
  return tx
    .selectFrom('outbox')
    .selectAll()
    .where('account_id', '=', account)
    .where(sql<boolean>`(id = ANY(${ids}::uuid[]) OR message_id = ANY(${messages}::text[]))`)
    .orderBy('seq')
    .forUpdate()
    .execute();
}

const TIME_OF: Readonly<Record<ReachedState, 'sent_at' | 'delivered_at' | 'read_at'>> = {
  sent: 'sent_at',
  delivered: 'delivered_at',
  read: 'read_at',
};

function rowAfter(row: OutboxRow, update: DeliveryUpdate): OutboxRow {
  const { event, at, sentence, notBefore, attempts = row.attempts } = update;
  const { state, inDoubt } = advanceProgress({ state: row.state, inDoubt: row.in_doubt }, event);
  const later = event.type === 'refused' && event.verdict === 'later';
  return {
    ...row,
    state,
    in_doubt: inDoubt,
    failure: state === 'failed' ? (row.failure ?? sentence ?? null) : null,
    not_before: notBefore === undefined ? row.not_before : notBefore,
    unknown_since: state === 'unknown' ? (row.unknown_since ?? row.attempted_at ?? at) : null,
    // A rate limit is not the fault of this message.
    attempts: later && state === 'pending' ? 0 : attempts,
    ...(isReached(state) ? { sent_at: row.sent_at ?? at } : {}),
    ...(isReached(state) ? { [TIME_OF[state]]: row[TIME_OF[state]] ?? at } : {}),
  };
}

interface RowChange {
  readonly from: OutboxRow;
  readonly to: OutboxRow;
}

async function writeRows(tx: Transaction, changes: readonly RowChange[]): Promise<void> {
  if (changes.length === 0) return;
  await sql`UPDATE outbox o SET state = n.state, in_doubt = n.in_doubt, failure = n.failure,
      not_before = n.not_before, unknown_since = n.unknown_since, attempts = n.attempts,
      sent_at = n.sent_at, delivered_at = n.delivered_at, read_at = n.read_at
    FROM json_to_recordset(${JSON.stringify(changes.map(({ to }) => ({ ...to, body: '', content: null, wire: null })))}::json) AS n(
      account_id bigint, id uuid, state text, in_doubt boolean, failure text, not_before timestamptz,
      unknown_since timestamptz, attempts integer, sent_at timestamptz, delivered_at timestamptz,
      read_at timestamptz)
    WHERE o.account_id = n.account_id AND o.id = n.id`.execute(tx);
}

async function recordStateChanges(
  tx: Transaction,
  account: AccountId,
  changes: readonly RowChange[],
): Promise<void> {
  if (changes.length === 0) return;
  await tx
    .insertInto('events')
    .values(
      changes.map(({ from, to }) => ({
        account_id: account,
        kind: 'outbox',
        subject: to.id,
        data: JSON.stringify({
          state: to.state,
          from: from.state,
          message: to.message_id,
          chat: to.chat_id,
          instance: to.instance_id,
          reason: to.failure,
        }),
      })),
    )
    .execute();
  // The conversation should not wait for an answer to a message that was never sent.
  const lines = changes.flatMap(({ to }) =>
    to.state === 'failed' && to.instance_id !== null
      ? [
          {
            account_id: account,
            instance_id: to.instance_id,
            role: 'system' as const,
            content: `Not sent: ${to.failure}`,
          },
        ]
      : [],
  );
  if (lines.length > 0) await tx.insertInto('instance_messages').values(lines).execute();
}

// Records stopped messages in the ledger.

type StoppedMessage = Pick<OutboxRow, 'id' | 'permit_id' | 'chat_id'>;

/** The ledger stays locked from here to the commit. */
export async function recordStops(
  tx: Transaction,
  account: AccountId,
  stopped: readonly { readonly row: StoppedMessage; readonly reason: StopReason }[],
): Promise<void> {
  for (const { row, reason } of stopped) {
    const { id, permit_id: permit, chat_id: chat } = row;
    await appendLedger(tx, account, stopLedgerRow(id, reason, { permit, chat }));
  }
}

// Withdraws queued messages. One that may have been sent is in doubt and is not touched.

interface QueuedWithdrawal {
  /** A condition on rows of `outbox o`. */
  readonly which: RawBuilder<unknown>;
  readonly at: Date;
  /** The reason as text for people. */
  readonly sentence: string;
  /** Left out by a conversation that withdraws its own messages. */
  readonly settled?: DeliveryHooks['onSettled'];
}

/** Returns what was withdrawn. The caller records it in the ledger, as the last thing that it writes. */
export async function withdrawQueued(
  tx: Transaction,
  account: AccountId,
  { which, at, sentence, settled = async () => {} }: QueuedWithdrawal,
): Promise<readonly OutboxRow[]> {
  const { rows } = await sql<Pick<OutboxRow, 'id'>>`
    SELECT o.id FROM outbox o WHERE o.account_id = ${account} AND o.state = 'pending' AND NOT o.in_doubt
      AND ${which}`.execute(tx);
  if (rows.length === 0) return [];
  const outcomes = rows.map(({ id }) => ({
    target: { id },
    // It may have been given to WhatsApp at this moment.
    apply: (row: OutboxRow) =>
      row.state === 'pending' && !row.in_doubt
        ? ({ event: { type: 'stopped' }, at, sentence } as const)
        : null,
  }));
  // Nothing was sent, and no conversation waits to learn that the message was lost.
  const hooks = { recordSent: async () => {}, onUndelivered: async () => {}, onSettled: settled };
  const withdrawn = await applyDeliveryReports(tx, account, outcomes, hooks);
  return withdrawn.map(({ row }) => row);
}

// Messages in doubt: they may have been sent or not. A receipt settles one. Without a receipt, once the account is
// connected, caught up and some time has passed, it is offered again under the same id, which the recipient shows only
// once. One that is too old for that is left to the owner, who is notified.

/** Attempts whose sender is gone, so that nobody waits for their answer. */
export async function markDoubtful(
  tx: Transaction,
  account: AccountId,
  inFlight: readonly OutboxId[],
  now: Date,
  hooks: DeliveryHooks,
): Promise<void> {
  const rows = await tx
    .selectFrom('outbox')
    .select('id')
    .where('account_id', '=', account)
    .where('state', '=', 'pending')
    .where('in_doubt', '=', true)
    .$if(inFlight.length > 0, (query) => query.where('id', 'not in', inFlight))
    .execute();
  const apply = () => ({ event: { type: 'lost' }, at: now, notBefore: null }) as const;
  await applyDeliveryReports(
    tx,
    account,
    rows.map(({ id }) => ({ target: { id }, apply })),
    hooks,
  );
}

/**
 * Called when the account is connected and has caught up. Each message in doubt gets its time for a receipt; one that
 * has had it and is too old to be offered again is left to the owner. With `isNewConnection`, messages whose time has
 * passed get it again. Returns how many are still to be settled.
 */
export async function reconcileDoubtful(
  tx: Transaction,
  account: AccountId,
  delivery: DeliverySettings,
  now: Date,
  isNewConnection: boolean,
  hooks: DeliveryHooks,
): Promise<number> {
  const horizon = new Date(now.getTime() - delivery.reoffer_within_ms);
  const doubtful = tx
    .updateTable('outbox')
    .where('account_id', '=', account)
    .where('state', '=', 'unknown')
    .where('told_at', 'is', null);
  await doubtful
    .set({ not_before: new Date(now.getTime() + delivery.grace_ms) })
    .$if(!isNewConnection, (query) => query.where('not_before', 'is', null))
    .execute();
  const old = await doubtful
    .set({ told_at: now })
    .where('unknown_since', '<=', horizon)
    .where('not_before', '<=', now)
    .returning(['id', 'message_id', 'chat_id', 'instance_id'])
    .execute();
  for (const row of old) {
    await appendEvent(tx, account, {
      kind: 'outbox.undecided',
      subject: row.id,
      data: { message: row.message_id, chat: row.chat_id, instance: row.instance_id },
    });
  }
  const instances = new Set(old.flatMap(({ instance_id }) => instance_id ?? []));
  if (instances.size > 0) await hooks.onSettled(tx, [...instances]);
  const { left } = await tx
    .selectFrom('outbox')
    .select(({ fn }) => fn.countAll<number>().as('left'))
    .where('account_id', '=', account)
    .where('state', '=', 'unknown')
    .where('told_at', 'is', null)
    .executeTakeFirstOrThrow();
  return left;
}

// Wakes a conversation when one of its messages was sent, stopped or lost. The job is queued in the transaction that
// records the result.

export function wakeConversations(
  jobs: Jobs,
  account: AccountId,
): Pick<DeliveryHooks, 'onUndelivered' | 'onSettled'> {
  return {
    onUndelivered: (tx, messages) =>
      jobs.enqueue(
        tx,
        'conversation',
        messages.map(({ id, instance }) => ({
          key: `${account}:${instance}`,
          // Valid in any epoch: what could not be delivered stays undelivered.
          data: { account, subject: instance, epoch: 0, wake: 'undelivered', message: id },
        })),
      ),
    onSettled: (tx, instances) =>
      jobs.enqueue(
        tx,
        'conversation',
        instances.map((subject) => ({
          key: `${account}:${subject}`,
          data: { account, subject, epoch: 0, wake: 'acknowledged' },
        })),
      ),
  };
}
