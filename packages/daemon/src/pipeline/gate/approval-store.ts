// Stores approvals. A row is bound to the hash of what the owner was shown; submitting the same proposal again while it
// is pending reuses the row and restarts its expiry.
import type {
  Approval,
  ApprovalState,
  ApprovalsPage,
  SendRisk,
} from '@relay/contract/api/approvals';
import type { OutgoingContent } from '@relay/contract/api/outgoing';
import { RelayError } from '@relay/contract/errors';
import type {
  AccountId,
  ApprovalId,
  ChatId,
  InstanceId,
  RunId,
  ScheduleId,
} from '@relay/contract/ids';
import { describeGrant, grantOptionLines } from '@relay/core/contacts/grants';
import { toReadableMessage } from '@relay/core/messages/message';
import { describeContent, textInContent } from '@relay/core/messages/outgoing';
import { hiddenCharactersIn } from '@relay/core/messages/text';
import type { Actor } from '@relay/core/policy/actors';
import type { ApprovalFacts } from '@relay/core/policy/facts';
import { REASONS, type ReasonCode } from '@relay/core/policy/reasons';
import { describeCatchUp, describeRule } from '@relay/core/schedule/format';
import { findZone } from '@relay/core/schedule/zone';
import { type Selectable, sql } from 'kysely';
import type { Db, Transaction } from '../../platform/db/database.ts';
import { appendEvent, appendEvents } from '../../platform/db/events.ts';
import { aliasJidSql } from '../../platform/db/names-and-addresses.ts';
import type { Tables } from '../../platform/db/tables.ts';
import {
  findByKey,
  type KeyedMessage,
  messageSql,
  type OutboxMessage,
  type QuotedRow,
} from '../outbox/outbox.ts';
import { actorName } from './actors.ts';
import { loadChatRisks } from './load-facts.ts';
import {
  type ApprovableProposal,
  contentOf,
  type GrantToChange,
  type MessageToSchedule,
  proposalHash,
  type ScheduleToCancel,
  withWellFormedText,
} from './proposals.ts';

export type ApprovalRow = Selectable<Tables['approvals']>;

/** Later than this the owner would not remember what the approval was about. */
const EXPIRES_AFTER = '3 days';

interface NewApproval {
  readonly proposal: ApprovableProposal;
  readonly reason: ReasonCode;
  readonly requestedBy: string;
  readonly instance: InstanceId | null;
  readonly run: RunId | null;
  readonly schedule: ScheduleId | null;
  /** The first approval of the chain of edits that this one belongs to. */
  readonly beganAs: ApprovalId | null;
}

interface CreatedApproval {
  readonly id: ApprovalId;
  /** False if the same proposal is already pending. */
  readonly fresh: boolean;
  /** True if its full notice is in the owner's chat. */
  readonly noticed: boolean;
}

export async function createApproval(
  tx: Transaction,
  account: AccountId,
  { proposal, reason, requestedBy, instance, run, schedule, beganAs }: NewApproval,
): Promise<CreatedApproval> {
  const { rows } = await sql<CreatedApproval>`
    INSERT INTO approvals (account_id, intent, intent_hash, reason, requested_by, instance_id, run_id,
      schedule_id, began_as, expires_at)
    VALUES (${account}, ${JSON.stringify(withWellFormedText(proposal))}::jsonb, ${Buffer.from(proposalHash(proposal), 'hex')},
      ${reason}, ${requestedBy}, ${instance}, ${run}, ${schedule}, ${beganAs}, now() + ${EXPIRES_AFTER}::interval)
    ON CONFLICT (account_id, intent_hash, requested_by) WHERE state = 'pending'
      DO UPDATE SET expires_at = excluded.expires_at, reason = excluded.reason,
        began_as = coalesce(approvals.began_as, excluded.began_as)
    RETURNING id, xmax = 0 AS fresh, notice_id IS NOT NULL AS noticed`.execute(tx);
  const asked = rows[0];
  if (asked === undefined) throw new Error('a question without a row');
  await appendEvent(tx, account, {
    kind: 'approval',
    subject: asked.id,
    data: { state: 'pending', reason, instance, fresh: asked.fresh },
  });
  return asked;
}

