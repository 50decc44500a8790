// What is said from outside: the contact's words, into the transcript in every state and to the agent when
// it is its turn; and the owner's own, typed on a phone, which take the conversation out of Relay's hands.
import { isTerminal } from '@relay/core/conversation/states';
import { legalEvents } from '@relay/core/conversation/table';
import type { InstanceId, MessageId } from '@relay/core/ids';
import { hasUnsent } from '../../gate/unsent.ts';
import type { Work } from '../../jobs/work.ts';
import { Reconsider } from '../../jobs/work.ts';
import { appendEvent } from '../../store/events.ts';
import { apply, holdContact } from './apply.ts';
import { contactIsTaken } from './create.ts';
import type { InstanceRow } from './rows.ts';
import { lockInstance } from './rows.ts';
import { appendLine } from './send.ts';
import type { ConversationWorld } from './work.ts';

export interface Heard {
  readonly id: MessageId;
  readonly body: string;
}

export async function hearContact(
  world: ConversationWorld,
  work: Work,
  id: InstanceId,
  message: Heard,
): Promise<void> {
  const row = await lockOpen(world, work, id);
  await append(world, work, row, 'contact', message);
  await apply(world, work, row, [{ type: 'contact_replies' }]);
}

/** The conversation had ended; by the owner's setting it is reopened, or they are asked. */
export async function hearLateReply(
  world: ConversationWorld,
  work: Work,
  id: InstanceId,
  message: Heard,
): Promise<void> {
  const locked = await lockInstance(work.tx, world.lease, id);
  // What became of its farewell is not written to a conversation that has ended.
  const row = { ...locked, unsent: await hasUnsent(work.tx, world.lease.account, id) };
  await holdContact(world, work, row.contact_id);
  const isTaken = await contactIsTaken(world, work, row.contact_id);
  if (isTaken || !isTerminal(row.state)) throw new Reconsider('another conversation began');
  await append(world, work, row, 'contact', message);
  await apply(world, work, row, [
    { type: 'late_reply', policy: world.settings.agent.late_replies },
  ]);
}

export async function hearOwner(
  world: ConversationWorld,
  work: Work,
  id: InstanceId,
  message: Heard,
): Promise<void> {
  const row = await lockOpen(world, work, id);
  await append(world, work, row, 'manual', message);
  // One that is paused already is the owner's: nothing more is taken over, and there is a new line all the same.
  if (!legalEvents(row.state).includes('owner_takeover')) {
    const line = { kind: 'conversation.line', subject: row.id, data: { role: 'manual' } };
    return appendEvent(work.tx, row.account_id, line);
  }
  await apply(world, work, row, [{ type: 'owner_takeover' }]);
}

/** It may have come to its end since it was found: then the message is somebody else's, or nobody's. */
async function lockOpen(
  world: ConversationWorld,
  work: Work,
  id: InstanceId,
): Promise<InstanceRow> {
  const row = await lockInstance(work.tx, world.lease, id);
  if (isTerminal(row.state)) throw new Reconsider('it ended meanwhile');
  return row;
}

async function append(
  world: ConversationWorld,
  work: Work,
  row: InstanceRow,
  role: 'contact' | 'manual',
  { id, body }: Heard,
): Promise<void> {
  await appendLine(work, row, { role, content: body, message_id: id });
  work.told.push(() => {
    world.log.debug('message heard', { instance: row.id, message: id, from: role, body });
  });
}
