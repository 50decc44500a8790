// Handles a message for auto-reply: stores it in the contact's session and queues a job to answer it. A session has at
// most one queued job, which queues the next one, so that contacts take turns however much each writes.
import type { ChatId, ContactId, MessageId, SessionId } from '@relay/contract/ids';
import { sql } from 'kysely';
import { contactNumberSql } from '../../platform/db/names-and-addresses.ts';
import { appendSessionLine, openSession } from '../../platform/db/sessions.ts';
import type { UnitOfWork } from '../../platform/db/transaction.ts';
import type { Engine } from '../../platform/jobs/engine.ts';
import { findFirstWaiting } from './sql.ts';

interface MessageToAnswer {
  readonly id: MessageId;
  readonly chat: ChatId;
  readonly contact: ContactId;
  readonly body: string;
  readonly sentAt: Date;
}

const nameForAgents = sql<
  string | null
>`coalesce(display_name, ${contactNumberSql(sql.ref('grants'))})`;

export async function onAutoReplyMessage(
  engine: Engine,
  work: UnitOfWork,
  { id: message, chat, contact, body, sentAt }: MessageToAnswer,
): Promise<void> {
  const { account } = engine.lease;
  const grant = await work.tx
    .selectFrom('grants')
    .select(['id', 'session_id', nameForAgents.as('name')])
    .where('account_id', '=', account)
    .where('contact_id', '=', contact)
    .executeTakeFirst();
  const session = await openSession(work.tx, account, {
    kind: 'auto_reply',
    key: contact,
    title: `WhatsApp: ${grant?.name ?? ''}`,
    chat,
    contact,
  });
  if (grant !== undefined && grant.session_id !== session.id) {
    await sql`UPDATE grants SET session_id = ${session.id}
      WHERE account_id = ${account} AND id = ${grant.id}`.execute(work.tx);
  }
  // If another line waits already, the session has a job or a timer.
  const asked = (await findFirstWaiting(work.tx, session)) !== null;
  await appendSessionLine(work.tx, session, {
    role: 'user',
    content: body,
    saidAt: sentAt,
    message,
    waiting: true,
  });
  if (!asked) await enqueueReplies(engine, work, [session.id]);
}

// Queues the next answer of a session, always at the end of the queue, so that contacts take turns.

const replyJobKey = ({ lease }: Engine, session: SessionId): string =>
  `${lease.account}:${session}`;

export async function enqueueReplies(
  engine: Engine,
  work: UnitOfWork,
  sessions: readonly SessionId[],
): Promise<void> {
  const { account } = engine.lease;
  await engine.jobs.enqueue(
    work.tx,
    'auto_reply',
    sessions.map((subject) => ({ key: replyJobKey(engine, subject), data: { account, subject } })),
  );
  if (sessions.length > 0) work.afterCommit.push(() => engine.jobs.wake('auto_reply'));
}

/** For every session with waiting messages and no job: after a hold, and at start. */
export async function enqueueWaitingReplies(engine: Engine, work: UnitOfWork): Promise<void> {
  const { rows } = await sql<{ id: SessionId }>`
    SELECT session_id AS id FROM session_messages WHERE account_id = ${engine.lease.account} AND waiting
    GROUP BY session_id ORDER BY min(id)`.execute(work.tx);
  const keys = rows.map(({ id }) => replyJobKey(engine, id));
  const lacking = new Set(await engine.jobs.keysWithoutJob(work.tx, 'auto_reply', keys));
  await enqueueReplies(
    engine,
    work,
    rows.map(({ id }) => id).filter((id) => lacking.has(replyJobKey(engine, id))),
  );
}