export interface LockedApproval {
  readonly row: ApprovalRow;
  readonly proposal: ApprovableProposal;
  readonly instance: Pick<
    Selectable<Tables['instances']>,
    'id' | 'chat_id' | 'contact_id' | 'state'
  > | null;
}

/**
 * Locks the conversation before the approval, the order used everywhere. An overdue approval is returned as expired,
 * whether it was swept or not.
 */
export async function lockApproval(
  tx: Transaction,
  account: AccountId,
  id: ApprovalId,
): Promise<LockedApproval> {
  const instance = await tx
    .selectFrom('instances')
    .select(['id', 'chat_id', 'contact_id', 'state'])
    .where('account_id', '=', account)
    .where('id', '=', (eb) =>
      eb
        .selectFrom('approvals')
        .select('instance_id')
        .where('account_id', '=', account)
        .where('id', '=', id),
    )
    .forUpdate()
    .executeTakeFirst();
  const { rows } = await sql<ApprovalRow>`
    SELECT a.*, ${APPROVAL_STATE_SQL} AS state FROM approvals a
      LEFT JOIN instances i ON i.account_id = a.account_id AND i.id = a.instance_id
    WHERE a.account_id = ${account} AND a.id = ${id} FOR UPDATE OF a`.execute(tx);
  const row = rows[0];
  if (row === undefined) throw new RelayError('approval_not_found', { id });
  return { row, proposal: row.intent as unknown as ApprovableProposal, instance: instance ?? null };
}

export async function setApprovalState(
  tx: Transaction,
  account: AccountId,
  id: ApprovalId,
  state: ApprovalState,
  answer: string | null,
): Promise<void> {
  await tx
    .updateTable('approvals')
    .set({ state, answer, decided_at: state === 'pending' ? null : new Date() })
    .where('account_id', '=', account)
    .where('id', '=', id)
    .execute();
}

/**
 * The owner's approval as a fact for the policy; null if it is not approved. Locks the row, because an approval can be
 * used only once.
 */
export async function loadApprovalFacts(
  tx: Transaction,
  account: AccountId,
  id: ApprovalId,
): Promise<ApprovalFacts | null> {
  const row = await tx
    .selectFrom('approvals')
    .select(['intent_hash', 'used_at'])
    .where('account_id', '=', account)
    .where('id', '=', id)
    .where('state', '=', 'approved')
    .forUpdate()
    .executeTakeFirst();
  return row === undefined
    ? null
    : { hash: row.intent_hash.toString('hex'), spent: row.used_at !== null };
}

export async function markApprovalUsed(
  tx: Transaction,
  account: AccountId,
  id: ApprovalId,
): Promise<void> {
  await tx
    .updateTable('approvals')
    .set({ used_at: new Date() })
    .where('account_id', '=', account)
    .where('id', '=', id)
    .execute();
}

// Lists approvals with exactly what the owner is asked about. An approval counts as expired as soon as its time is over
// or its conversation has ended, whether it was swept or not.

/** Default page size. */
const PAGE = 200;

/** For use in `approvals a LEFT JOIN instances i`. */
const APPROVAL_STATE_SQL = sql<ApprovalState>`CASE WHEN a.state = 'pending' AND (a.expires_at <= now()
  OR i.state IN ('COMPLETED', 'ABANDONED', 'FAILED')) THEN 'expired' ELSE a.state END`;
/** `a.state` is repeated so that the index of pending approvals is used. */
const IS_PENDING_SQL = sql`a.state = 'pending' AND ${APPROVAL_STATE_SQL} = 'pending'`;
const APPROVALS_WITH_INSTANCES = sql`approvals a LEFT JOIN instances i ON i.account_id = a.account_id AND i.id = a.instance_id`;

interface ApprovalListRow {
  id: ApprovalId;
  state: ApprovalState;
  intent: ApprovableProposal;
  hash: string;
  chat_id: ChatId | null;
  reason: ReasonCode;
  requested_by: string;
  requested_by_name: string | null;
  instance_id: string | null;
  created_at: Date;
  expires_at: Date;
  decided_at: Date | null;
  answer: string | null;
  replaced_by: string | null;
  spoken: string | null;
  address: string | null;
  name: string | null;
  /** The message that its content is about. */
  target: QuotedRow | null;
}

type ApprovalFilter =
  | { readonly id: ApprovalId }
  | ({ readonly state: ApprovalState } & Partial<ApprovalsPage>);

