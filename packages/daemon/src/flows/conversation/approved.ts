// What the owner approved, carried out in its conversation: the very words go through the gate with the
// owner's yes, and into the transcript.
import { RelayError } from '@relay/core/errors';
import { REASONS } from '@relay/core/policy/reasons';
import type { CarryOutApproved } from '../../gate/carry-out.ts';
import { create } from './create.ts';
import { lockInstance } from './rows.ts';
import type { ConversationWorld, Work } from './work.ts';

export function carryOutApproved(world: ConversationWorld): CarryOutApproved {
  const { account } = world.lease;
  const after = (work: Work) => () => {
    for (const tell of work.told) tell();
    for (const queue of work.filled) world.jobs.hint(queue);
    world.gate.hint();
  };
  return {
    async sendInConversation(tx, { approval, instance, chat, text, followUp }) {
      const work: Work = { tx, filled: new Set(), told: [] };
      const row = await lockInstance(tx, world.lease, instance);
      const { decision, message } = await world.gate.submit(
        tx,
        { kind: 'conversation', instance, chat },
        { kind: 'send_message', chat, text, followUp },
        {
          approval,
          conversation: {
            instance,
            chat: row.chat_id,
            contact: row.contact_id,
            ended: false,
            firstContactApproved: true,
          },
        },
      );
      if (message === null) {
        throw new RelayError('denied', { reason: REASONS[decision.reason].sentence });
      }
      await tx
        .insertInto('instance_messages')
        .values({
          account_id: account,
          instance_id: instance,
          role: 'agent',
          content: text,
          outbox_id: message.id,
        })
        .execute();
      return after(work);
    },
    async createConversation(tx, { approval, actor, request }) {
      const work: Work = { tx, filled: new Set(), told: [] };
      const created = await create(world, work, request, actor, { approval });
      if (created instanceof RelayError) throw created;
      return after(work);
    },
  };
}
