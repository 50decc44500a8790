// Reads what is known of one observed group for the slots of its context: facts of earlier weeks, the digests of the
// last days and of today, and the raw buffer. Never reads another group.

import type { ChatId } from '@relay/contract/ids';
import { type DigestFact, factLine } from '@relay/contract/observer/digest/facts';
import { estimateTokens } from '@relay/core/agent/context-window';
import { rawBuffer } from '@relay/core/observer/buffer';
import { CONTEXT_DAYS, type GroupContextParts } from '@relay/core/observer/context';
import { dailyText } from '@relay/core/observer/digest/format';
import {
  type DayBoundary,
  type DigestPeriod,
  dayBefore,
  dayContaining,
} from '@relay/core/observer/digest/periods';
import { findZone } from '@relay/core/schedule/zone';
import { sql } from 'kysely';
import type { Db } from '../database.ts';
import { findDigests } from './digests.ts';
import { type GroupScope, observedMessagesBetween, readMemberNames } from './messages.ts';

interface GroupContextScope extends GroupScope {
  /** When the group's day begins, in the group's time zone. */
  readonly dailyAt: string;
}

export interface StoredGroupContext extends GroupContextParts {
  readonly cut: DayBoundary;
  /** Tokens of the messages that are older than the raw buffer and are represented by digests. */
  readonly behindDigests: number;
}

const WEEKS_REMEMBERED_MS = 28 * 24 * 3_600_000;
const RAW_MS = 24 * 3_600_000;
/** A reply is shown with the message it answers, even if that is a little older. */
const BEFORE_RAW_MS = 3 * 3_600_000;

/** Null for a group that is not observed. */
export async function readGroupContext(
  db: Db,
  reader: GroupContextScope,
  chat: ChatId,
  now: Date,
): Promise<StoredGroupContext | null> {
  const cut = await readGroupCut(db, reader, chat);
  if (cut === null) return null;
  const today = dayContaining(now, cut);
  const rawFrom = new Date(now.getTime() - RAW_MS);
  let first = today;
  for (let days = 0; days < CONTEXT_DAYS; days++) first = dayBefore(first, cut);
  const [days, hours, judged, members] = await Promise.all([
    findDigests(db, reader.account, {
      chat,
      kind: 'daily',
      from: new Date(now.getTime() - WEEKS_REMEMBERED_MS),
    }),
    findDigests(db, reader.account, { chat, kind: 'hourly', from: today.start }),
    observedMessagesBetween(db, reader, {
      chat,
      from: new Date(rawFrom.getTime() - BEFORE_RAW_MS),
      to: new Date(now.getTime() + 1),
    }),
    readMemberNames(db, reader, chat),
  ]);
  const earlier = days.filter(({ start }) => start < first.start);
  const shown = days.filter(({ start }) => start >= first.start);
  return {
    cut,
    zone: cut.zone,
    members,
    briefing: earlier.flatMap(({ facts }) => facts.filter(isWorthKeeping).map(toNote)),
    daily: shown.map((digest) => ({ ...digest, text: dailyText(digest) })),
    hourly: hours.map((digest) => ({ ...digest, text: digest.body })),
    raw: rawBuffer(
      judged.flatMap(({ message, verdict }) => (verdict === null ? [] : { message, verdict })),
      { now, zone: cut.zone },
    ),
    behindDigests: await contentTokens(db, reader, chat, {
      start: shown[0]?.start ?? today.start,
      end: rawFrom,
    }),
  };
}

/** Tokens saved by showing digests instead of their messages, less the digests themselves. */
export const tokensSparedBy = ({ behindDigests, daily, hourly }: StoredGroupContext): number =>
  [...daily, ...hourly].reduce((left, { text }) => left - estimateTokens(text), behindDigests);

const isWorthKeeping = ({ kind }: DigestFact): boolean => kind !== 'participant' && kind !== 'mood';

const toNote = (fact: DigestFact) => ({ at: fact.saidAt, text: factLine(fact) });

/** Where the group's hours and days begin; null for one that is not observed. */
async function readGroupCut(
  db: Db,
  { account, dailyAt }: GroupContextScope,
  chat: ChatId,
): Promise<DayBoundary | null> {
  const group = await db
    .selectFrom('observed_groups')
    .select('zone')
    .where('account_id', '=', account)
    .where('chat_id', '=', chat)
    .executeTakeFirst();
  const zone = group === undefined ? null : findZone(group.zone);
  return zone === null ? null : { zone, dailyAt };
}

async function contentTokens(
  db: Db,
  { account }: GroupContextScope,
  chat: ChatId,
  { start, end }: DigestPeriod,
): Promise<number> {
  const { rows } = await sql<{ tokens: number }>`
    SELECT coalesce(sum(tokens), 0)::int AS tokens FROM observed_messages
    WHERE account_id = ${account} AND chat_id = ${chat} AND NOT noise
      AND sent_at >= ${start} AND sent_at < ${end}`.execute(db);
  return rows[0]?.tokens ?? 0;
}