/** Pending approvals are listed oldest first, all others newest first. */
function filterSql(account: AccountId, which: ApprovalFilter) {
  if ('id' in which) return { where: sql`a.id = ${which.id}`, order: sql``, limit: 1 };
  const { state, limit = PAGE, after, requestedBy } = which;
  const by = requestedBy === undefined ? sql`true` : sql`a.requested_by = ${requestedBy}`;
  const [among, at, way, beyond] =
    state === 'pending'
      ? [IS_PENDING_SQL, sql`a.created_at`, sql`ASC`, sql`>`]
      : [
          sql`${APPROVAL_STATE_SQL} = ${state}`,
          sql`coalesce(a.decided_at, a.expires_at)`,
          sql`DESC`,
          sql`<`,
        ];
  const where = sql`${among} AND ${by}`;
  const place = sql`(SELECT ${at}, a.id FROM approvals a WHERE a.account_id = ${account} AND a.id = ${after}::uuid)`;
  return {
    where: after === undefined ? where : sql`${where} AND (${at}, a.id) ${beyond} ${place}`,
    order: sql`ORDER BY ${at} ${way}, a.id ${way}`,
    limit,
  };
}

/** The newest approval in a chain of edits. For use in `approvals a`. */
const LATEST_EDIT_SQL = sql`SELECT n.id FROM approvals n
  WHERE n.account_id = a.account_id AND n.began_as = coalesce(a.began_as, a.id)
  ORDER BY n.created_at DESC, n.id DESC LIMIT 1`;
/** Null if the approval is the newest of its chain or was never edited. */
const REPLACED_BY_SQL = sql<ApprovalId | null>`nullif((${LATEST_EDIT_SQL}), a.id)`;

/** The transcript of the owner's voice message that led to this. */
const SPOKEN_SQL = sql<string | null>`(SELECT m.transcript FROM runs r
    JOIN sessions s ON s.account_id = r.account_id AND s.id = r.session_id AND s.kind = 'assistant'
    JOIN session_messages q ON q.account_id = s.account_id AND q.session_id = s.id AND q.id = r.read_up_to
    JOIN media m ON m.account_id = s.account_id AND m.chat_id = s.chat_id AND m.message_id = q.message_id
  WHERE r.account_id = a.account_id AND r.id = a.run_id AND m.transcript IS NOT NULL LIMIT 1)`;

export async function loadApprovals(
  db: Db,
  account: AccountId,
  which: ApprovalFilter,
): Promise<Approval[]> {
  const { where, order, limit } = filterSql(account, which);
  const { rows } = await sql<ApprovalListRow>`
    SELECT a.id, ${APPROVAL_STATE_SQL} AS state, a.intent, a.reason, a.requested_by, t.name AS requested_by_name,
      a.instance_id, a.created_at, a.expires_at, a.decided_at, a.answer, encode(a.intent_hash, 'hex') AS hash,
      c.id AS chat_id, ${REPLACED_BY_SQL} AS replaced_by, ${TARGET_SQL} AS target, ${SPOKEN_SQL} AS spoken,
      coalesce(c.group_address, ${aliasJidSql(sql.ref('s'))}) AS address,
      coalesce(g.display_name, c.subject, p.display_name, p.push_name) AS name
    FROM ${APPROVALS_WITH_INSTANCES}
      LEFT JOIN tokens t ON t.account_id = a.account_id AND a.requested_by = 'token:' || t.id
      LEFT JOIN chats c ON c.account_id = a.account_id
        AND c.id = coalesce(a.intent->>'chat', a.intent->'of'->>'chat')::uuid
      LEFT JOIN contacts p ON p.account_id = a.account_id
        AND p.id = coalesce(c.contact_id, (a.intent->'of'->>'contact')::uuid)
      LEFT JOIN LATERAL (SELECT kind, value FROM contact_aliases
        WHERE account_id = p.account_id AND contact_id = p.id
        ORDER BY kind DESC, learnt_at DESC, value LIMIT 1) s ON true
      LEFT JOIN grants g ON g.account_id = a.account_id
        AND (g.contact_id = p.id OR (c.kind = 'group' AND g.chat_id = c.id))
    WHERE a.account_id = ${account} AND ${where} ${order} LIMIT ${limit}`.execute(db);
  /** The chat that a pending approval writes to. */
  const target = ({ state, intent, chat_id }: ApprovalListRow): readonly ChatId[] =>
    state === 'pending' && SENDS.has(intent.kind) && chat_id !== null ? [chat_id] : [];
  const risks = await loadChatRisks(db, account, [...new Set(rows.flatMap(target))]);
  return rows.map((row) =>
    toApiApproval(
      row,
      target(row).flatMap((chat) => risks.get(chat) ?? []),
    ),
  );
}

