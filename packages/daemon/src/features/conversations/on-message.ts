// Handles messages from WhatsApp in a conversation: the contact's messages go to the transcript in every state and to
// the agent when it is the agent's turn; a message the owner types on a phone takes the conversation over.
import { isTerminal } from '@relay/contract/conversation/states';
import type { InstanceId, MessageId } from '@relay/contract/ids';
import { legalEvents } from '@relay/core/conversation/transition-table';
import { hasUnsent } from '../../pipeline/gate/withdrawals.ts';
import { appendEvent } from '../../platform/db/events.ts';
import { TransactionConflict, type UnitOfWork } from '../../platform/db/transaction.ts';
import { isContactTaken } from './create.ts';
import { type InstanceRow, lockInstance } from './sql.ts';
import {
  appendTranscriptLine,
  applyEvents,
  type ConversationDeps,
  lockContact,
} from './transitions.ts';

interface ConversationMessage {
  readonly id: MessageId;
  readonly body: string;
}

export async function onConversationMessage(
  deps: ConversationDeps,
  work: UnitOfWork,
  id: InstanceId,
  message: ConversationMessage,
): Promise<void> {
  const row = await lockOpen(deps, work, id);
  await appendHeardMessage(deps, work, row, 'contact', message);
  await applyEvents(deps, work, row, [{ type: 'contact_replies' }]);
}

/** For a conversation that has ended: the owner's setting decides whether it is reopened or the owner is asked. */
export async function onLateReply(
  deps: ConversationDeps,
  work: UnitOfWork,
  id: InstanceId,
  message: ConversationMessage,
): Promise<void> {
  const locked = await lockInstance(work.tx, deps.lease, id);
  // An ended conversation's row is not updated when its last message is sent, so `unsent` is read again.
  const row = { ...locked, unsent: await hasUnsent(work.tx, deps.lease.account, id) };
  await lockContact(deps, work, row.contact_id);
  const isTaken = await isContactTaken(deps, work, row.contact_id);
  if (isTaken || !isTerminal(row.state))
    throw new TransactionConflict('another conversation began');
  await appendHeardMessage(deps, work, row, 'contact', message);
  await applyEvents(deps, work, row, [
    { type: 'late_reply', policy: deps.settings.agent.late_replies },
  ]);
}

export async function onOwnerTakeover(
  deps: ConversationDeps,
  work: UnitOfWork,
  id: InstanceId,
  message: ConversationMessage,
): Promise<void> {
  const row = await lockOpen(deps, work, id);
  await appendHeardMessage(deps, work, row, 'manual', message);
  // A paused conversation is already the owner's: there is nothing to take over, but streams still get the new line.
  if (!legalEvents(row.state).includes('owner_takeover')) {
    const line = { kind: 'conversation.line', subject: row.id, data: { role: 'manual' } };
    return appendEvent(work.tx, row.account_id, line);
  }
  await applyEvents(deps, work, row, [{ type: 'owner_takeover' }]);
}

/** The conversation may have ended since it was found; then the message is routed again. */
async function lockOpen(
  deps: ConversationDeps,
  work: UnitOfWork,
  id: InstanceId,
): Promise<InstanceRow> {
  const row = await lockInstance(work.tx, deps.lease, id);
  if (isTerminal(row.state)) throw new TransactionConflict('it ended meanwhile');
  return row;
}

async function appendHeardMessage(
  deps: ConversationDeps,
  work: UnitOfWork,
  row: InstanceRow,
  role: 'contact' | 'manual',
  { id, body }: ConversationMessage,
): Promise<void> {
  await appendTranscriptLine(work, row, { role, content: body, message_id: id });
  work.afterCommit.push(() => {
    deps.log.debug('message received', { instance: row.id, message: id, from: role, body });
  });
}
