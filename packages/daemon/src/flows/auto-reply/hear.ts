// A readable contact wrote: their words into the session, and a job to answer them. One job a session waits
// at a time; whoever works on it asks for the next, so that contacts take turns however much each writes.
import type { ChatId, ContactId, MessageId } from '@relay/core/ids';
import { sql } from 'kysely';
import type { Engine, Work } from '../../jobs/work.ts';
import { appendSessionLine, openSession } from '../../store/sessions.ts';

export interface HeardFromContact {
  readonly id: MessageId;
  readonly chat: ChatId;
  readonly contact: ContactId;
  readonly body: string;
  readonly sentAt: Date;
  readonly late: boolean;
}

export async function askForReply(
  { lease, jobs }: Engine,
  work: Work,
  { id: message, chat, contact, body, sentAt }: HeardFromContact,
): Promise<void> {
  const { account } = lease;
  const { rows } = await sql<{ name: string }>`SELECT display_name AS name FROM grants
    WHERE account_id = ${account} AND contact_id = ${contact}`.execute(work.tx);
  const title = `WhatsApp: ${rows[0]?.name ?? ''}`;
  const session = await openSession(work.tx, account, {
    kind: 'auto_reply',
    key: contact,
    title,
    chat,
    contact,
  });
  await appendSessionLine(work.tx, session, { role: 'user', content: body, at: sentAt, message });
  await jobs.enqueue(work.tx, 'auto_reply', [
    { key: `${account}:${session.id}`, data: { account, subject: session.id } },
  ]);
  work.filled.add('auto_reply');
}
