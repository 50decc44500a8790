// Claims the next messages to send: in one transaction, under the lease, it checks again everything that may stop them
// and records the attempt before it is made. After a kill it is known which messages may have been sent.
import type { OutgoingContent } from '@relay/contract/api/outgoing';
import type {
  AccountId,
  ChatId,
  InstanceId,
  MessageId,
  OutboxId,
  PermitId,
} from '@relay/contract/ids';
import type { OutboxState } from '@relay/contract/outbox/states';
import type { DeliverySettings, PacingSettings } from '@relay/contract/settings';
import type { StopReason } from '@relay/core/ledger/rows';
import { activeFreeze } from '@relay/core/outbox/freeze';
import {
  nextFirstContactAt,
  nextSendAt,
  PACING_DAY_MS,
  type PacedSend,
} from '@relay/core/outbox/pacing';
import { type RawBuilder, sql } from 'kysely';
import { numberRegistrationSql } from '../../platform/db/contacts.ts';
import type { Db, Transaction } from '../../platform/db/database.ts';
import type { Lease } from '../../platform/db/lease.ts';
import { CHAT_JID_SQL, ownChatKindSql } from '../../platform/db/names-and-addresses.ts';
import { transaction } from '../../platform/db/transaction.ts';
import {
  applyDeliveryReports,
  type DeliveryHooks,
  type DeliveryUpdate,
  recordStops,
} from './delivery-updates.ts';
import { type QuotedRow, quotedSql, targetSql } from './outbox.ts';
import { readFreezes } from './sending-health.ts';

/** Whether each message is still permitted, in the given order. */
export type PermitRecheck = (
  tx: Transaction,
  rows: readonly ReadyRow[],
) => Promise<readonly RecheckVerdict[]>;

export type RecheckVerdict =
  | { readonly verdict: 'go' }
  /** Nothing may be sent now. */
  | { readonly verdict: 'wait' }
  /** `lost`: nobody meant to stop it, so its conversation should not wait for an answer to it. */
  | {
      readonly verdict: 'stop';
      /** The reason for the ledger, and the sentence for people. */
      readonly reason: StopReason;
      readonly sentence: string;
      readonly lost?: true;
    };

export interface ClaimOptions {
  readonly db: Db;
  readonly lease: Lease;
  readonly pacing: PacingSettings;
  readonly delivery: DeliverySettings;
  readonly recheck: PermitRecheck;
  readonly hooks: DeliveryHooks;
}

interface ClaimRequest {
  readonly now: Date;
  readonly room: number;
  readonly inFlight: readonly OutboxId[];
  readonly reconciled: boolean;
  /** WhatsApp's present lock on first contacts, also before it is stored. */
  readonly timeLockedUntil: Date | null;
  /** Whether numbers of first contacts are checked: `later` while WhatsApp did not answer, `never` where it cannot. */
  readonly checkNumbers?: 'now' | 'later' | 'never';
  /** Being built now, and how many more may be. */
  readonly building?: readonly OutboxId[];
  readonly roomToBuild?: number;
  /** What was built since the last claim: it is stored in the transaction that records the attempt. */
  readonly built?: readonly BuiltMessage[];
  /** The message that typing was shown for; `unneeded` if messages are sent without typing. */
  readonly typed: OutboxId | 'nobody' | 'unneeded';
}

export interface ClaimResult {
  /** To be given to the transport now, in this order. */
  readonly rows: readonly ReadyRow[];
  /** The next message, for which typing has to be shown first. */
  readonly toType: ReadyRow | null;
  /** Addresses of the next messages that have to be checked first: whether they are registered. */
  readonly toCheck: readonly string[];
  /** Permitted, and to be built before their first attempt. */
  readonly toBuild: readonly ReadyRow[];
  /** Some messages were stopped. */
  readonly stopped: boolean;
  /** When to look again at the latest; null: when there is something new. */
  readonly checkAgainAt: Date | null;
}

export const NOTHING_CLAIMED: ClaimResult = {
  rows: [],
  toType: null,
  toCheck: [],
  toBuild: [],
  stopped: false,
  checkAgainAt: null,
};

const NO_ADDRESS = 'This contact has no known address, so the message cannot be sent.';

