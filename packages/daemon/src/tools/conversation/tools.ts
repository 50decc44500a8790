// The six tools of a delegated conversation, and there is no seventh. They are bound to one draft of one
// conversation: no argument names a person, a chat or a file.
import { trusted } from '@relay/core/agent/labelled';
import { type Todo, todoSchema } from '@relay/core/api/instances';
import { written } from '@relay/core/api/written';
import { z } from 'zod';
import { type AgentTool, type ToolAnswer, tool } from '../../agent/tool.ts';
import type { Draft } from './draft.ts';

const MOST_MESSAGES = 5;
const MOST_CHARACTERS = 4_096;
const MOST_REASON = 500;
const SECOND = 1_000;
const DAY = 24 * 60 * 60 * SECOND;

export interface ConversationToolsOptions {
  readonly draft: Draft;
  readonly todos: readonly Todo[];
  /** The agent wanted to call; nobody can yet. */
  onCall(): void;
}

/** Relay's own words. */
const says = (text: string): ToolAnswer => ({ text: trusted(text) });

const SCHEMAS = {
  send_message: z.strictObject({
    text: written(MOST_CHARACTERS).describe('What the contact reads, word for word.'),
  }),
  mark_todo_item: z.strictObject({
    todo_id: z.string().max(200).describe('The id of the todo, as given in the list.'),
    status: todoSchema.shape.status,
  }),
  end_conversation: z.strictObject({
    reason: written(MOST_REASON).describe('What came of it, in one sentence for the owner.'),
  }),
  schedule_next_heartbeat: z.strictObject({
    delay: z
      .int()
      .min(SECOND)
      .max(30 * DAY)
      .describe('Milliseconds from now: 1000 (one second) to 2592000000 (30 days).'),
  }),
  place_call: z.strictObject({}),
  request_human_intervention: z.strictObject({
    reason: written(MOST_REASON).describe('What the owner has to decide or do, in one sentence.'),
  }),
};

export function conversationTools(options: ConversationToolsOptions): AgentTool[] {
  const { draft, todos } = options;
  return [
    tool({
      name: 'send_message',
      description:
        'Sends a WhatsApp message to the contact of this conversation. Nothing else you write reaches them.',
      schema: SCHEMAS.send_message,
      run({ text }) {
        if (draft.messages.includes(text))
          return says('You have already sent exactly this; it is sent once.');
        if (draft.messages.length >= MOST_MESSAGES)
          return says(
            `Error: ${MOST_MESSAGES} messages are the most for one turn. Wait for a reply.`,
          );
        draft.messages.push(text);
        return says('The message will be sent when this turn ends.');
      },
    }),
    tool({
      name: 'mark_todo_item',
      description: 'Records how far a todo of the objective is.',
      schema: SCHEMAS.mark_todo_item,
      run({ todo_id, status }) {
        if (!todos.some(({ id }) => id === todo_id))
          return says('Error: there is no todo with this id.');
        draft.todos.set(todo_id, status);
        return says(`The todo is ${status}.`);
      },
    }),
    tool({
      name: 'end_conversation',
      description:
        'Ends this conversation for good, when the objective is met or cannot be met. Send a farewell first if one is due.',
      schema: SCHEMAS.end_conversation,
      run({ reason }) {
        draft.end = reason;
        return { ...says('The conversation ends.'), stop: true };
      },
    }),
    tool({
      name: 'schedule_next_heartbeat',
      description:
        'Sets when you will be woken to follow up, should the contact not have answered by then.',
      schema: SCHEMAS.schedule_next_heartbeat,
      run({ delay }) {
        draft.nextHeartbeatMs = delay;
        return says('You will be woken then, unless the contact answers before.');
      },
    }),
    tool({
      name: 'place_call',
      description: 'Calls the contact by phone. Not yet available.',
      schema: SCHEMAS.place_call,
      run() {
        options.onCall();
        return says('Calls are not yet available. Write a message instead.');
      },
    }),
    tool({
      name: 'request_human_intervention',
      description:
        'Asks the owner to step in, when you cannot or must not go on alone. The conversation waits for them.',
      schema: SCHEMAS.request_human_intervention,
      run({ reason }) {
        draft.intervene = reason;
        return { ...says('The owner is asked.'), stop: true };
      },
    }),
  ];
}
