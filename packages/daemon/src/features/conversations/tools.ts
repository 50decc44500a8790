// The six tools of a conversation's agent. They write to one draft of one conversation: no argument can name a person,
// a chat or a file.

import { boundedText } from '@relay/contract/api/common';
import { CONVERSATION_LIMITS } from '@relay/contract/api/constants';
import { type Todo, todoSchema } from '@relay/contract/api/instances';
import { trustedText } from '@relay/core/agent/labelled-text';
import { z } from 'zod';
import { type AgentTool, defineAgentTool, type ToolResult } from '../../models/agent/tools.ts';

const MOST_MESSAGES = 5;
const MOST_CHARACTERS = 4_096;
const MOST_REASON = 500;

interface ConversationToolsOptions {
  readonly draft: TurnDraft;
  readonly todos: readonly Todo[];
  /** Called when the agent wants to call by phone, which is not available yet. */
  onCall(): void;
}

/** A result in Relay's own words, hence trusted. */
const relaySays = (text: string): ToolResult => ({ text: trustedText(text) });

const SCHEMAS = {
  send_message: z.strictObject({
    text: boundedText(MOST_CHARACTERS).describe('What the contact reads, word for word.'),
  }),
  mark_todo_item: z.strictObject({
    todo_id: z.string().max(200).describe('The id of the todo, as given in the list.'),
    status: todoSchema.shape.status,
  }),
  end_conversation: z.strictObject({
    reason: boundedText(MOST_REASON).describe('What came of it, in one sentence for the owner.'),
  }),
  schedule_next_heartbeat: z.strictObject({
    delay: z
      .int()
      .min(CONVERSATION_LIMITS.shortestIntervalMs)
      .max(CONVERSATION_LIMITS.longestIntervalMs)
      .describe('Milliseconds from now: 1000 (one second) to 2592000000 (30 days).'),
  }),
  place_call: z.strictObject({}),
  request_human_intervention: z.strictObject({
    reason: boundedText(MOST_REASON).describe(
      'What the owner has to decide or do, in one sentence.',
    ),
  }),
};

export function conversationTools(options: ConversationToolsOptions): AgentTool[] {
  const { draft, todos } = options;
  return [
    defineAgentTool({
      name: 'send_message',
      description:
        'Sends a WhatsApp message to the contact of this conversation. Nothing else you write reaches them.',
      schema: SCHEMAS.send_message,
      run({ text }) {
        if (draft.messages.includes(text))
          return relaySays('You have already sent exactly this; it is sent once.');
        if (draft.messages.length >= MOST_MESSAGES)
          return relaySays(
            `Error: ${MOST_MESSAGES} messages are the most for one turn. Wait for a reply.`,
          );
        draft.messages.push(text);
        return relaySays('The message will be sent when this turn ends.');
      },
    }),
    defineAgentTool({
      name: 'mark_todo_item',
      description: 'Records how far a todo of the objective is.',
      schema: SCHEMAS.mark_todo_item,
      run({ todo_id, status }) {
        if (!todos.some(({ id }) => id === todo_id))
          return relaySays('Error: there is no todo with this id.');
        draft.todos.set(todo_id, status);
        return relaySays(`The todo is ${status}.`);
      },
    }),
    defineAgentTool({
      name: 'end_conversation',
      description:
        'Ends this conversation for good, when the objective is met or cannot be met. Send a farewell first if one is due.',
      schema: SCHEMAS.end_conversation,
      run({ reason }) {
        draft.end = reason;
        return { ...relaySays('The conversation ends.'), stop: true };
      },
    }),
    defineAgentTool({
      name: 'schedule_next_heartbeat',
      description:
        'Sets when you will be woken to follow up, should the contact not have answered by then.',
      schema: SCHEMAS.schedule_next_heartbeat,
      run({ delay }) {
        draft.nextHeartbeatMs = delay;
        return relaySays('You will be woken then, unless the contact answers before.');
      },
    }),
    defineAgentTool({
      name: 'place_call',
      description: 'Calls the contact by phone. Not yet available.',
      schema: SCHEMAS.place_call,
      run() {
        options.onCall();
        return relaySays('Calls are not yet available. Write a message instead.');
      },
    }),
    defineAgentTool({
      name: 'request_human_intervention',
      description:
        'Asks the owner to step in, when you cannot or must not go on alone. The conversation waits for them.',
      schema: SCHEMAS.request_human_intervention,
      run({ reason }) {
        draft.intervene = reason;
        return { ...relaySays('The owner is asked.'), stop: true };
      },
    }),
  ];
}

// The draft of a turn. Tools write only here: nothing takes effect until the turn commits it, and it names no recipient
// because there is only one contact.

export interface TurnDraft {
  readonly messages: string[];
  readonly todos: Map<Todo['id'], Todo['status']>;
  nextHeartbeatMs: number | null;
  end: string | null;
  intervene: string | null;
}

export const emptyDraft = (): TurnDraft => ({
  messages: [],
  todos: new Map(),
  nextHeartbeatMs: null,
  end: null,
  intervene: null,
});

/** Whether the draft says how the conversation continues. */
export const isDraftSettled = ({ messages, nextHeartbeatMs, end, intervene }: TurnDraft): boolean =>
  messages.length > 0 || nextHeartbeatMs !== null || end !== null || intervene !== null;