export async function claimMessages(
  options: ClaimOptions,
  claiming: ClaimRequest,
): Promise<ClaimResult> {
  return transaction(options, async ({ tx }) => {
    await storeBuilt(tx, options.lease.account, claiming.built ?? []);
    const pace = await paceNow(tx, options, claiming);
    if (pace.from > claiming.now) return { ...NOTHING_CLAIMED, checkAgainAt: pace.from };
    const wanted: ReadyQuery = {
      ...claiming,
      firstContacts:
        pace.firstContacts === 'open' && claiming.checkNumbers === 'later'
          ? 'checked'
          : pace.firstContacts,
      horizon: new Date(claiming.now.getTime() - options.delivery.reoffer_within_ms),
    };
    const rows = await findReady(tx, options.lease.account, wanted);
    const verdicts = rows.length === 0 ? [] : await options.recheck(tx, rows);
    const ready = rows.filter((row) => !isUnbuilt(row));
    const unbuilt = rows.slice(ready.length);
    const checks = claiming.checkNumbers === 'now';
    const sorted = sortByVerdict(ready, verdicts.slice(0, ready.length), checks);
    const builds = sortByVerdict(unbuilt, verdicts.slice(ready.length), checks);
    for (const address of builds.toCheck) sorted.toCheck.add(address);
    sorted.stopped.push(...builds.stopped);
    await stopMessages(tx, options, sorted.stopped, claiming.now);
    const [next] = sorted.going;
    const typed = claiming.typed === 'unneeded' || claiming.typed === next?.id;
    const stopped = sorted.stopped.length > 0;
    const goes = next === undefined || typed;
    if (goes) await recordAttempts(tx, options.lease, sorted.going, claiming.now);
    // Last, because the ledger stays locked from here to the commit.
    await recordStops(tx, options.lease.account, sorted.stopped);
    const toCheck = [...sorted.toCheck];
    const toBuild = builds.going;
    if (!goes) return { ...NOTHING_CLAIMED, stopped, toBuild, toCheck, toType: next };
    // There may be more behind the stopped messages.
    const checkAgainAt = stopped ? claiming.now : null;
    return { rows: sorted.going, toType: null, toBuild, toCheck, stopped, checkAgainAt };
  });
}

interface StoppedRow {
  readonly row: ReadyRow;
  readonly event: DeliveryUpdate['event'];
  readonly reason: StopReason;
  readonly sentence: string;
  readonly lost: boolean;
}

const STOPPED_EVENT = { type: 'stopped' } as const;

/** A message that may already have been sent is not marked as failed for this reason. */
const unreachable = ({ state }: ReadyRow): DeliveryUpdate['event'] =>
  state === 'pending' ? { type: 'not_sent', last: true } : STOPPED_EVENT;

/** Everything behind a message that waits also waits. */
function sortByVerdict(
  ready: readonly ReadyRow[],
  verdicts: readonly RecheckVerdict[],
  checks: boolean,
) {
  const going: ReadyRow[] = [];
  const toCheck = new Set<string>();
  const stopped: StoppedRow[] = [];
  for (const [index, row] of ready.entries()) {
    const verdict = verdicts[index];
    if (verdict === undefined || verdict.verdict === 'wait') break;
    if (verdict.verdict === 'stop')
      stopped.push({
        row,
        event: STOPPED_EVENT,
        reason: verdict.reason,
        sentence: verdict.sentence,
        lost: verdict.lost ?? false,
      });
    else if (row.address === null)
      stopped.push({
        row,
        event: unreachable(row),
        reason: 'no_address',
        sentence: NO_ADDRESS,
        lost: true,
      });
    else if (checks && row.unchecked) toCheck.add(row.address);
    else going.push(row);
  }
  return { going, stopped, toCheck };
}

interface Pace {
  readonly from: Date;
  readonly firstContacts: 'open' | 'closed';
}

