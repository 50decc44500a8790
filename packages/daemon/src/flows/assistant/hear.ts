// The owner wrote to their assistant on WhatsApp: their words into the session, and a job. What begins with
// a slash goes past the questions that wait: nobody waits for a model in order to stop it.
import { parseCommand } from '@relay/core/assistant/commands';
import type { AccountId, ChatId, MessageId, SessionId } from '@relay/core/ids';
import { noticedBy } from '../../gate/notices.ts';
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
  const session = await sessionIn(engine, work, chat, self);
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

/** In the chat of the linked number with itself, or in that of one of the owner's other numbers. */
const sessionIn = ({ lease: { account } }: Engine, { tx }: Work, chat: ChatId, self: boolean) =>
  self
    ? ownersSession(tx, account, chat)
    : openSession(tx, account, {
        kind: 'assistant',
        key: chat,
        title: 'Assistant on WhatsApp',
        chat,
        contact: null,
      });

export interface OwnersReaction extends Pick<HeardFromOwner, 'id' | 'chat' | 'sentAt' | 'self'> {
  readonly reaction: { readonly emoji: string; readonly on: MessageId } | null;
}

/** On a notice, 👍 and 👎 are `/approve` and `/reject` with its id. On anything else they say nothing. */
export async function answerByReaction(
  engine: Engine,
  work: Work,
  { id: message, chat, sentAt, self, reaction }: OwnersReaction,
): Promise<void> {
  const command = reaction === null ? null : commandOf(reaction.emoji);
  if (reaction === null || command === null) return;
  const asked = await noticedBy(work.tx, engine.lease.account, reaction.on);
  if (asked === null) return;
  const session = await sessionIn(engine, work, chat, self);
  const line = await addLine(work.tx, session, {
    role: 'user',
    content: `${command} ${asked}`,
    at: sentAt,
    message,
    command: true,
    waiting: true,
  });
  await askFor(engine, work, session.id, [line]);
}

/** In any colour of skin. */
function commandOf(emoji: string): string | null {
  const plain = emoji.replace(/\p{Emoji_Modifier}/gu, '');
  return plain === '👍' ? '/approve' : plain === '👎' ? '/reject' : null;
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