/** The message that an approval's content is about. For use in `approvals a`. */
const TARGET_SQL = messageSql(
  { account: sql`a.account_id`, chat: sql`(a.intent->>'chat')::uuid` },
  sql`coalesce(a.intent->'content'->>'to', a.intent->'content'->>'of')`,
);

/** Kinds that write to somebody once they are approved. */
const SENDS: ReadonlySet<ApprovableProposal['kind']> = new Set([
  'send_message',
  'create_conversation',
  'schedule_message',
]);

/** Finds an approval by its id or a prefix of it. If a prefix matches several, the pending one is chosen. */
export async function findApproval(db: Db, account: AccountId, given: string): Promise<ApprovalId> {
  const id = given.trim().toLowerCase();
  if (!BEGINNING.test(id)) throw new RelayError('approval_not_found', { id });
  const { rows } = await sql<{ id: ApprovalId; waits: boolean }>`
    SELECT a.id, ${IS_PENDING_SQL} AS waits FROM ${APPROVALS_WITH_INSTANCES}
    WHERE a.account_id = ${account} AND a.id::text LIKE ${`${id}%`}
    ORDER BY waits DESC, a.created_at DESC LIMIT 2`.execute(db);
  const [first, second] = rows;
  if (first === undefined) throw new RelayError('approval_not_found', { id });
  if (second === undefined || first.waits !== second.waits) return first.id;
  throw new RelayError('approval_ambiguous', { id });
}

/** The newest approval that replaced this one through an edit; null if it was never edited. */
export async function findReplacement(
  db: Db,
  account: AccountId,
  id: ApprovalId,
): Promise<ApprovalId | null> {
  const { rows } = await sql<{ id: ApprovalId | null }>`
    SELECT ${REPLACED_BY_SQL} AS id FROM approvals a WHERE a.account_id = ${account} AND a.id = ${id}`.execute(
    db,
  );
  return rows[0]?.id ?? null;
}

/** What became of these approvals; if the text was changed, of the newest text. */
export async function readApprovalStates(
  db: Db,
  account: AccountId,
  ids: readonly ApprovalId[],
): Promise<ReadonlyMap<ApprovalId, ApprovalState>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: ApprovalId; state: ApprovalState }>`
    SELECT q.id, ${APPROVAL_STATE_SQL} AS state
    FROM (SELECT a.id, coalesce((${LATEST_EDIT_SQL}), a.id) AS latest FROM approvals a
        WHERE a.account_id = ${account} AND a.id = ANY(${ids}::uuid[])) q
      JOIN (${APPROVALS_WITH_INSTANCES}) ON a.account_id = ${account} AND a.id = q.latest`.execute(
    db,
  );
  return new Map(rows.map(({ id, state }) => [id, state]));
}

const BEGINNING = /^[0-9a-f][0-9a-f-]{3,35}$/;

