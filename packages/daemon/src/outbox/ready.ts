// Which messages may go next. They go by their number; one that has to wait (for a retry, for a receipt,
// for first contacts to be allowed again) holds back its own chat and nobody else. What a paused
// conversation's agent wrote holds back nobody: it is out of the line until the conversation goes on.
import type { AccountId, ChatId, InstanceId, MessageId, OutboxId, PermitId } from '@relay/core/ids';
import type { Sending } from '@relay/core/outbox/pacing';
import { DAY } from '@relay/core/outbox/pacing';
import type { OutboxState } from '@relay/core/outbox/progress';
import { type RawBuilder, sql } from 'kysely';
import { CHAT_ADDRESS } from '../store/addresses.ts';
import type { Reader, Transaction } from '../store/database.ts';
import { registrationOf } from '../store/registration.ts';

export interface ReadyRow {
  readonly id: OutboxId;
  readonly seq: number;
  readonly permit_id: PermitId;
  readonly chat_id: ChatId;
  readonly instance_id: InstanceId | null;
  readonly message_id: MessageId;
  readonly body: string;
  readonly state: Extract<OutboxState, 'pending' | 'unknown'>;
  readonly first_contact: boolean;
  /** Where it goes; null for a contact without any address. */
  readonly address: string | null;
  /** A first contact of whom it is not known whether the number is registered. */
  readonly unchecked: boolean;
}

export interface Asked {
  readonly now: Date;
  readonly room: number;
  /** Handed to the wire and not yet answered. */
  readonly inFlight: readonly OutboxId[];
  /** `checked`: only those whose number is known to be registered, or not to be. */
  readonly firstContacts: 'open' | 'checked' | 'closed';
  /** Whether doubtful ones have had their chance to be settled by a receipt. */
  readonly reconciled: boolean;
  /** Doubtful since before then: no longer offered. */
  readonly horizon: Date;
}

// OFFSET 0 keeps the question about earlier ones a question about one row: as a join it would be asked of
// everything that waits.
/** Locks what it finds: a receipt that comes now waits, and then counts. */
export async function findReady(
  tx: Transaction,
  account: AccountId,
  asked: Asked,
): Promise<ReadyRow[]> {
  const isUnchecked = (row: RawBuilder<unknown>, chat: RawBuilder<unknown>) =>
    sql<boolean>`(${isFirst(row)} AND ${registrationOf(chat, asked.now)} = 'unknown')`;
  const mayOpen = (row: RawBuilder<unknown>) => {
    if (asked.firstContacts === 'open') return sql`true`;
    if (asked.firstContacts === 'closed') return sql`NOT ${isFirst(row)}`;
    return sql`NOT EXISTS (SELECT FROM chats u WHERE u.account_id = ${row}.account_id AND u.id = ${row}.chat_id
      AND ${isUnchecked(row, sql.ref('u'))})`;
  };
  const open = (row: RawBuilder<unknown>) => sql`(${row}.account_id = ${account}
    AND ${row}.state IN ('pending', 'unknown') AND ${row}.told_at IS NULL
    AND ${row}.id <> ALL(${asked.inFlight}::uuid[]) AND NOT ${isPaused(row)})`;
  const ready = (row: RawBuilder<unknown>) => sql`(CASE WHEN ${row}.state = 'unknown'
      THEN ${asked.reconciled} AND ${row}.not_before <= ${asked.now} AND ${row}.unknown_since > ${asked.horizon}
      ELSE NOT ${row}.in_doubt AND (${row}.attempts = 0 OR coalesce(${row}.not_before <= ${asked.now}, true)) END
    AND ${mayOpen(row)})`;
  const [o, e] = [sql.ref('o'), sql.ref('e')];
  const { rows } = await sql<ReadyRow>`
    SELECT o.id, o.seq, o.permit_id, o.chat_id, o.instance_id, o.message_id, o.body, o.state,
      ${isFirst(o)} AS first_contact, ${CHAT_ADDRESS} AS address, ${isUnchecked(o, sql.ref('c'))} AS unchecked
    FROM outbox o JOIN chats c ON c.account_id = o.account_id AND c.id = o.chat_id
    WHERE ${open(o)} AND ${ready(o)} AND NOT EXISTS (
      SELECT FROM outbox e WHERE ${open(e)} AND e.chat_id = o.chat_id AND e.seq < o.seq
        AND ${ready(e)} IS NOT TRUE OFFSET 0)
    ORDER BY o.seq LIMIT ${asked.room} FOR NO KEY UPDATE OF o`.execute(tx);
  return rows;
}

/**
 * The agent's words wait while its conversation is paused. When the owner took it over they wait for
 * nothing any more: the re-check ends them.
 */
const isPaused = (
  row: RawBuilder<unknown>,
) => sql<boolean>`(${row}.instance_id IS NOT NULL AND EXISTS (
  SELECT FROM instances i JOIN permits p ON p.account_id = i.account_id AND p.id = ${row}.permit_id
  WHERE i.account_id = ${row}.account_id AND i.id = ${row}.instance_id AND i.state = 'PAUSED'
    AND p.actor LIKE 'conversation:%' AND NOT ${takenOver(sql.ref('p'))}))`;

/** The owner wrote to the contact after the agent was given this permit. */
export const takenOver = (permit: RawBuilder<unknown>) => sql<boolean>`(
  ${permit}.actor LIKE 'conversation:%' AND EXISTS (SELECT FROM instance_transitions t
    WHERE t.account_id = ${permit}.account_id AND t.instance_id = ${permit}.instance_id
      AND t.trigger = 'owner_takeover' AND t.epoch > ${permit}.instance_epoch))`;

/** Nobody has written in this direct chat, neither they nor this account. */
export const isFirst = (row: RawBuilder<unknown>) => sql<boolean>`(
  EXISTS (SELECT FROM chats f WHERE f.account_id = ${row}.account_id AND f.id = ${row}.chat_id AND f.kind = 'direct')
  AND NOT EXISTS (SELECT FROM message_keys k
    WHERE k.account_id = ${row}.account_id AND k.chat_id = ${row}.chat_id)
  AND NOT EXISTS (SELECT FROM outbox w
    WHERE w.account_id = ${row}.account_id AND w.chat_id = ${row}.chat_id AND w.id <> ${row}.id
      AND (w.state IN ('sent', 'delivered', 'read', 'unknown') OR w.in_doubt)))`;

/** Where messages of a chat go. */
export async function addressOf(
  db: Reader,
  account: AccountId,
  chat: ChatId,
): Promise<string | null> {
  const { rows } = await sql<{ address: string | null }>`
    SELECT ${CHAT_ADDRESS} AS address FROM chats c
    WHERE c.account_id = ${account} AND c.id = ${chat}`.execute(db);
  return rows[0]?.address ?? null;
}

/** What was handed to the wire within a day: all that pacing looks at. */
export async function sendingsOf(db: Reader, account: AccountId, now: Date): Promise<Sending[]> {
  const rows = await db
    .selectFrom('outbox')
    .select(['attempted_at', 'first_contact'])
    .where('account_id', '=', account)
    .where('attempted_at', '>', new Date(now.getTime() - DAY))
    .$narrowType<{ attempted_at: Date }>()
    .execute();
  return rows.map((row) => ({ at: row.attempted_at, firstContact: row.first_contact }));
}
