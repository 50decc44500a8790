// `create_conversation`: a conversation with one person, led by Relay's agent towards an objective. Decided by
// the gate as the program's own act; the person must have been granted to agents that start conversations.
import type { CreateInstanceRequest } from '@relay/core/api/instances';
import { heartbeatConfigSchema, instanceStateSchema } from '@relay/core/api/instances';
import { written } from '@relay/core/api/written';
import { LIMITS } from '@relay/core/conversation/limits';
import { RelayError } from '@relay/core/errors';
import { reasonSentence } from '@relay/core/policy/reasons';
import { z } from 'zod';
import { chatInput } from '../chat.ts';
import { once } from '../once.ts';
import { submit, WAITING } from '../submit.ts';
import { programTool } from '../tool.ts';
import { type Reached, someone, whoItIs } from '../who.ts';

const input = z.strictObject({
  chat_id: chatInput,
  objective: written(LIMITS.objective).describe(
    'What is to be reached, and what the agent has to know for it. The person is not shown it.',
  ),
  todos: z
    .array(z.strictObject({ text: written(LIMITS.todo) }))
    .max(LIMITS.todos)
    .default([])
    .describe('The steps on the way, each ticked off as it is done.'),
  facts: z
    .array(written(LIMITS.fact))
    .max(LIMITS.facts)
    .optional()
    .describe('What the person may be told as it stands.'),
  heartbeat_config: heartbeatConfigSchema
    .partial()
    .optional()
    .describe('How long an answer is waited for, and how often the person is reminded.'),
});

const output = z.object({
  status: z.enum(['created', 'waiting_for_approval']),
  id: z.uuid().optional().describe('Of the conversation; get_conversation tells how it goes.'),
  state: instanceStateSchema.optional(),
  ...WAITING,
});

export const createConversation = programTool({
  name: 'create_conversation',
  title: 'Start a conversation',
  description:
    'Start a WhatsApp conversation with one person that Relay’s own agent leads until its objective is reached: it writes, reads the answers, follows up, and asks the owner when it needs them. You do not write the messages yourself. If the owner has to agree first, the status is waiting_for_approval and nobody has been written to. For a single message use send_message.',
  scope: 'conversations:write',
  hints: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  input,
  output,
  async run(call, asked) {
    const { acts } = call.world;
    const { chat_id, ...rest } = asked;
    let told = () => {};
    const outcome = await submit(
      call,
      once(call, 'create_conversation', asked, async (tx) => {
        const who = await someone(call, chat_id, tx);
        const request = requestFor(who, rest);
        return {
          question: questionOf(who, request),
          async submit(tx, circumstances) {
            const went = await acts.createConversation(tx, call.actor, request, circumstances);
            const { made, after, ...decided } = went;
            told = after;
            return { ...decided, done: made && { status: 'created' as const, ...made } };
          },
        };
      }),
    );
    told();
    return outcome.status === 'done' ? outcome.done : outcome;
  },
});

function requestFor(
  { kind, phone, address }: Reached,
  { heartbeat_config, facts, ...rest }: Omit<z.output<typeof input>, 'chat_id'>,
): CreateInstanceRequest {
  if (kind !== 'direct') {
    throw new RelayError('denied', { reason: reasonSentence('direct_chats_only') });
  }
  return {
    ...rest,
    target_contact: phone === null ? address : `+${phone}`,
    ...(facts && { facts }),
    ...(heartbeat_config && { heartbeat_config }),
  };
}

const questionOf = (who: Reached, { objective, todos, facts = [] }: CreateInstanceRequest) =>
  [
    `Let Relay’s agent write to ${whoItIs(who)} until this is reached?`,
    `“${objective}”`,
    ...todos.map(({ text }) => `· ${text}`),
    ...facts.map((fact) => `May be told: ${fact}`),
  ].join('\n');
