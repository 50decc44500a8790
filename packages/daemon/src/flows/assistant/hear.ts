// The owner wrote to their assistant on WhatsApp: their words into the session of that number, and a job.
import type { ChatId, MessageId } from '@relay/core/ids';
import type { Engine, Work } from '../../jobs/work.ts';
import { appendSessionLine, openSession } from '../../store/sessions.ts';

export interface HeardFromOwner {
  readonly id: MessageId;
  readonly chat: ChatId;
  readonly body: string;
  readonly sentAt: Date;
}

export async function askAssistant(
  { lease, jobs }: Engine,
  work: Work,
  { id: message, chat, body, sentAt }: HeardFromOwner,
): Promise<void> {
  const { account } = lease;
  const session = await openSession(work.tx, account, {
    kind: 'assistant',
    key: chat,
    title: 'WhatsApp',
    chat,
    contact: null,
  });
  await appendSessionLine(work.tx, session, { role: 'user', content: body, at: sentAt, message });
  await jobs.enqueue(work.tx, 'assistant', [
    { key: `${account}:${session.id}`, data: { account, subject: session.id } },
  ]);
  work.filled.add('assistant');
}
