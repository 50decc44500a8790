// Locks, reads and saves the rows of conversations.
import type {
  ConversationInstance,
  StateTransition,
  TranscriptLine,
} from '@relay/contract/api/instances';
import { STATE_SENTENCES, UNSENT_SENTENCES } from '@relay/contract/conversation/states';
import { RelayError } from '@relay/contract/errors';
import type { AccountId, InstanceId } from '@relay/contract/ids';
import type { Instance, StateStep } from '@relay/core/conversation/transition';
import { type StoredMessageContent, toReadableMessage } from '@relay/core/messages/message';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { isOnHoldSql } from '../../pipeline/gate/gate.ts';
import type { Db, Transaction } from '../../platform/db/database.ts';
import { appendEventsSql, type NewEvent } from '../../platform/db/events.ts';
import type { Lease } from '../../platform/db/lease.ts';
import { type MediaJson, mediaJsonSql, toMediaBody } from '../../platform/db/media.ts';
import type { Tables } from '../../platform/db/tables.ts';

export type InstanceRow = Selectable<Tables['instances']>;
export type InstanceMessageRow = Selectable<Tables['instance_messages']>;

export async function lockInstance(
  tx: Transaction,
  lease: Lease,
  id: InstanceId,
): Promise<InstanceRow> {
  return (await locking(tx, lease, id).executeTakeFirst()) ?? notFound(id);
}

/** Also reads whether sending is on hold. A hold that is seen here ends only after this transaction. */
export async function lockInstanceUnderHold(
  tx: Transaction,
  lease: Lease,
  id: InstanceId,
): Promise<InstanceRow & { readonly held: boolean }> {
  const query = locking(tx, lease, id).select(isOnHoldSql(lease.account).as('held'));
  return (await query.executeTakeFirst()) ?? notFound(id);
}

const locking = (tx: Transaction, lease: Lease, id: InstanceId) =>
  tx
    .selectFrom('instances')
    .selectAll()
    .where('account_id', '=', lease.account)
    .where('id', '=', id)
    .forUpdate();

function notFound(id: InstanceId): never {
  throw new RelayError('instance_not_found', { id });
}

export async function readInstance(db: Db, lease: Lease, id: InstanceId): Promise<InstanceRow> {
  const row = await db
    .selectFrom('instances')
    .selectAll()
    .where('account_id', '=', lease.account)
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) throw new RelayError('instance_not_found', { id });
  return row;
}

export type ResultColumns = Pick<InstanceRow, 'result_status' | 'result' | 'result_reason'>;

/** Changes saved together with an instance, in the same statement. */
interface InstanceUpdate {
  /** Logged in this order. */
  readonly steps?: readonly StateStep[];
  /** The client that caused the steps. */
  readonly by?: string | undefined;
  /** Set when the todos change too. */
  readonly todos?: InstanceRow['todos'] | undefined;
  /** Set when the conversation ends. */
  readonly result?: ResultColumns | undefined;
  /** The statement that sets or clears the timer. */
  readonly timer?: RawBuilder<unknown> | null;
  /** When the timer started. */
  readonly timerSetAt?: Date | null;
  /** Appended in this order. */
  readonly events?: readonly NewEvent[];
}

export async function saveInstance(
  tx: Transaction,
  lease: Lease,
  instance: Instance,
  now: Date,
  { steps = [], by, todos, result, timer = null, timerSetAt, events = [] }: InstanceUpdate = {},
): Promise<void> {
  const progress = {
    ...(todos === undefined ? {} : { todos: JSON.stringify(todos) }),
    ...(timerSetAt === undefined ? {} : { timer_set_at: timerSetAt }),
    ...(result === undefined
      ? {}
      : { ...result, result: result.result && JSON.stringify(result.result) }),
  };
  await tx
    .with('logged', () => part(stepsLogged(lease, instance, steps, by ?? null)))
    .with('told', () => part(appendEventsSql(lease.account, events)))
    .with('timed', () => part(timer ?? sql`SELECT`))
    .updateTable('instances')
    .set({ ...toColumns(instance), ...progress, updated_at: now })
    .where('account_id', '=', lease.account)
    .where('id', '=', instance.id)
    .execute();
}

