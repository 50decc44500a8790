// What is known when a line's turn has come: what the owner allows now, what was said, and how often it was
// answered. Read in the transaction that decides on it, so that a grant revoked a moment ago counts.
import type { Standing } from '@relay/core/auto-reply/consider';
import type { Grant } from '@relay/core/contacts/grants';
import type { GrantOptions } from '@relay/core/contacts/options';
import { MARKS } from '@relay/core/messages/marks';
import type { SessionLineSeen } from '@relay/core/ports/reply';
import { sql } from 'kysely';
import { numberOfContact } from '../../store/addresses.ts';
import type { Transaction } from '../../store/database.ts';
import type { SessionLine, SessionRow } from '../../store/sessions.ts';
import type { OpenSession, WaitingLine } from './rows.ts';

export interface StandingNow extends Standing {
  /** What the owner calls the contact, or the number. */
  readonly displayName: string;
  readonly options: GrantOptions;
}

interface Row {
  conversation: boolean;
  owner_wrote: boolean;
  grant: Grant | null;
  name: string | null;
  options: GrantOptions | null;
}

export async function standingOf(
  tx: Transaction,
  { account_id: account, contact_id, chat_id }: OpenSession,
  line: Pick<WaitingLine, 'at'>,
): Promise<StandingNow> {
  const { rows } = await sql<Row>`
    SELECT coalesce(g.display_name, ${numberOfContact(sql.ref('g'))}) AS name, g.options,
      CASE WHEN g.id IS NOT NULL THEN json_build_object('canRead', g.can_read, 'canReply', g.can_reply,
        'replyMode', g.reply_mode, 'canInitiate', g.can_initiate) END AS grant,
      EXISTS (SELECT FROM instances i WHERE i.account_id = ${account} AND i.contact_id = ${contact_id}
        AND i.state NOT IN ('COMPLETED', 'ABANDONED', 'FAILED', 'QUEUED')
        AND i.previous_state IS DISTINCT FROM 'QUEUED') AS conversation,
      EXISTS (SELECT FROM messages m WHERE m.account_id = ${account} AND m.chat_id = ${chat_id}
        AND m.sent_at > ${line.at} AND m.from_me AND m.kind <> ALL(${[...MARKS]}::text[])
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

/** When answers were given, the newest first. */
export async function answersSince(
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

export interface SeenLine extends SessionLineSeen {
  readonly at: Date;
}

/** The last ones up to and with a line, oldest first, each answer behind what it answers. */
export async function linesUpTo(
  tx: Transaction,
  { account_id, session_id, id }: Pick<SessionLine, 'account_id' | 'session_id' | 'id'>,
  limit: number,
): Promise<SeenLine[]> {
  const place = sql`coalesce(m.answers, m.id)`;
  const { rows } = await sql<SeenLine>`
    SELECT CASE m.role WHEN 'user' THEN 'contact' ELSE 'agent' END AS "from", m.content, m.at,
      m.outbox_id IS NOT NULL OR coalesce(a.state = 'approved', false) AS sent
    FROM session_messages m LEFT JOIN approvals a ON a.account_id = m.account_id AND a.id = m.approval_id
    WHERE m.account_id = ${account_id} AND m.session_id = ${session_id} AND ${place} <= ${id}
    ORDER BY ${place} DESC, m.id DESC LIMIT ${limit}`.execute(tx);
  return rows.reverse();
}
