// What is known about each observed group, for the owner: since when, what was kept and cut, what it cost
// and spared, when it was last digested and answered, and how old the oldest message is that is kept.
import type { AccountId, ChatId } from '@relay/core/ids';
import { zoneNamed } from '@relay/core/schedule/zone';
import { sql } from 'kysely';
import type { Reader } from '../database.ts';
import { listObserved, type ObservedGroup } from './groups.ts';

export interface ObservedDay {
  readonly day: string;
  readonly messages_kept: number;
  readonly messages_cut: number;
  readonly tokens_spent: number;
  readonly tokens_avoided: number;
}

export interface ObservedOverview extends ObservedGroup {
  readonly mayAnswer: boolean;
  readonly kept: number;
  readonly cut: number;
  readonly spent: number;
  readonly saved: number;
  readonly answersToday: number;
  /** What left for the group since it is observed, or may have. */
  readonly sent: number;
  /** The last ones with something, the oldest first. */
  readonly days: readonly ObservedDay[];
  readonly lastDigestAt: Date | null;
  readonly oldestMessageAt: Date | null;
}

const SHOWN_DAYS = 14;

interface Row {
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

export async function overview(
  db: Reader,
  account: AccountId,
  now: Date,
): Promise<ObservedOverview[]> {
  const groups = await listObserved(db, account);
  const { rows } = await sql<Row>`
    SELECT o.chat_id AS chat, coalesce(g.can_read AND g.can_reply, false) AS may_answer,
      coalesce(u.kept, 0) AS kept, coalesce(u.cut, 0) AS cut, coalesce(u.spent, 0) AS spent, coalesce(u.saved, 0) AS saved,
      (SELECT coalesce(array_agg(r.answered_at), '{}') FROM observer_requests r WHERE r.account_id = o.account_id
        AND r.chat_id = o.chat_id AND r.answered_at > ${now}::timestamptz - interval '2 days') AS answered,
      (SELECT count(*)::int FROM outbox b WHERE b.account_id = o.account_id AND b.chat_id = o.chat_id
        AND b.created_at >= o.since AND b.state NOT IN ('pending', 'failed')) AS sent,
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

function toOverview(group: ObservedGroup, row: Row, now: Date): ObservedOverview {
  const zone = zoneNamed(group.zone);
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
