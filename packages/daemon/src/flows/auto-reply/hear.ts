// A readable contact wrote: their words into the session, and a job to answer them. One job a session waits
// at a time; whoever works on it asks for the next, so that contacts take turns however much each writes.
import type { ChatId, ContactId, MessageId } from '@relay/core/ids';
import { sql } from 'kysely';
import type { Engine, Work } from '../../jobs/work.ts';
import { numberOfContact } from '../../store/addresses.ts';
import { appendSessionLine, openSession } from '../../store/sessions.ts';
import { askForNext } from './ask.ts';
import { firstWaiting } from './rows.ts';

export interface HeardFromContact {
  readonly id: MessageId;
  readonly chat: ChatId;
  readonly contact: ContactId;
  readonly body: string;
  readonly sentAt: Date;
}

const nameForAgents = sql<
  string | null
>`coalesce(display_name, ${numberOfContact(sql.ref('grants'))})`;

export async function askForReply(
  engine: Engine,
  work: Work,
  { id: message, chat, contact, body, sentAt }: HeardFromContact,
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
  // Where another line waits already, something stands for the session.
  const asked = (await firstWaiting(work.tx, session)) !== null;
  await appendSessionLine(work.tx, session, {
    role: 'user',
    content: body,
    at: sentAt,
    message,
    waiting: true,
  });
  if (!asked) await askForNext(engine, work, [session.id]);
}
