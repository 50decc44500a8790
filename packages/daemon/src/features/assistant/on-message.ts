// Handles the owner's messages to the assistant on WhatsApp: stores them in the session and queues a job. Slash
// commands do not wait behind questions, so that `/stop` need not wait for the model it stops.

import type { AccountId, ChatId, MessageId, SessionId } from '@relay/contract/ids';
import { parseSlashCommand } from '@relay/core/assistant/commands';
import type { OnRelease } from '../../pipeline/gate/approvals.ts';
import { findApprovalByNotice } from '../../pipeline/gate/owner-notices.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { openSession, type SessionRow } from '../../platform/db/sessions.ts';
import type { UnitOfWork } from '../../platform/db/transaction.ts';
import type { Engine } from '../../platform/jobs/engine.ts';
import type { AssistantDeps } from './deps.ts';
import { addLine } from './sql.ts';

interface OwnerChatMessage {
  readonly id: MessageId;
  readonly chat: ChatId;
  readonly body: string;
  /** The owner forwarded it, but somebody else wrote it. */
  readonly untrusted: boolean;
  readonly sentAt: Date;
  /** True in the linked number's chat with itself; otherwise one of the owner's other numbers wrote. */
  readonly self: boolean;
}

export async function onAssistantMessage(
  engine: Engine,
  work: UnitOfWork,
  { id: message, chat, body, untrusted, sentAt, self }: OwnerChatMessage,
): Promise<void> {
  const session = await sessionIn(engine, work, chat, self);
  const line = await addLine(work.tx, session, {
    role: 'user',
    content: body,
    saidAt: sentAt,
    message,
    command: !untrusted && parseSlashCommand(body) !== null,
    untrusted,
    waiting: true,
  });
  await enqueueQuestions(engine, work, session.id, [line]);
}

/** The session of the linked number's chat with itself, or of one of the owner's other numbers. */
const sessionIn = (
  { lease: { account } }: Engine,
  { tx }: UnitOfWork,
  chat: ChatId,
  self: boolean,
) =>
  self
    ? openOwnerSession(tx, account, chat)
    : openSession(tx, account, {
        kind: 'assistant',
        key: chat,
        title: 'Assistant on WhatsApp',
        chat,
        contact: null,
      });

interface OwnerReaction extends Pick<OwnerChatMessage, 'id' | 'chat' | 'sentAt' | 'self'> {
  readonly reaction: { readonly emoji: string; readonly on: MessageId } | null;
}

/** On a notice, 👍 and 👎 mean `/approve` and `/reject` with its id. On other messages they are ignored. */
export async function onAssistantReaction(
  engine: Engine,
  work: UnitOfWork,
  { id: message, chat, sentAt, self, reaction }: OwnerReaction,
): Promise<void> {
  const command = reaction === null ? null : commandOf(reaction.emoji);
  if (reaction === null || command === null) return;
  const asked = await findApprovalByNotice(work.tx, engine.lease.account, reaction.on);
  if (asked === null) return;
  const session = await sessionIn(engine, work, chat, self);
  const line = await addLine(work.tx, session, {
    role: 'user',
    content: `${command} ${asked.id}`,
    // A reaction comes after the message it is on, whatever WhatsApp's clock says.
    saidAt: asked.sentAt !== null && asked.sentAt > sentAt ? asked.sentAt : sentAt,
    message,
    command: true,
    waiting: true,
  });
  await enqueueQuestions(engine, work, session.id, [line]);
}

/** In any skin tone. */
function commandOf(emoji: string): string | null {
  const plain = emoji.replace(/\p{Emoji_Modifier}/gu, '');
  return plain === '👍' ? '/approve' : plain === '👎' ? '/reject' : null;
}

/** Shared by the owner's own chat, the terminal and the console. `chat` is set where it is used on WhatsApp. */
export const openOwnerSession = (
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

/** Commands keep their order among themselves, and so do questions. */
async function enqueueQuestions(
  { lease: { account }, jobs }: Engine,
  work: UnitOfWork,
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
  work.afterCommit.push(() => jobs.wake('assistant'));
}

// After a hold, the waiting questions are queued. A question that is queued twice is answered once, because its line no
// longer waits.

export const resumeQuestionsOnRelease =
  (deps: AssistantDeps): OnRelease =>
  async (work) => {
    const lines = await work.tx
      .selectFrom('session_messages as m')
      .innerJoin('sessions as s', (on) =>
        on.onRef('s.account_id', '=', 'm.account_id').onRef('s.id', '=', 'm.session_id'),
      )
      .select(['m.session_id', 'm.id', 'm.command'])
      .where('m.account_id', '=', deps.lease.account)
      .where('s.kind', '=', 'assistant')
      .where('m.waiting', '=', true)
      .orderBy('m.id')
      .execute();
    const bySession = Map.groupBy(lines, ({ session_id }) => session_id);
    for (const [session, waiting] of bySession)
      await enqueueQuestions(deps, work, session, waiting);
  };
