// The owner wrote to their assistant on WhatsApp: their words into the session, and a job. What begins with
// a slash goes past the questions that wait: nobody waits for a model in order to stop it.

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
  /** The owner passed it on, but somebody else wrote it. */
  readonly untrusted: boolean;
  readonly sentAt: Date;
  /** In the chat of the linked number with itself; else one of the owner's other numbers wrote. */
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
    at: sentAt,
    message,
    command: !untrusted && parseSlashCommand(body) !== null,
    untrusted,
    waiting: true,
  });
  await enqueueQuestions(engine, work, session.id, [line]);
}

/** In the chat of the linked number with itself, or in that of one of the owner's other numbers. */
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

/** On a notice, 👍 and 👎 are `/approve` and `/reject` with its id. On anything else they say nothing. */
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
    content: `${command} ${asked}`,
    at: sentAt,
    message,
    command: true,
    waiting: true,
  });
  await enqueueQuestions(engine, work, session.id, [line]);
}

/** In any colour of skin. */
function commandOf(emoji: string): string | null {
  const plain = emoji.replace(/\p{Emoji_Modifier}/gu, '');
  return plain === '👍' ? '/approve' : plain === '👎' ? '/reject' : null;
}

/** Shared by the owner's own chat, the terminal and the console. `chat` where it is heard on WhatsApp. */
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

/** Commands are in order among themselves, and so are questions. */
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
  work.afterCommit.push(() => jobs.hint('assistant'));
}

// The hold is over: what the owner asked meanwhile is answered now. A question asked for twice is answered
// once, because its line no longer waits.

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
