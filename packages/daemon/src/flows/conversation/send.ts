// What is said in a conversation: through the gate under the conversation's own grant, and into the
// transcript. What the gate would refuse is asked before; an answer that changed meanwhile undoes it all.
import { isTerminal } from '@relay/core/conversation/states';
import type { Effect } from '@relay/core/conversation/transition';
import type { Actor } from '@relay/core/policy/actors';
import type { Decision } from '@relay/core/policy/reasons';
import type { Circumstances } from '../../gate/consider.ts';
import type { MessageToSend } from '../../gate/proposals.ts';
import type { Work } from '../../jobs/work.ts';
import { Reconsider } from '../../jobs/work.ts';
import type { InstanceRow, LineRow, MessageRow } from './rows.ts';
import type { ConversationWorld } from './work.ts';

export type Speech = Omit<Extract<Effect, { kind: 'send' }>, 'kind'>;

/** The run that says it, and the owner's yes to exactly these words, if it comes back with one. */
export type Behind = Pick<Circumstances, 'approval' | 'run'>;

export async function sendInConversation(
  world: ConversationWorld,
  work: Work,
  row: InstanceRow,
  speech: Speech,
  behind: Behind = {},
): Promise<LineRow> {
  const { role, text: content } = speech;
  const { message } = await world.gate.submit(work.tx, ...asSaid(row, speech, behind));
  if (message === null) throw new Reconsider('the gate refused what it had allowed');
  work.told.push(() => {
    world.gate.hint();
    const { messageId } = message;
    world.log.debug('message said', {
      instance: row.id,
      message: messageId,
      from: role,
      body: content,
    });
  });
  const line = await appendLine(work, row, { role, content, outbox_id: message.id });
  return { ...line, sent_id: message.messageId };
}

/** What the gate would say now, with the owner's yes or after other words of the same turn. Writes nothing. */
export function askGate(
  world: ConversationWorld,
  work: Work,
  row: InstanceRow,
  speech: Speech,
  { sayingBefore = [], ...behind }: Behind & Pick<Circumstances, 'sayingBefore'> = {},
): Promise<Decision> {
  const [actor, message, circumstances] = asSaid(row, speech, behind);
  // The first to be said is asked word for word as it is submitted: the gate then looks once.
  const before = sayingBefore.length === 0 ? {} : { sayingBefore };
  return world.gate.ask(work.tx, actor, message, { ...circumstances, ...before });
}

/** Puts on record what the gate does not let through: in the ledger and, if they may allow it, before the owner. */
export async function submitRefused(
  world: ConversationWorld,
  work: Work,
  row: InstanceRow,
  speech: Speech,
  behind: Behind = {},
): Promise<Decision> {
  const { decision } = await world.gate.submit(work.tx, ...asSaid(row, speech, behind));
  if (decision.outcome === 'allow') throw new Reconsider('the gate allowed what it had refused');
  return decision;
}

function asSaid(
  row: InstanceRow,
  { role, text, followUp }: Speech,
  behind: Behind,
): [Actor, MessageToSend, Circumstances] {
  return [
    role === 'manual'
      ? { kind: 'owner' }
      : { kind: 'conversation', instance: row.id, chat: row.chat_id },
    { kind: 'send_message', chat: row.chat_id, text, followUp },
    {
      conversation: {
        instance: row.id,
        chat: row.chat_id,
        contact: row.contact_id,
        // As it stood when the agent spoke: a farewell still belongs to the conversation.
        ended: isTerminal(row.state),
        firstContactApproved: true,
      },
      ...behind,
    },
  ];
}

export function appendLine(
  work: Work,
  row: InstanceRow,
  line: Pick<MessageRow, 'role' | 'content'> &
    Partial<Pick<MessageRow, 'outbox_id' | 'message_id'>>,
): Promise<MessageRow> {
  return work.tx
    .insertInto('instance_messages')
    .values({ account_id: row.account_id, instance_id: row.id, ...line })
    .returningAll()
    .executeTakeFirstOrThrow();
}