async function paceNow(
  tx: Transaction,
  { lease, pacing }: ClaimOptions,
  { now, timeLockedUntil }: ClaimRequest,
): Promise<Pace> {
  const freezes = await readFreezes(tx, lease.account);
  const everything = activeFreeze(freezes, 'everything', now);
  if (everything !== null) return { from: everything.until, firstContacts: 'closed' };
  const history = pacing.enabled ? await loadRecentSendings(tx, lease.account, now) : [];
  const first = nextFirstContactAt(history, pacing, now);
  const closed =
    activeFreeze(freezes, 'first_contacts', now) !== null ||
    (timeLockedUntil !== null && timeLockedUntil > now) ||
    first === null ||
    first > now;
  return {
    from: nextSendAt(history, pacing, now),
    firstContacts: closed ? 'closed' : 'open',
  };
}

async function recordAttempts(
  tx: Transaction,
  { account }: Lease,
  rows: readonly ReadyRow[],
  now: Date,
): Promise<void> {
  if (rows.length === 0) return;
  // Of several messages to a new contact that are sent together, only the first counts as first contact.
  const opens = rows.map(
    (row, at) => row.first_contact && rows.findIndex((one) => one.chat_id === row.chat_id) === at,
  );
  await sql`UPDATE outbox o SET attempts = o.attempts + 1, attempted_at = ${now}, in_doubt = true,
      first_contact = n.first_contact
    FROM unnest(${rows.map(({ id }) => id)}::uuid[], ${opens}::boolean[])
      AS n(id, first_contact)
    WHERE o.account_id = ${account} AND o.id = n.id`.execute(tx);
}

async function stopMessages(
  tx: Transaction,
  { lease, hooks }: ClaimOptions,
  stopped: readonly StoppedRow[],
  at: Date,
): Promise<void> {
  if (stopped.length === 0) return;
  const outcomes = stopped.map(({ row, event, sentence, lost }) => ({
    target: { id: row.id },
    apply: (): DeliveryUpdate => ({ event, at, sentence, lost }),
  }));
  await applyDeliveryReports(tx, lease.account, outcomes, hooks);
}

export interface BuiltMessage {
  readonly id: OutboxId;
  /** Sealed. */
  readonly wire: Uint8Array;
}

async function storeBuilt(
  tx: Transaction,
  account: AccountId,
  built: readonly BuiltMessage[],
): Promise<void> {
  if (built.length === 0) return;
  await sql`UPDATE outbox o SET wire = n.wire
    FROM unnest(${built.map(({ id }) => id)}::uuid[], ${built.map(({ wire }) => Buffer.from(wire))}::bytea[])
      AS n(id, wire)
    WHERE o.account_id = ${account} AND o.id = n.id AND o.wire IS NULL`.execute(tx);
}

// Selects the messages that may be sent next, in the order of their numbers. One that has to wait (for a retry, a
// receipt, or for first contacts to be allowed again) holds back only its own chat. The agent's messages of a paused
// conversation hold back nothing: they are skipped until the conversation resumes.

export interface ReadyRow {
  readonly id: OutboxId;
  readonly seq: number;
  readonly permit_id: PermitId;
  readonly chat_id: ChatId;
  readonly instance_id: InstanceId | null;
  readonly message_id: MessageId;
  readonly body: string;
  readonly quotes: MessageId | null;
  /** Null if it quotes nothing, or what it quotes is not kept. */
  readonly quoted: QuotedRow | null;
  /** Null: only text. */
  readonly content: OutgoingContent | null;
  /** The message that the content is about; null if there is none, or it is not kept. */
  readonly target: QuotedRow | null;
  /** Sealed: what was built of the content; null before that. */
  readonly wire: Buffer | null;
  readonly state: Extract<OutboxState, 'pending' | 'unknown'>;
  readonly first_contact: boolean;
  /** Null for a contact without any address. */
  readonly address: string | null;
  /** A first contact whose number is not known to be registered. */
  readonly unchecked: boolean;
}

export interface ReadyQuery {
  readonly now: Date;
  readonly room: number;
  /** Given to the transport and not yet answered. */
  readonly inFlight: readonly OutboxId[];
  /** `checked`: only those whose number was checked, with either result. */
  readonly firstContacts: 'open' | 'checked' | 'closed';
  readonly building?: readonly OutboxId[];
  readonly roomToBuild?: number;
  /** Whether messages in doubt have had their time to be settled by a receipt. */
  readonly reconciled: boolean;
  /** Messages in doubt since before this time are no longer offered. */
  readonly horizon: Date;
}

