// A session of auto-reply as rows. Whoever changes what waits in it holds its lock: a line waits exactly as
// long as one job, one timer or the end of a hold stands for its session.
import type { Grant } from '@relay/core/contacts/grants';
import type { GrantOptions } from '@relay/core/contacts/options';
import type { AccountId, ChatId, ContactId, MessageId, SessionId } from '@relay/core/ids';
import type { SessionLineSeen } from '@relay/core/ports/reply';
import { sql } from 'kysely';
import { heldNow } from '../../gate/hold-row.ts';
import type { Transaction } from '../../store/database.ts';
import type { Lease } from '../../store/lease.ts';
import { fence } from '../../store/lease.ts';
import type { SessionLine, SessionRow } from '../../store/sessions.ts';

export interface OpenSession extends SessionRow {
  readonly chat_id: ChatId;
  readonly contact_id: ContactId;
}

/** Null when it is gone; what waited in it is gone with it. A hold that is seen ends only after this transaction. */
export async function lockSession(
  tx: Transaction,
  lease: Lease,
  id: SessionId,
): Promise<(OpenSession & { readonly held: boolean }) | null> {
  const row = await tx
    .selectFrom('sessions')
    .innerJoin('account_leases', 'account_leases.account_id', 'sessions.account_id')
    .selectAll('sessions')
    .select(heldNow(lease.account).as('held'))
    .where('sessions.account_id', '=', lease.account)
    .where('sessions.id', '=', id)
    .where('account_leases.epoch', '=', lease.epoch)
    .forUpdate('sessions')
    .forKeyShare('account_leases')
    .executeTakeFirst();
  if (row === undefined) await fence(tx, lease);
  const { chat_id = null, contact_id = null } = row ?? {};
  if (row === undefined || chat_id === null || contact_id === null) return null;
  return { ...row, chat_id, contact_id };
}

export interface WaitingLine extends SessionLine {
  readonly message_id: MessageId;
}

/** The oldest line that nobody has dealt with. */
export async function firstWaiting(
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

export interface GrantOfContact extends Grant {
  readonly displayName: string;
  readonly options: GrantOptions;
}

export async function grantOf(
  tx: Transaction,
  account: AccountId,
  contact: ContactId,
): Promise<GrantOfContact | null> {
  const row = await tx
    .selectFrom('grants')
    .select(['display_name', 'can_read', 'can_reply', 'can_initiate', 'reply_mode', 'options'])
    .where('account_id', '=', account)
    .where('contact_id', '=', contact)
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    displayName: row.display_name,
    canRead: row.can_read,
    canReply: row.can_reply,
    canInitiate: row.can_initiate,
    replyMode: row.reply_mode,
    options: row.options as GrantOptions,
  };
}

/** When the answers since a moment were given, the newest first. */
export async function answersSince(
  tx: Transaction,
  { account_id, id }: Pick<SessionRow, 'account_id' | 'id'>,
  since: Date,
  limit: number,
): Promise<Date[]> {
  const rows = await tx
    .selectFrom('session_messages')
    .select('at')
    .where('account_id', '=', account_id)
    .where('session_id', '=', id)
    .where('answers', 'is not', null)
    .where('at', '>', since)
    .orderBy('at', 'desc')
    .limit(limit)
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