export async function countPendingApprovals(db: Db, account: AccountId): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    SELECT count(*) AS waiting FROM ${APPROVALS_WITH_INSTANCES}
    WHERE a.account_id = ${account} AND ${IS_PENDING_SQL}`.execute(db);
  return rows[0]?.waiting ?? 0;
}

/** Marks overdue approvals as expired and appends events for the streams. */
export async function expireApprovals(tx: Transaction, account: AccountId): Promise<void> {
  const { rows } = await sql<{ id: ApprovalId }>`
    UPDATE approvals e SET state = 'expired', decided_at = now() FROM ${APPROVALS_WITH_INSTANCES}
    WHERE a.account_id = ${account} AND a.state = 'pending' AND ${APPROVAL_STATE_SQL} = 'expired'
      AND e.account_id = a.account_id AND e.id = a.id RETURNING e.id`.execute(tx);
  if (rows.length === 0) return;
  await appendEvents(
    tx,
    account,
    rows.map(({ id }) => ({ kind: 'approval', subject: id, data: { state: 'expired' } })),
  );
}

/** A person as a phone number where WhatsApp gives one, as people write it. */
export const recipientAt = (address: string | null): string | null =>
  address?.replace(/^(\d+)@s\.whatsapp\.net$/, '+$1') ?? null;

function shownContent(intent: ApprovableProposal, target: QuotedRow | null) {
  const { text, when } = describeProposal(intent);
  const content = contentOf(intent);
  const words = content === null ? [text] : [text, textInContent(content)];
  return {
    text,
    when,
    ...(content === null ? {} : { content: describeContent(content) }),
    ...(content?.kind === 'media' ? { media: approvalMedia(content) } : {}),
    ...(target === null ? {} : { target: shownTarget(target) }),
    hidden_characters: hiddenCharactersIn(words.join('\n')),
  };
}

const approvalMedia = ({
  media: id,
  as: kind,
  kind: _,
  ...file
}: Extract<OutgoingContent, { kind: 'media' }>) => ({ id, kind, ...file });

function shownTarget(message: QuotedRow) {
  const { label, text } = toReadableMessage(message);
  return { message_id: message.id, from_me: message.from_me, text: text || (label ?? '') };
}

const toApiApproval = (row: ApprovalListRow, risks: SendRisk[]): Approval => ({
  id: row.id,
  state: row.state,
  kind: row.intent.kind,
  recipient: recipientAt(row.address),
  recipient_name: row.name,
  chat_id: row.chat_id,
  ...shownContent(row.intent, row.target),
  shown: row.hash,
  reason: REASONS[row.reason].sentence,
  reason_code: row.reason,
  ...(row.spoken === null ? {} : { spoken: row.spoken }),
  risks,
  requested_by: row.requested_by,
  requested_by_name: row.requested_by_name,
  instance_id: row.instance_id,
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
  decided_at: row.decided_at?.toISOString() ?? null,
  answer: row.answer,
  replaced_by: row.replaced_by,
});

// The full text that the owner is asked about. It contains everything that the hash covers, so that nothing is approved
// unseen.

function describeProposal(proposal: ApprovableProposal): { text: string; when: string | null } {
  switch (proposal.kind) {
    case 'send_message':
      return { text: proposal.text, when: null };
    case 'create_conversation':
      return { text: proposal.request.objective, when: null };
    case 'schedule_message':
      return {
        text: proposal.text,
        when: `${describeTime(proposal)}; if Relay is offline: ${describeCatchUp(proposal.rule, proposal.catchUp)}`,
      };
    case 'cancel_schedule':
      return { text: proposal.text, when: describeTime(proposal) };
    case 'manage_grant':
      return { text: describeGrantChange(proposal), when: null };
  }
}

function describeGrantChange({ grant, displayName, options }: GrantToChange): string {
  if (grant === null) return 'The grant is removed: agents may do nothing here.';
  return [
    `Agents may ${describeGrant(grant)} here.`,
    ...(displayName === null ? [] : [`Name: ${displayName}`]),
    ...(options === undefined ? [] : grantOptionLines(options)),
  ].join('\n');
}

function describeTime({ rule, zone }: MessageToSchedule | ScheduleToCancel): string {
  const known = findZone(zone);
  return known === null ? `in the time zone ${zone}` : describeRule(rule, known);
}

// Limits on pending approvals, so that a client cannot bury the one that matters under hundreds of others.

const MAX_PER_CLIENT = 50;
/** For all clients together. The rest is reserved for the owner's own agents. */
const MAX_OF_CLIENTS = 150;
const MAX_IN_ALL = 200;

interface PendingCounts {
  readonly asked: boolean;
  readonly own: number;
  readonly clients: number;
  readonly total: number;
}

/** Submitting again what is already pending adds no approval and is always allowed. */
export async function isApprovalAllowed(
  tx: Transaction,
  account: AccountId,
  actor: Actor,
  proposal: ApprovableProposal,
): Promise<boolean> {
  const name = actorName(actor);
  const isClient = actor.kind === 'token';
  // Serializes the calls of one client: two at once would both see the last free place.
  if (isClient)
    await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`approvals:${name}`}, 0))`.execute(
      tx,
    );
  const { rows } = await sql<PendingCounts>`
    SELECT count(*) AS total,
      count(*) FILTER (WHERE a.requested_by = ${name}) AS own,
      count(*) FILTER (WHERE a.requested_by LIKE 'token:%') AS clients,
      coalesce(bool_or(a.requested_by = ${name} AND a.intent_hash = ${Buffer.from(proposalHash(proposal), 'hex')}), false) AS asked
    FROM approvals a LEFT JOIN instances i ON i.account_id = a.account_id AND i.id = a.instance_id
    WHERE a.account_id = ${account} AND a.state = 'pending' AND ${APPROVAL_STATE_SQL} = 'pending'`.execute(
    tx,
  );
  const [waiting] = rows;
  if (waiting === undefined || waiting.asked) return true;
  if (waiting.total >= MAX_IN_ALL) return false;
  return !isClient || (waiting.own < MAX_PER_CLIENT && waiting.clients < MAX_OF_CLIENTS);
}

