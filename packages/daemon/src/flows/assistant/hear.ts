// The owner wrote to their assistant on WhatsApp: their words into the session, and a job. What begins with
// a slash goes past the questions that wait: nobody waits for a model in order to stop it.
import { parseCommand } from '@relay/core/assistant/commands';
import type { AccountId, ChatId, MessageId, SessionId } from '@relay/core/ids';
import type { Engine, Work } from '../../jobs/work.ts';
import type { Transaction } from '../../store/database.ts';
import { openSession, type SessionRow } from '../../store/sessions.ts';
import { addLine } from './lines.ts';

export interface HeardFromOwner {
  readonly id: MessageId;
  readonly chat: ChatId;
  readonly body: string;
  /** The owner passed it on, but somebody else wrote it. */
  readonly untrusted: boolean;
  readonly sentAt: Date;
  /** In the chat of the linked number with itself; else one of the owner's other numbers wrote. */
  readonly self: boolean;
}

export async function askAssistant(
  engine: Engine,
  work: Work,
  { id: message, chat, body, untrusted, sentAt, self }: HeardFromOwner,
): Promise<void> {
  const { account } = engine.lease;
  const session = self
    ? await ownersSession(work.tx, account, chat)
    : await openSession(work.tx, account, {
        kind: 'assistant',
        key: chat,
        title: 'Assistant on WhatsApp',
        chat,
        contact: null,
      });
  const line = await addLine(work.tx, session, {
    role: 'user',
    content: body,
    at: sentAt,
    message,
    command: !untrusted && parseCommand(body) !== null,
    untrusted,
    waiting: true,
  });
  await askFor(engine, work, session.id, [line]);
}

/** Shared by the owner's own chat, the terminal and the console. `chat` where it is heard on WhatsApp. */
export const ownersSession = (
  tx: Transaction,
  account: AccountId,
  chat: ChatId | null = null,
): Promise<SessionRow> =>
  openSession(tx, account, {
    kind: 'assistant',
    key: 'owner',
    title: 'Assistant',
    chat,
    contact: null,
  });

/** Commands are in order among themselves, and so are questions. */
export async function askFor(
  { lease: { account }, jobs }: Engine,
  work: Work,
  subject: SessionId,
  lines: readonly { readonly id: number; readonly command: boolean }[],
): Promise<void> {
  await jobs.enqueue(
    work.tx,
    'assistant',
    lines.map(({ id: line, command }) => ({
      key: `${account}:${subject}${command ? ':commands' : ''}`,
      data: { account, subject, line },
    })),
  );
  work.filled.add('assistant');
}