// OFFSET 0 makes PostgreSQL check for earlier messages row by row: as a join it would do so for every queued message.
/**
 * Messages to send, then messages to build, each in order. Locks the rows: a receipt that arrives now waits and is
 * applied afterwards. The order of a chat holds for sending: several of one chat are built at once.
 */
export async function findReady(
  tx: Transaction,
  account: AccountId,
  asked: ReadyQuery,
): Promise<ReadyRow[]> {
  const { building = [], roomToBuild = 0 } = asked;
  const { open, due, isUnchecked } = conditionsOf(account, asked);
  const ready = (row: RawBuilder<unknown>) => sql`(${due(row)} AND NOT ${isUnbuiltSql(row)})`;
  const [o, e] = [sql.ref('o'), sql.ref('e')];
  const toSend = sql`${readyColumns(isUnchecked)}
    WHERE ${open(o)} AND ${ready(o)} AND NOT EXISTS (
      SELECT FROM outbox e WHERE ${open(e)} AND e.chat_id = o.chat_id AND e.seq < o.seq
        AND ${ready(e)} IS NOT TRUE OFFSET 0)
    ORDER BY o.seq LIMIT ${asked.room} FOR NO KEY UPDATE OF o`;
  const toBuild = sql`${readyColumns(isUnchecked)}
    WHERE ${open(o)} AND ${due(o)} AND ${isUnbuiltSql(o)} AND o.id <> ALL(${building}::uuid[])
    ORDER BY o.seq LIMIT ${roomToBuild} FOR NO KEY UPDATE OF o`;
  const found = sql<ReadyRow>`WITH to_send AS MATERIALIZED (${toSend}), to_build AS MATERIALIZED (${toBuild})
    SELECT * FROM to_send UNION ALL SELECT * FROM to_build`;
  const { rows } = await found.execute(tx);
  return rows.toSorted((a, b) => Number(isUnbuilt(a)) - Number(isUnbuilt(b)) || a.seq - b.seq);
}

const isUnbuilt = ({ content, wire }: ReadyRow): boolean => content !== null && wire === null;

const isUnbuiltSql = (row: RawBuilder<unknown>) =>
  sql<boolean>`(${row}.content IS NOT NULL AND ${row}.wire IS NULL)`;

type RowCondition = (row: RawBuilder<unknown>) => RawBuilder<unknown>;
type UncheckedSql = (row: RawBuilder<unknown>, chat: RawBuilder<unknown>) => RawBuilder<unknown>;

const readyColumns = (isUnchecked: UncheckedSql) => sql`
    SELECT o.id, o.seq, o.permit_id, o.chat_id, o.instance_id, o.message_id, o.body, o.quotes, o.state,
      ${quotedSql(sql.ref('o'))} AS quoted, o.content, o.wire, ${targetSql(sql.ref('o'))} AS target,
      ${isFirstContactSql(sql.ref('o'))} AS first_contact, ${CHAT_JID_SQL} AS address,
      ${isUnchecked(sql.ref('o'), sql.ref('c'))} AS unchecked
    FROM outbox o JOIN chats c ON c.account_id = o.account_id AND c.id = o.chat_id`;

/** `open`: it may have to be sent. `due`: it may be sent now, as far as it alone is concerned. */
function conditionsOf(
  account: AccountId,
  asked: ReadyQuery,
): { readonly open: RowCondition; readonly due: RowCondition; readonly isUnchecked: UncheckedSql } {
  const isUnchecked: UncheckedSql = (row, chat) =>
    sql<boolean>`(${isFirstContactSql(row)} AND ${numberRegistrationSql(chat, asked.now)} = 'unknown')`;
  const mayOpen: RowCondition = (row) => {
    if (asked.firstContacts === 'open') return sql`true`;
    if (asked.firstContacts === 'closed') return sql`NOT ${isFirstContactSql(row)}`;
    return sql`NOT EXISTS (SELECT FROM chats u WHERE u.account_id = ${row}.account_id AND u.id = ${row}.chat_id
      AND ${isUnchecked(row, sql.ref('u'))})`;
  };
  const open: RowCondition = (row) => sql`(${row}.account_id = ${account}
    AND ${row}.state IN ('pending', 'unknown') AND ${row}.told_at IS NULL
    AND ${row}.id <> ALL(${asked.inFlight}::uuid[]) AND NOT ${isPausedSql(row)})`;
  const due: RowCondition = (row) => sql`(CASE WHEN ${row}.state = 'unknown'
      THEN ${asked.reconciled} AND ${row}.not_before <= ${asked.now} AND ${row}.unknown_since > ${asked.horizon}
      ELSE NOT ${row}.in_doubt AND (${row}.attempts = 0 OR coalesce(${row}.not_before <= ${asked.now}, true)) END
    AND ${mayOpen(row)})`;
  return { open, due, isUnchecked };
}

