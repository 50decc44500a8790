// What is said in a conversation: into the transcript, and through the gate under the conversation's own
// grant. A refusal is said in the transcript too, so that nobody waits for a message that never left.
import { isTerminal } from '@relay/core/conversation/states';
import type { Effect } from '@relay/core/conversation/transition';
import type { Actor } from '@relay/core/policy/actors';
import { REASONS } from '@relay/core/policy/reasons';
import type { InstanceRow, MessageRow } from './rows.ts';
import type { ConversationWorld, Work } from './work.ts';

export async function sendInConversation(
  world: ConversationWorld,
  work: Work,
  row: InstanceRow,
  { role, text }: Extract<Effect, { kind: 'send' }>,
): Promise<MessageRow> {
  const { account } = world.lease;
  const actor: Actor =
    role === 'manual'
      ? { kind: 'owner' }
      : { kind: 'conversation', instance: row.id, chat: row.chat_id };
  const { decision, message } = await world.gate.submit(
    work.tx,
    actor,
    { kind: 'send_message', chat: row.chat_id, text },
    {
      conversation: {
        instance: row.id,
        chat: row.chat_id,
        contact: row.contact_id,
        // As it stood when the agent spoke: a farewell still belongs to the conversation.
        ended: isTerminal(row.state),
        firstContactApproved: true,
      },
    },
  );
  if (message !== null) work.told.push(() => world.gate.hint());
  return work.tx
    .insertInto('instance_messages')
    .values({
      account_id: account,
      instance_id: row.id,
      role: message === null ? 'system' : role,
      content: message === null ? `Not sent: ${REASONS[decision.reason].sentence}` : text,
      outbox_id: message?.id ?? null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}