const part = (statement: RawBuilder<unknown>) => sql<Record<never, never>>`(${statement})`;

const stepsLogged = (
  lease: Lease,
  { id, epoch }: Instance,
  steps: readonly StateStep[],
  by: string | null,
) => sql`
  INSERT INTO instance_transitions (account_id, instance_id, epoch, caused_by, from_state, to_state, trigger)
  SELECT ${lease.account}::bigint, ${id}::uuid, ${epoch}::integer, ${by}::text, * FROM unnest(
    ${steps.map(({ from }) => from)}::text[], ${steps.map(({ to }) => to)}::text[],
    ${steps.map(({ trigger }) => trigger)}::text[])`;

/** The columns a transition may change; `toInstance` is the inverse. */
export function toColumns(instance: Instance) {
  return {
    state: instance.state,
    previous_state: instance.previousState,
    follow_up_count: instance.followUpCount,
    failure_reason: instance.failureReason,
    reason: instance.reason,
    unread: instance.unread,
    epoch: instance.epoch,
    unsent: instance.unsent,
    timer_due_at: instance.timerDueAt,
    timer_left_ms: instance.timerLeftMs,
  };
}

export function toInstance(row: InstanceRow): Instance {
  return {
    id: row.id,
    state: row.state,
    previousState: row.previous_state,
    heartbeat: { intervalMs: row.interval_ms, maxFollowups: row.max_followups },
    followUpCount: row.follow_up_count,
    failureReason: row.failure_reason,
    reason: row.reason,
    unread: row.unread,
    epoch: row.epoch,
    unsent: row.unsent,
    timerDueAt: row.timer_due_at,
    timerLeftMs: row.timer_left_ms,
  };
}

const sentenceOf = ({ state, unsent }: InstanceRow): string =>
  (unsent ? UNSENT_SENTENCES[state] : undefined) ?? STATE_SENTENCES[state];

export function toApiInstance(row: InstanceRow): ConversationInstance {
  return {
    id: row.id,
    objective: row.objective,
    target_contact: row.target_contact,
    todos: row.todos,
    facts: row.options.facts ?? [],
    state: row.state,
    previous_state: row.previous_state,
    heartbeat_config: { interval_ms: row.interval_ms, max_followups: row.max_followups },
    follow_up_count: row.follow_up_count,
    failure_reason: row.failure_reason,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    next_follow_up_at: row.timer_due_at?.toISOString() ?? null,
    reason: row.reason ?? sentenceOf(row),
    unread: row.unread,
    chat_id: row.chat_id,
    created_by: row.created_by,
    ...toApiResult(row),
  };
}

const toApiResult = ({ result_schema, result_status, result, result_reason }: InstanceRow) =>
  result_schema === null || result_status === null
    ? {}
    : { result_schema, result_status, result, result_reason, result_from_contact: true as const };

/** The lines of a transcript `m`, with the delivery state of their outbox row `o`. */
export const selectTranscript = (db: Db, account: AccountId, id: InstanceId) =>
  db
    .selectFrom('instance_messages as m')
    .leftJoin('outbox as o', (join) =>
      join.onRef('o.account_id', '=', 'm.account_id').onRef('o.id', '=', 'm.outbox_id'),
    )
    .selectAll('m')
    .select(['o.state as delivery', 'o.message_id as sent_id'])
    .select(quotedInLineSql(account, id).as('quoted'))
    .where('m.account_id', '=', account)
    .where('m.instance_id', '=', id);

interface QuotedLine extends StoredMessageContent {
  readonly from_me: boolean;
}

