// What became of messages, written: the pure machine decides, and rows, events, transcripts and the sent
// messages themselves change together in the caller's transaction. Many at once cost what one costs.
import type { AccountId, InstanceId, MessageId, OutboxId } from '@relay/core/ids';
import type { RefusalCause } from '@relay/core/outbox/freeze';
import type { OutboxEvent, Reached } from '@relay/core/outbox/progress';
import { advance, isOpen, isReached } from '@relay/core/outbox/progress';
import { type Selectable, sql } from 'kysely';
import type { Transaction } from '../store/database.ts';
import type { Tables } from '../store/tables.ts';

export type OutboxRow = Selectable<Tables['outbox']>;

/** Writes messages that have left among the account's messages; called once for each. */
export type RecordSent = (
  tx: Transaction,
  sent: readonly { readonly row: OutboxRow; readonly at: Date }[],
) => Promise<void>;

/** What else follows from what became of messages, in the same transaction. */
export interface Aftermath {
  readonly recordSent: RecordSent;
  /** Messages of conversations that will not arrive; what was stopped on purpose is none of them. */
  undelivered(
    tx: Transaction,
    messages: readonly { readonly id: OutboxId; readonly instance: InstanceId }[],
  ): Promise<void>;
  /** Conversations of which a message is no longer unsent: WhatsApp took it, or it was stopped on purpose. */
  settled(tx: Transaction, instances: readonly InstanceId[]): Promise<void>;
}

export interface Happened {
  readonly event: OutboxEvent;
  readonly at: Date;
  /** Why, for a person; kept when it failed. */
  readonly sentence?: string;
  /** When it may be tried again; null: not before it has been reconciled. */
  readonly notBefore?: Date | null;
  /** Stopped, though nobody meant it to be. */
  readonly lost?: boolean;
  /** What else it means. */
  readonly freeze?: RefusalCause | null;
}

/** By the outbox's own id, or by the one WhatsApp knows it by. */
export type Named = { readonly id: OutboxId } | { readonly messageId: MessageId };

export interface Outcome {
  readonly of: Named;
  /** Null when it says nothing new of a message that is there already. */
  readonly is: (row: OutboxRow) => Happened | null;
}

/** Returns what happened to messages that are there, and how they stand now. */
export async function settle(
  tx: Transaction,
  account: AccountId,
  outcomes: readonly Outcome[],
  aftermath: Aftermath,
): Promise<readonly { readonly row: OutboxRow; readonly happened: Happened }[]> {
  const before = await lockRows(tx, account, outcomes);
  const rows = new Map<OutboxId | undefined, OutboxRow>(before.map((row) => [row.id, row]));
  const byMessage = new Map(before.map((row) => [row.message_id, row.id]));
  const settled: { row: OutboxRow; happened: Happened }[] = [];
  const sent: { row: OutboxRow; at: Date }[] = [];
  const lost: { id: OutboxId; instance: InstanceId }[] = [];
  const closed = new Set<InstanceId>();
  for (const { of, is } of outcomes) {
    const row = rows.get('id' in of ? of.id : byMessage.get(of.messageId));
    const happened = row && is(row);
    if (!row || !happened) continue;
    const now = after(row, happened);
    rows.set(row.id, now);
    settled.push({ row: now, happened });
    if (isReached(now.state) && !isReached(row.state)) sent.push({ row: now, at: happened.at });
    if (row.instance_id === null) continue;
    if (isLost(row, now, happened)) lost.push({ id: row.id, instance: row.instance_id });
    else if (isOpen(row.state) && !isOpen(now.state)) closed.add(row.instance_id);
  }
  const changes = before
    .map((row) => ({ from: row, to: rows.get(row.id) ?? row }))
    .filter(({ from, to }) => from !== to);
  await writeRows(tx, changes);
  if (sent.length > 0) await aftermath.recordSent(tx, sent);
  await tell(
    tx,
    account,
    changes.filter(({ from, to }) => from.state !== to.state),
  );
  if (lost.length > 0) await aftermath.undelivered(tx, lost);
  if (closed.size > 0) await aftermath.settled(tx, [...closed]);
  return settled;
}

/** It failed, though nobody stopped it on purpose. */
function isLost(before: OutboxRow, now: OutboxRow, { event, lost }: Happened): boolean {
  if (now.state !== 'failed' || before.state === 'failed') return false;
  return event.type !== 'stopped' || lost === true;
}

/** In their order, so that two that lock several never wait for each other. */
async function lockRows(
  tx: Transaction,
  account: AccountId,
  outcomes: readonly Outcome[],
): Promise<OutboxRow[]> {
  const ids = outcomes.flatMap(({ of }) => ('id' in of ? [of.id] : []));
  const messages = outcomes.flatMap(({ of }) => ('messageId' in of ? [of.messageId] : []));
  return tx
    .selectFrom('outbox')
    .selectAll()
    .where('account_id', '=', account)
    .where(sql<boolean>`(id = ANY(${ids}::uuid[]) OR message_id = ANY(${messages}::text[]))`)
    .orderBy('seq')
    .forUpdate()
    .execute();
}

const TIME_OF: Readonly<Record<Reached, 'sent_at' | 'delivered_at' | 'read_at'>> = {
  sent: 'sent_at',
  delivered: 'delivered_at',
  read: 'read_at',
};

function after(row: OutboxRow, { event, at, sentence, notBefore }: Happened): OutboxRow {
  const { state, inDoubt } = advance({ state: row.state, inDoubt: row.in_doubt }, event);
  const later = event.type === 'refused' && event.verdict === 'later';
  return {
    ...row,
    state,
    in_doubt: inDoubt,
    failure: state === 'failed' ? (row.failure ?? sentence ?? null) : null,
    not_before: notBefore === undefined ? row.not_before : notBefore,
    unknown_since: state === 'unknown' ? (row.unknown_since ?? row.attempted_at ?? at) : null,
    // Too much at once is no fault of this message.
    attempts: later && state === 'pending' ? 0 : row.attempts,
    ...(isReached(state) ? { sent_at: row.sent_at ?? at } : {}),
    ...(isReached(state) ? { [TIME_OF[state]]: row[TIME_OF[state]] ?? at } : {}),
  };
}

interface Change {
  readonly from: OutboxRow;
  readonly to: OutboxRow;
}

async function writeRows(tx: Transaction, changes: readonly Change[]): Promise<void> {
  if (changes.length === 0) return;
  await sql`UPDATE outbox o SET state = n.state, in_doubt = n.in_doubt, failure = n.failure,
      not_before = n.not_before, unknown_since = n.unknown_since, attempts = n.attempts,
      sent_at = n.sent_at, delivered_at = n.delivered_at, read_at = n.read_at
    FROM json_to_recordset(${JSON.stringify(changes.map(({ to }) => ({ ...to, body: '' })))}::json) AS n(
      account_id bigint, id uuid, state text, in_doubt boolean, failure text, not_before timestamptz,
      unknown_since timestamptz, attempts integer, sent_at timestamptz, delivered_at timestamptz,
      read_at timestamptz)
    WHERE o.account_id = n.account_id AND o.id = n.id`.execute(tx);
}

async function tell(
  tx: Transaction,
  account: AccountId,
  changes: readonly Change[],
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
  // Nobody should wait for an answer to a message that never left.
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
