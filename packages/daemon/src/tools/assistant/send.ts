// Sending: seed 001's `send_message` and seed 000's `whatsapp_send_message`. The same act in two shapes:
// one recipient that the owner has a record for, plain words, through the gate.
import { signed } from '@relay/core/agent/signature';
import { written } from '@relay/core/api/written';
import { z } from 'zod';
import { type AgentTool, tool } from '../../agent/tool.ts';
import type { Permitted } from '../../store/permitted.ts';
import { type Result, refusal } from './answers.ts';
import { ANSWER_WITHIN_MS, type Attempt, attempt, short } from './attempt.ts';
import { chatOf, whoIs } from './people.ts';
import type { ToolRun } from './run.ts';

const MOST_CHARACTERS = 4_096;
/** Somebody may be asked, and the call waits for them. */
export const waiting = (run: ToolRun) =>
  run.confirm === null ? {} : { timeoutMs: ANSWER_WITHIN_MS + 15_000 };

const SCHEMAS = {
  send_message: z.strictObject({
    phone_number: z
      .string()
      .max(128)
      .describe('The id of the chat as get_chats gives it, or a number in international format.'),
    message: written(MOST_CHARACTERS).describe('The text, word for word as it will be read.'),
  }),
  whatsapp_send_message: z.strictObject({
    phone: z.string().max(64).describe('International format, digits only, such as "14155551234".'),
    message: written(MOST_CHARACTERS).describe('The text to send.'),
  }),
};

export const sendTools = (run: ToolRun): AgentTool[] => [
  tool({
    name: 'send_message',
    description:
      'Sends a WhatsApp message to one chat at once. Look the chat up with get_chats first; never guess a number.',
    schema: SCHEMAS.send_message,
    ...waiting(run),
    run: (input, signal, id) =>
      attempt(run, { id, name: 'send_message', arguments: input }, signal, async (tx) => {
        const to = await whoIs(run, tx, input.phone_number);
        if ('refused' in to) return to;
        return sending(run, to, {
          chat: await chatOf(run, tx, to),
          text: input.message,
          done: () => ({ status: 'sent', to: to.address }),
          waits: (approval, why) => ({
            status: 'waiting_for_approval',
            to: to.address,
            approval_id: approval,
            note: notSent(approval, why),
          }),
        });
      }),
  }),
  tool({
    name: 'whatsapp_send_message',
    description:
      'Sends a WhatsApp message to a contact with canReply. Always confirm with the user before sending.',
    schema: SCHEMAS.whatsapp_send_message,
    ...waiting(run),
    run: (input, signal, id) =>
      attempt(run, { id, name: 'whatsapp_send_message', arguments: input }, signal, async (tx) => {
        const to = await whoIs(run, tx, input.phone);
        if ('refused' in to) return to;
        return sending(run, to, {
          chat: await chatOf(run, tx, to),
          text: input.message,
          done: () => ({ success: true, jid: to.address }),
          waits: (approval, why) => refusal(notSent(approval, why), { approval_id: approval }),
        });
      }),
  }),
];

export const notSent = (approval: string, why: string): string =>
  `Not sent: it waits for your owner's yes, who says it with /approve ${short(approval)}. ${why}`;

interface Message {
  readonly chat: NonNullable<Permitted['chat']>;
  readonly text: string;
  done(): Result;
  waits: Attempt['waits'];
}

function sending(run: ToolRun, to: Permitted, { chat, text, done, waits }: Message): Attempt {
  const { gate } = run.world;
  const quoted = `"${text.length > 80 ? `${text.slice(0, 79)}…` : text}" to ${to.name}`;
  // In the owner's own chat nobody may take it for the owner's words, not even after a restore.
  const words = to.kind === 'own' ? signed(text) : text;
  return {
    did: `sent ${quoted}`,
    would: `send ${quoted}`,
    submit: (tx, circumstances) =>
      gate.submit(tx, run.actor, { kind: 'send_message', chat, text: words }, circumstances),
    done,
    waits,
  };
}