/**
 * The agent's messages wait while its conversation is paused. After a takeover by the owner they no longer wait: the
 * re-check stops them.
 */
export const isPausedSql = (
  row: RawBuilder<unknown>,
) => sql<boolean>`(${row}.instance_id IS NOT NULL AND EXISTS (
  SELECT FROM instances i JOIN permits p ON p.account_id = i.account_id AND p.id = ${row}.permit_id
  WHERE i.account_id = ${row}.account_id AND i.id = ${row}.instance_id AND i.state = 'PAUSED'
    AND p.actor LIKE 'conversation:%' AND NOT ${isTakenOverSql(sql.ref('p'))}))`;

/** The owner wrote to the contact after the agent got this permit. */
export const isTakenOverSql = (permit: RawBuilder<unknown>) => sql<boolean>`(
  ${permit}.actor LIKE 'conversation:%' AND EXISTS (SELECT FROM instance_transitions t
    WHERE t.account_id = ${permit}.account_id AND t.instance_id = ${permit}.instance_id
      AND t.trigger = 'owner_takeover' AND t.epoch > ${permit}.instance_epoch))`;

/** Neither side has written in this direct chat, and it is not the account's chat with itself. */
export const isFirstContactSql = (row: RawBuilder<unknown>) => sql<boolean>`(
  EXISTS (SELECT FROM chats f WHERE f.account_id = ${row}.account_id AND f.id = ${row}.chat_id AND f.kind = 'direct')
  AND NOT EXISTS (SELECT FROM message_keys k
    WHERE k.account_id = ${row}.account_id AND k.chat_id = ${row}.chat_id)
  AND NOT EXISTS (SELECT FROM outbox w
    WHERE w.account_id = ${row}.account_id AND w.chat_id = ${row}.chat_id AND w.id <> ${row}.id
      AND (w.state IN ('sent', 'delivered', 'read', 'unknown') OR w.in_doubt))
  AND NOT EXISTS (SELECT FROM chats own WHERE own.account_id = ${row}.account_id AND own.id = ${row}.chat_id
    AND ${ownChatKindSql(sql.ref('own'), [])} IS NOT NULL))`;

/** Whether a message waits to be sent, or to be settled. */
export async function hasOpenMessages(db: Db, account: AccountId): Promise<boolean> {
  const { rows } = await sql`SELECT FROM outbox
    WHERE account_id = ${account} AND state IN ('pending', 'unknown') AND told_at IS NULL LIMIT 1`.execute(
    db,
  );
  return rows.length > 0;
}

/** The address to which messages of a chat are sent. */
export async function loadChatAddress(
  db: Db,
  account: AccountId,
  chat: ChatId,
): Promise<string | null> {
  const { rows } = await sql<{ address: string | null }>`
    SELECT ${CHAT_JID_SQL} AS address FROM chats c
    WHERE c.account_id = ${account} AND c.id = ${chat}`.execute(db);
  return rows[0]?.address ?? null;
}

/** What was given to the transport within a day: all that pacing looks at. */
export async function loadRecentSendings(
  db: Db,
  account: AccountId,
  now: Date,
): Promise<PacedSend[]> {
  const rows = await db
    .selectFrom('outbox')
    .select(['attempted_at', 'first_contact'])
    .where('account_id', '=', account)
    .where('attempted_at', '>', new Date(now.getTime() - PACING_DAY_MS))
    .$narrowType<{ attempted_at: Date }>()
    .execute();
  return rows.map((row) => ({ at: row.attempted_at, firstContact: row.first_contact }));
}