// Finds what became of a message that was submitted before under the same key by an actor other than the owner. Under
// one key a message is permitted once and asked about once. Keys are scoped to the actor.

type EarlierSubmission =
  | { readonly message: OutboxMessage }
  | { readonly approval: ApprovalId; readonly reason: ReasonCode };

/** The key as it is stored with the message. */
export const actorScopedKey = (actor: Actor, key: string): string => `${actorName(actor)}:${key}`;

interface KeyedApprovalRow {
  readonly id: ApprovalId;
  readonly state: ApprovalState;
  readonly reason: ReasonCode;
  readonly same: boolean;
}

/** `key` is the result of `actorScopedKey`. Null if the key is new or its approval has expired. */
export async function findEarlierByKey(
  tx: Transaction,
  account: AccountId,
  actor: Actor,
  asked: KeyedMessage & { readonly key: string },
): Promise<EarlierSubmission | null> {
  const message = await findByKey(tx, account, asked.key, asked);
  if (message !== null) return { message };
  const hash = Buffer.from(proposalHash({ kind: 'send_message', ...asked }), 'hex');
  const { rows } = await sql<KeyedApprovalRow>`
    SELECT a.id, ${APPROVAL_STATE_SQL} AS state, a.reason, a.intent_hash = ${hash} OR EXISTS (SELECT FROM approvals f
      WHERE f.account_id = a.account_id AND f.id = a.began_as AND f.intent_hash = ${hash}) AS same
    FROM approvals a LEFT JOIN instances i ON i.account_id = a.account_id AND i.id = a.instance_id
    WHERE a.account_id = ${account} AND a.requested_by = ${actorName(actor)} AND a.intent->>'key' = ${asked.key}
    ORDER BY a.created_at DESC LIMIT 1`.execute(tx);
  const [question] = rows;
  if (question === undefined || question.state === 'expired') return null;
  const { id, state, reason, same } = question;
  if (!same) throw new RelayError('key_reused');
  if (state !== 'pending') throw new RelayError('approval_answered', { id, state });
  return { approval: id, reason };
}

// Withdraws approvals on behalf of somebody other than the owner, because they are no longer wanted. They become
// expired, with a sentence that says why.

/** Withdraws all pending approvals that this actor (by its stored name) requested, or that are about this schedule. */
export async function withdrawApprovals(
  tx: Transaction,
  account: AccountId,
  about: { readonly requestedBy: string } | { readonly schedule: ScheduleId },
  why: string,
): Promise<readonly ApprovalId[]> {
  const asked =
    'schedule' in about
      ? sql`(schedule_id = ${about.schedule} OR intent->>'schedule' = ${about.schedule})`
      : sql`requested_by = ${about.requestedBy}`;
  const { rows } = await sql<{ id: ApprovalId }>`
    UPDATE approvals SET state = 'expired', decided_at = now(), answer = ${why}
    WHERE account_id = ${account} AND state = 'pending' AND ${asked}
    RETURNING id`.execute(tx);
  const withdrawn = rows.map(({ id }) => id);
  if (rows.length === 0) return withdrawn;
  await appendEvents(
    tx,
    account,
    withdrawn.map((id) => ({ kind: 'approval', subject: id, data: { state: 'expired' } })),
  );
  return withdrawn;
}
