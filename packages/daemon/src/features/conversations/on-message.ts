// What is said from outside: the contact's words, into the transcript in every state and to the agent when
// it is its turn; and the owner's own, typed on a phone, which take the conversation out of Relay's hands.
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

/** The conversation had ended; by the owner's setting it is reopened, or they are asked. */
export async function onLateReply(
  deps: ConversationDeps,
  work: UnitOfWork,
  id: InstanceId,
  message: ConversationMessage,
): Promise<void> {
  const locked = await lockInstance(work.tx, deps.lease, id);
  // What became of its farewell is not written to a conversation that has ended.
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
  // One that is paused already is the owner's: nothing more is taken over, and there is a new line all the same.
  if (!legalEvents(row.state).includes('owner_takeover')) {
    const line = { kind: 'conversation.line', subject: row.id, data: { role: 'manual' } };
    return appendEvent(work.tx, row.account_id, line);
  }
  await applyEvents(deps, work, row, [{ type: 'owner_takeover' }]);
}

/** It may have come to its end since it was found: then the message is somebody else's, or nobody's. */
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
    deps.log.debug('message heard', { instance: row.id, message: id, from: role, body });
  });
}
