// Reads and locks the rows of auto-reply sessions. Whoever changes the waiting lines holds the session's lock.
// Invariant: while a line waits, exactly one of a job, a timer or the end of a hold will handle its session.

import type { GrantOptions } from '@relay/contract/contacts/grant-options';
import type { AccountId, ChatId, ContactId, MessageId, SessionId } from '@relay/contract/ids';
import type { ReplyConditions } from '@relay/core/auto-reply/evaluate';
import type { Cooldown, CooldownCause } from '@relay/core/auto-reply/loop-guard';
import type { Grant } from '@relay/core/contacts/grants';
import { MARK_KINDS } from '@relay/core/messages/message';
import type { ReplyLine } from '@relay/core/ports/agent-turn';
import { sql } from 'kysely';
import { isOnHoldSql } from '../../pipeline/gate/gate.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { contactNumberSql } from '../../platform/db/names-and-addresses.ts';
import type { SessionLine, SessionRow } from '../../platform/db/sessions.ts';

export interface ReplySession extends SessionRow {
  readonly chat_id: ChatId;
  readonly contact_id: ContactId;
}

/** Null when the session is gone, with its waiting lines. A hold that is seen here ends only after this transaction. */
export async function lockReplySession(
  tx: Transaction,
  account: AccountId,
  id: SessionId,
): Promise<(ReplySession & { readonly held: boolean }) | null> {
  const row = await tx
    .selectFrom('sessions')
    .selectAll()
    .select(isOnHoldSql(account).as('held'))
    .where('account_id', '=', account)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  const { chat_id = null, contact_id = null } = row ?? {};
  if (row === undefined || chat_id === null || contact_id === null) return null;
  return { ...row, chat_id, contact_id };
}

export interface WaitingLine extends SessionLine {
  readonly message_id: MessageId;
}

/** The oldest line that is still waiting. */
export async function findFirstWaiting(
  tx: Transaction,
  { account_id, id }: Pick<SessionRow, 'account_id' | 'id'>,
): Promise<WaitingLine | null> {
  const line = await tx
    .selectFrom('session_messages')
    .selectAll()
    .where('account_id', '=', account_id)
    .where('session_id', '=', id)
    .where('waiting', '=', true)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return (line as WaitingLine | undefined) ?? null;
}

export const cooldownOf = ({ resting_until, rests, rest_reason }: SessionRow): Cooldown | null =>
  resting_until === null
    ? null
    : { until: resting_until, count: rests, cause: rest_reason as CooldownCause };

// The facts for the decision on a line: the grant, what was said and how often it was answered. Read in the deciding
// transaction, so that a grant revoked a moment ago counts.

export interface ReplyStanding extends ReplyConditions {
  /** The owner's name for the contact, or the number. */
  readonly displayName: string;
  readonly options: GrantOptions;
}

interface StandingRow {
  conversation: boolean;
  owner_wrote: boolean;
  grant: Grant | null;
  name: string | null;
  options: GrantOptions | null;
}

export async function readStanding(
  tx: Transaction,
  { account_id: account, contact_id, chat_id }: ReplySession,
  line: Pick<WaitingLine, 'at'>,
): Promise<ReplyStanding> {
  const { rows } = await sql<StandingRow>`
    SELECT coalesce(g.display_name, ${contactNumberSql(sql.ref('g'))}) AS name, g.options,
      CASE WHEN g.id IS NOT NULL THEN json_build_object('canRead', g.can_read, 'canReply', g.can_reply,
        'replyMode', g.reply_mode, 'canInitiate', g.can_initiate) END AS grant,
      EXISTS (SELECT FROM instances i WHERE i.account_id = ${account} AND i.contact_id = ${contact_id}
        AND i.state NOT IN ('COMPLETED', 'ABANDONED', 'FAILED', 'QUEUED')
        AND i.previous_state IS DISTINCT FROM 'QUEUED') AS conversation,
      EXISTS (SELECT FROM messages m WHERE m.account_id = ${account} AND m.chat_id = ${chat_id}
        AND m.sent_at > ${line.at} AND m.from_me AND m.kind <> ALL(${[...MARK_KINDS]}::text[])
        AND NOT EXISTS (SELECT FROM outbox o
          WHERE o.account_id = m.account_id AND o.message_id = m.message_id)) AS owner_wrote
    FROM (SELECT) nothing LEFT JOIN grants g
      ON g.account_id = ${account} AND g.contact_id = ${contact_id}`.execute(tx);
  const row = rows[0];
  return {
    grant: row?.grant ?? null,
    displayName: row?.name ?? '',
    options: row?.options ?? {},
    conversation: row?.conversation ?? false,
    ownerWrote: row?.owner_wrote ?? false,
  };
}

/** The times of answers, newest first. */
export async function readReplyTimes(
  tx: Transaction,
  { account_id, id }: Pick<SessionRow, 'account_id' | 'id'>,
  { since, most }: { readonly since: Date; readonly most: number },
): Promise<Date[]> {
  const rows = await tx
    .selectFrom('session_messages')
    .select('at')
    .where('account_id', '=', account_id)
    .where('session_id', '=', id)
    .where('answers', 'is not', null)
    .where('at', '>', since)
    .orderBy('at', 'desc')
    .limit(most)
    .execute();
  return rows.map(({ at }) => at);
}

export interface DatedReplyLine extends ReplyLine {
  readonly at: Date;
  /** The contact's message. */
  readonly message: MessageId | null;
}

/** The last lines up to and including a line, oldest first, each answer after the line it answers. */
export async function readLinesUpTo(
  tx: Transaction,
  { account_id, session_id, id }: Pick<SessionLine, 'account_id' | 'session_id' | 'id'>,
  limit: number,
): Promise<DatedReplyLine[]> {
  const place = sql`coalesce(m.answers, m.id)`;
  const { rows } = await sql<DatedReplyLine>`
    SELECT CASE m.role WHEN 'user' THEN 'contact' ELSE 'agent' END AS "from", m.content, m.at, m.message_id AS message,
      m.outbox_id IS NOT NULL OR coalesce(a.state = 'approved', false) AS sent
    FROM session_messages m LEFT JOIN approvals a ON a.account_id = m.account_id AND a.id = m.approval_id
    WHERE m.account_id = ${account_id} AND m.session_id = ${session_id} AND ${place} <= ${id}
    ORDER BY ${place} DESC, m.id DESC LIMIT ${limit}`.execute(tx);
  return rows.reverse();
}
