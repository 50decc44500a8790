// Which groups are observed, since when and with which options. Once a group is removed from this table, nothing more
// of it is stored, filtered or answered.
import type { AccountId, ChatId } from '@relay/contract/ids';
import { type ObservedOptions, observedOptionsSchema } from '@relay/core/observer/options';
import { findZone } from '@relay/core/schedule/zone';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Transaction } from '../database.ts';

export interface StoredObservedGroup {
  readonly chat: ChatId;
  readonly address: string;
  /** The owner's name for it, else its own. */
  readonly name: string;
  /** An IANA name: it sets where hours and days begin. */
  readonly zone: string;
  readonly options: ObservedOptions;
  readonly since: Date;
  /** When the owner confirmed that the group knows of it. */
  readonly announcedAt: Date | null;
}

/** The longest observed first. */
export const loadObservedGroups = (db: Db, account: AccountId): Promise<StoredObservedGroup[]> =>
  selectObservedGroups(db, account, sql`true`);

export async function readObservedGroup(
  db: Db,
  account: AccountId,
  chat: ChatId,
): Promise<StoredObservedGroup | null> {
  const found = await selectObservedGroups(db, account, sql`o.chat_id = ${chat}`);
  return found[0] ?? null;
}

/** By the group's address. */
export async function isGroupObserved(
  db: Db,
  account: AccountId,
  address: string,
): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM observed_groups o
      JOIN chats c ON c.account_id = o.account_id AND c.id = o.chat_id
    WHERE o.account_id = ${account} AND c.group_address = ${address}`.execute(db);
  return rows.length > 0;
}

interface NewObservedGroup {
  readonly chat: ChatId;
  readonly zone: string;
  readonly options: ObservedOptions;
  readonly announcedAt: Date | null;
  readonly since: Date;
}

/** For an observed group, updates zone and options and keeps its start. */
export async function putObservedGroup(
  tx: Transaction,
  account: AccountId,
  { chat, zone, options, announcedAt, since }: NewObservedGroup,
): Promise<void> {
  await sql`INSERT INTO observed_groups AS o (account_id, chat_id, zone, options, announced_at, since)
    VALUES (${account}, ${chat}, ${zone}, ${JSON.stringify(options)}, ${announcedAt}, ${since})
    ON CONFLICT (account_id, chat_id) DO UPDATE SET zone = excluded.zone, options = excluded.options,
      announced_at = coalesce(o.announced_at, excluded.announced_at)`.execute(tx);
}

/** False if it was not observed. Deletes verdicts and requests with it. */
export async function removeObservedGroup(
  tx: Transaction,
  account: AccountId,
  chat: ChatId,
): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('observed_groups')
    .where('account_id', '=', account)
    .where('chat_id', '=', chat)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

interface ObservedGroupRow {
  chat: ChatId;
  address: string;
  name: string;
  zone: string;
  options: unknown;
  since: Date;
  announced_at: Date | null;
}

async function selectObservedGroups(
  db: Db,
  account: AccountId,
  which: RawBuilder<unknown>,
): Promise<StoredObservedGroup[]> {
  const { rows } = await sql<ObservedGroupRow>`
    SELECT o.chat_id AS chat, c.group_address AS address, o.zone, o.options, o.since, o.announced_at,
      coalesce(g.display_name, nullif(c.subject, ''), c.group_address) AS name
    FROM observed_groups o JOIN chats c ON c.account_id = o.account_id AND c.id = o.chat_id
      LEFT JOIN grants g ON g.account_id = c.account_id AND g.chat_id = c.id
    WHERE o.account_id = ${account} AND ${which} ORDER BY o.since, o.chat_id`.execute(db);
  return rows.map(({ options, announced_at, ...group }) => ({
    ...group,
    options: observedOptionsSchema.parse(options),
    announcedAt: announced_at,
  }));
}

// Statistics of each observed group for the owner: since when, what was kept and filtered, what it cost and saved, when
// it was last digested and answered, and the age of the oldest stored message.

interface ObservedDay {
  readonly day: string;
  readonly messages_kept: number;
  readonly messages_cut: number;
  readonly tokens_spent: number;
  readonly tokens_avoided: number;
}

export interface ObservedOverview extends StoredObservedGroup {
  readonly mayAnswer: boolean;
  readonly kept: number;
  readonly cut: number;
  readonly spent: number;
  readonly saved: number;
  readonly answersToday: number;
  /** Messages sent, or possibly sent, to the group since it is observed. */
  readonly sent: number;
  /** The last days with activity, oldest first. */
  readonly days: readonly ObservedDay[];
  readonly lastDigestAt: Date | null;
  readonly oldestMessageAt: Date | null;
}

const SHOWN_DAYS = 14;

interface OverviewRow {
  chat: ChatId;
  may_answer: boolean;
  kept: number;
  cut: number;
  spent: number;
  saved: number;
  answered: Date[];
  sent: number;
  days: ObservedDay[];
  last_digest: Date | null;
  oldest: Date | null;
}

export async function readObservedOverview(
  db: Db,
  account: AccountId,
  now: Date,
): Promise<ObservedOverview[]> {
  const groups = await loadObservedGroups(db, account);
  const { rows } = await sql<OverviewRow>`
    SELECT o.chat_id AS chat, coalesce(g.can_read AND g.can_reply, false) AS may_answer,
      coalesce(u.kept, 0) AS kept, coalesce(u.cut, 0) AS cut, coalesce(u.spent, 0) AS spent, coalesce(u.saved, 0) AS saved,
      (SELECT coalesce(array_agg(r.answered_at), '{}') FROM observer_requests r WHERE r.account_id = o.account_id
        AND r.chat_id = o.chat_id AND r.answered_at > ${now}::timestamptz - interval '2 days') AS answered,
      (SELECT count(*)::int FROM outbox b WHERE b.account_id = o.account_id AND b.chat_id = o.chat_id
        AND b.attempted_at >= o.since AND b.state NOT IN ('pending', 'failed')) AS sent,
      (SELECT coalesce(jsonb_agg(to_jsonb(t) ORDER BY t.day), '[]') FROM (
        SELECT day::text, messages_kept, messages_cut, tokens_spent, tokens_saved AS tokens_avoided FROM observer_usage
        WHERE account_id = o.account_id AND chat_id = o.chat_id ORDER BY day DESC LIMIT ${SHOWN_DAYS}) t) AS days,
      (SELECT max(d.period_end) FROM digests d WHERE d.account_id = o.account_id AND d.chat_id = o.chat_id) AS last_digest,
      (SELECT m.sent_at FROM messages m WHERE m.account_id = o.account_id AND m.chat_id = o.chat_id
        ORDER BY m.sent_at LIMIT 1) AS oldest
    FROM observed_groups o LEFT JOIN grants g ON g.account_id = o.account_id AND g.chat_id = o.chat_id
      LEFT JOIN LATERAL (SELECT sum(messages_kept)::bigint AS kept, sum(messages_cut)::bigint AS cut,
        sum(tokens_spent)::bigint AS spent, sum(tokens_saved)::bigint AS saved FROM observer_usage
        WHERE account_id = o.account_id AND chat_id = o.chat_id) u ON true
    WHERE o.account_id = ${account}`.execute(db);
  const known = new Map(rows.map((row) => [row.chat, row]));
  return groups.flatMap((group) => {
    const row = known.get(group.chat);
    return row === undefined ? [] : [toOverview(group, row, now)];
  });
}

function toOverview(group: StoredObservedGroup, row: OverviewRow, now: Date): ObservedOverview {
  const zone = findZone(group.zone);
  const day = (at: Date) => Math.floor((zone?.localAt(at.getTime()) ?? at.getTime()) / 86_400_000);
  const { kept, cut, spent, saved, sent, days } = row;
  return {
    ...group,
    mayAnswer: row.may_answer,
    ...{ kept, cut, spent, saved, sent, days },
    answersToday: row.answered.filter((at) => day(at) === day(now)).length,
    lastDigestAt: row.last_digest,
    oldestMessageAt: row.oldest,
  };
}

// Groups that have digests to read: those observed now, and former ones whose digests are still kept. Also the cost of
// a group's day.

export interface DigestedGroup {
  readonly chat: ChatId;
  readonly address: string;
  readonly name: string;
  /** Null once it is no longer observed. */
  readonly zone: string | null;
  readonly observed: boolean;
}

/** The longest observed first. */
export async function listDigestedGroups(
  db: Db,
  account: AccountId,
): Promise<readonly DigestedGroup[]> {
  const { rows } = await sql<DigestedGroup>`
    SELECT c.id AS chat, c.group_address AS address, o.zone, o.chat_id IS NOT NULL AS observed,
      coalesce(g.display_name, nullif(c.subject, ''), c.group_address) AS name
    FROM chats c LEFT JOIN observed_groups o ON o.account_id = c.account_id AND o.chat_id = c.id
      LEFT JOIN grants g ON g.account_id = c.account_id AND g.chat_id = c.id
    WHERE c.account_id = ${account} AND c.kind = 'group' AND (o.chat_id IS NOT NULL OR EXISTS (
      SELECT FROM digests d WHERE d.account_id = c.account_id AND d.chat_id = c.id))
    ORDER BY o.since NULLS LAST, c.id`.execute(db);
  return rows;
}

interface DayUsage {
  readonly messages_kept: number;
  readonly messages_cut: number;
  readonly tokens_spent: number;
  readonly tokens_saved: number;
}

const NO_USAGE = { messages_kept: 0, messages_cut: 0, tokens_spent: 0, tokens_saved: 0 };

export async function readDayUsage(
  db: Db,
  account: AccountId,
  chat: ChatId,
  day: string,
): Promise<DayUsage> {
  const found = await db
    .selectFrom('observer_usage')
    .select(['messages_kept', 'messages_cut', 'tokens_spent', 'tokens_saved'])
    .where('account_id', '=', account)
    .where('chat_id', '=', chat)
    .where('day', '=', day)
    .executeTakeFirst();
  return found ?? NO_USAGE;
}