/** The message that a line of ours or of the contact replies to; for `instance_messages m` and `outbox o`. */
const quotedInLineSql = (account: AccountId, id: InstanceId) => sql<QuotedLine | null>`(
  SELECT json_build_object('from_me', q.from_me, 'kind', q.kind, 'body', left(q.body, 300), 'media', q.media,
    'details', q.details)
  FROM message_keys k JOIN messages q ON q.account_id = k.account_id AND q.sent_at = k.sent_at AND q.id = k.id
  WHERE k.account_id = ${account} AND k.chat_id = (SELECT chat_id FROM instances WHERE account_id = ${account} AND id = ${id})
    AND k.message_id = coalesce(o.quotes, (SELECT s.quoted_id FROM message_keys t
      JOIN messages s ON s.account_id = t.account_id AND s.sent_at = t.sent_at AND s.id = t.id
      WHERE m.role = 'contact' AND t.account_id = ${account} AND t.message_id = m.message_id
        AND t.chat_id = k.chat_id LIMIT 1))
  LIMIT 1)`;

/** A line with its outbox message. A line that was just written has no delivery state yet; its message is pending. */
export type TranscriptLineRow = InstanceMessageRow &
  Partial<
    Pick<TranscriptLine, 'delivery'> & {
      readonly sent_id: string | null;
      readonly quoted: QuotedLine | null;
    }
  >;

export function toTranscriptLine(row: TranscriptLineRow): TranscriptLine {
  return {
    id: String(row.id),
    instance_id: row.instance_id,
    role: row.role,
    content: row.content,
    timestamp: row.at.toISOString(),
    delivery: row.outbox_id === null ? null : (row.delivery ?? 'pending'),
    message_id: row.message_id ?? row.sent_id ?? null,
    ...(row.quoted ? { quoted: describeQuoted(row.quoted) } : {}),
  };
}

interface LineContentRow extends StoredMessageContent {
  readonly message_id: string;
  readonly from_me: boolean;
  readonly file: MediaJson | null;
}

/** What these lines are besides text. Senders choose ids, so a line's message is found by its author too. */
export async function readContentOfLines(
  db: Db,
  account: AccountId,
  id: InstanceId,
  lines: readonly TranscriptLine[],
): Promise<(line: TranscriptLine) => Pick<TranscriptLine, 'media' | 'caption' | 'received'>> {
  const ids = lines.flatMap(({ message_id }) => message_id ?? []);
  if (ids.length === 0) return () => ({});
  const { rows } = await sql<LineContentRow>`
    SELECT q.message_id, q.from_me, q.kind, q.body, q.media, q.details, ${mediaJsonSql(sql.ref('q'))} AS file
    FROM message_keys k JOIN messages q ON q.account_id = k.account_id AND q.sent_at = k.sent_at AND q.id = k.id
    WHERE k.account_id = ${account} AND k.message_id = ANY(${ids}::text[])
      AND k.chat_id = (SELECT chat_id FROM instances WHERE account_id = ${account} AND id = ${id})
      AND (q.details ? 'content' OR EXISTS (SELECT FROM media d WHERE d.account_id = q.account_id AND d.message = q.id))`.execute(
    db,
  );
  const keyOf = (message: string | null, isOwn: boolean) => `${isOwn} ${message}`;
  const byKey = new Map(rows.map((row) => [keyOf(row.message_id, row.from_me), row]));
  return ({ message_id, role }) => {
    const row = byKey.get(keyOf(message_id, role !== 'contact'));
    if (row === undefined) return {};
    const received = row.details?.content;
    return {
      ...(row.file && { media: toMediaBody(row.file), caption: toReadableMessage(row).text }),
      ...(received && { received }),
    };
  };
}

function describeQuoted(quoted: QuotedLine) {
  const { label, text } = toReadableMessage(quoted);
  return { from_me: quoted.from_me, text: text || (label ?? '') };
}

export function toApiTransition(row: Selectable<Tables['instance_transitions']>): StateTransition {
  return {
    instance_id: row.instance_id,
    from_state: row.from_state,
    to_state: row.to_state,
    trigger: row.trigger,
    timestamp: row.at.toISOString(),
    caused_by: row.caused_by,
  };
}
