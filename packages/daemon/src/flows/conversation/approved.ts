// What the owner said yes to: exactly those words are said, as the agent's, and the conversation that was
// waiting for the yes goes on. Part of the gate's transaction, so a refusal here undoes the yes.
import { RelayError } from '@relay/core/errors';
import { REASONS } from '@relay/core/policy/reasons';
import type { ApprovedMessage, CarryOutApproved } from '../../gate/carry-out.ts';
import { apply } from './apply.ts';
import { create } from './create.ts';
import { lockInstance } from './rows.ts';
import { askGate } from './send.ts';
import type { ConversationWorld, Work } from './work.ts';
import { within } from './work.ts';

export function carryOutApproved(world: ConversationWorld): CarryOutApproved {
  return {
    sendInConversation: (tx, message) =>
      within(world, tx, (work) => sendApproved(world, work, message)),
    createConversation: (tx, { approval, actor, request }) =>
      within(world, tx, async (work) => {
        const created = await create(world, work, request, actor, { approval });
        if (created instanceof RelayError) throw created;
      }),
  };
}

export async function sendApproved(
  world: ConversationWorld,
  work: Work,
  { approval, instance, text, followUp }: ApprovedMessage,
): Promise<void> {
  const row = await lockInstance(work.tx, world.lease, instance);
  if (row.state !== 'NEEDS_HUMAN_INTERVENTION') {
    throw new RelayError('conflict', {
      what: `The conversation is ${row.state} and no longer waits for this message. Reject it; the agent writes anew.`,
    });
  }
  const speech = { role: 'agent', text, followUp } as const;
  const { outcome, reason } = await askGate(world, work, row, speech, approval);
  if (outcome !== 'allow') throw new RelayError('denied', { reason: REASONS[reason].sentence });
  await apply(
    world,
    work,
    row,
    [
      { type: 'resume', contactIsFree: false },
      { type: 'message_sent', texts: [text] },
    ],
    { approval, followUp },
  );
}
