// What the owner said yes to: exactly those words are said, as the agent's, and the conversation that was
// waiting for the yes goes on. Part of the gate's transaction, so a refusal here undoes the yes.
import { isTerminal } from '@relay/core/conversation/states';
import { RelayError } from '@relay/core/errors';
import type { InstanceId } from '@relay/core/ids';
import { REASONS } from '@relay/core/policy/reasons';
import type { ApprovedMessage, CarryOutInConversations } from '../../gate/carry-out.ts';
import type { Work } from '../../jobs/work.ts';
import { within } from '../../jobs/work.ts';
import { apply } from './apply.ts';
import { create, orDenied } from './create.ts';
import { lockInstance, saveInstance, toInstance } from './rows.ts';
import { appendLine, askGate } from './send.ts';
import type { ConversationWorld } from './work.ts';

export function carryOutApproved(world: ConversationWorld): CarryOutInConversations {
  return {
    sendInConversation: (tx, message) =>
      within(world, tx, (work) => sendApproved(world, work, message)),
    rejected: (tx, instance, reason) =>
      within(world, tx, (work) => noteRejected(world, work, instance, reason)),
    createConversation: (tx, { approval, actor, request }) =>
      within(world, tx, async (work) => {
        orDenied(await create(world, work, request, actor, { approval }));
      }),
  };
}

async function sendApproved(
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
  const { outcome, reason } = await askGate(world, work, row, speech, { approval });
  if (outcome !== 'allow') throw new RelayError('denied', { reason: REASONS[reason].sentence });
  await apply(
    world,
    work,
    row,
    [
      { type: 'resume', contactIsFree: false },
      { type: 'message_sent', texts: [text], followUp },
    ],
    { approval },
  );
}

/** It goes on asking for its owner, and its agent will know not to say that again. */
async function noteRejected(
  world: ConversationWorld,
  work: Work,
  instance: InstanceId,
  why: string | null,
): Promise<void> {
  const row = await lockInstance(work.tx, world.lease, instance);
  if (isTerminal(row.state)) return;
  const content = `The message that waited was rejected${why ? `: ${why}` : '.'}`;
  await appendLine(work, row, { role: 'system', content });
  if (row.state !== 'NEEDS_HUMAN_INTERVENTION') return;
  const reason = 'You rejected its message. Resume it to let it write anew, or write yourself.';
  await saveInstance(work.tx, world.lease, { ...toInstance(row), reason }, world.now());
}
