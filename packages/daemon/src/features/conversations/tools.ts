// The six tools of a conversation's agent. They write to one draft of one conversation: no argument can name a person
// or a chat, and a file only by its place among those that the owner attached.
// Invariant: the draft contains a result only if it is valid for the conversation's schema.

import { boundedText } from '@relay/contract/api/common';
import { CONVERSATION_LIMITS } from '@relay/contract/api/constants';
import { type Todo, todoSchema } from '@relay/contract/api/instances';
import {
  findResultProblems,
  formatProblem,
  type ResultSchema,
} from '@relay/contract/conversation/result';
import { prompt, trustedText, untrustedText } from '@relay/core/agent/labelled-text';
import { toStorableValue } from '@relay/core/messages/text';
import { isTainted, type Taint } from '@relay/core/policy/facts';
import type { TurnResult } from '@relay/core/ports/agent-turn';
import { z } from 'zod';
import { type AgentTool, defineAgentTool, type ToolResult } from '../../models/agent/tools.ts';

const MOST_MESSAGES = 5;
const MOST_CHARACTERS = 4_096;
const MOST_REASON = 500;
const MOST_RESULTS = 3;

interface ConversationToolsOptions {
  readonly draft: TurnDraft;
  readonly todos: readonly Todo[];
  /** How many files the owner attached. */
  readonly files: number;
  readonly resultSchema: ResultSchema | null;
  /** The taint of the result's schema, like that of the whole task. */
  readonly taskFrom: Taint;
  /** Called when the agent wants to call by phone, which is not available yet. */
  onCall(): void;
}

/** A result in Relay's own words, hence trusted. */
const relaySays = (text: string): ToolResult => ({ text: trustedText(text) });

const SCHEMAS = {
  send_message: z.strictObject({
    text: boundedText(MOST_CHARACTERS).describe('The exact text that the contact reads.'),
  }),
  mark_todo_item: z.strictObject({
    todo_id: z.string().max(200).describe('The id of the todo, as given in the list.'),
    status: todoSchema.shape.status,
  }),
  end_conversation: z.strictObject({
    reason: boundedText(MOST_REASON).describe('The outcome, in one sentence for the owner.'),
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

/** With attached files: a file instead of a text, or with it as its caption. */
const withFile = (files: number) =>
  SCHEMAS.send_message.partial().extend({
    file: z.int().min(1).max(files).optional().describe('The number of an attached file.'),
  });

const END_DESCRIPTION =
  'Ends this conversation for good, when the objective is met or cannot be met. Send a farewell first if one is due.';

export function conversationTools(options: ConversationToolsOptions): AgentTool[] {
  const { draft, todos, files, resultSchema, taskFrom } = options;
  return [
    defineAgentTool({
      name: 'send_message',
      description:
        'Sends a WhatsApp message to the contact of this conversation. Nothing else you write reaches them.',
      schema: files === 0 ? SCHEMAS.send_message : withFile(files),
      run(input) {
        const { text = '', file = null } = input as { text?: string; file?: number };
        if (text === '' && file === null) return relaySays('Error: give a text or a file.');
        if (isInDraft(draft, text, file))
          return relaySays('You have already sent exactly this; it is sent once.');
        if (draft.messages.length >= MOST_MESSAGES)
          return relaySays(
            `Error: ${MOST_MESSAGES} messages are the most for one turn. Wait for a reply.`,
          );
        draft.messages.push(text);
        draft.attached.push(file);
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
    resultSchema === null
      ? defineAgentTool({
          name: 'end_conversation',
          description: END_DESCRIPTION,
          schema: SCHEMAS.end_conversation,
          run({ reason }) {
            draft.end = reason;
            return { ...relaySays('The conversation ends.'), stop: true };
          },
        })
      : endWithResultTool(draft, resultSchema, taskFrom),
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

// The end of a conversation with a result. A value that does not match the schema is refused with the reasons; after
// the last try the conversation ends without a result.

function endWithResultTool(draft: TurnDraft, schema: ResultSchema, taskFrom: Taint): AgentTool {
  let refused = 0;
  return defineAgentTool({
    name: 'end_conversation',
    description: `${END_DESCRIPTION} Give its result too.`,
    schema: SCHEMAS.end_conversation
      .extend({ result: z.unknown().optional().meta(resultArgument(schema, taskFrom)) })
      // A missing result is counted as a try, so it must not be refused before.
      .meta({ required: ['reason', 'result'] }),
    run({ reason, result }) {
      const ends = { ...relaySays('The conversation ends.'), stop: true } as const;
      const given = result === null ? null : checkedResult(schema, result);
      if (given !== null && 'problems' in given) {
        refused += 1;
        if (refused < MOST_RESULTS) {
          const problems = untrustedText(given.problems.join('; '), taskFrom);
          return {
            text: prompt`Error: the conversation goes on, because the result is not valid: ${problems}. Correct it, or give null if the contact did not tell what it needs.`,
          };
        }
      }
      draft.end = reason;
      draft.result = given;
      return ends;
    },
  });
}

/** The schema as the argument's type. What a client wrote must not be part of a tool's description. */
function resultArgument(schema: ResultSchema, taskFrom: Taint): Readonly<Record<string, unknown>> {
  const description =
    'The result, only from what the contact told; null if that does not suffice for a valid one.';
  const { $schema: _dialect, ...typed } = isTainted(taskFrom) ? { type: 'object' } : schema;
  return { description, anyOf: [typed, { type: 'null' }] };
}

/** The value in the form in which it is stored; its depth is known to be small before it is converted. */
function checkedResult(schema: ResultSchema, value: unknown): TurnResult {
  if (value === undefined) return { problems: ['it is missing'] };
  const problems = findResultProblems(schema, value);
  const stored = problems.length === 0 ? toStorableValue(value) : value;
  const found = problems.length === 0 ? findResultProblems(schema, stored) : problems;
  return found.length === 0
    ? { value: stored as Readonly<Record<string, unknown>> }
    : { problems: found.map(formatProblem) };
}

// The draft of a turn. Tools write only here: nothing takes effect until the turn commits it, and it names no recipient
// because there is only one contact.

export interface TurnDraft {
  readonly messages: string[];
  /** For each message the file that it is the caption of. */
  readonly attached: (number | null)[];
  readonly todos: Map<Todo['id'], Todo['status']>;
  nextHeartbeatMs: number | null;
  end: string | null;
  /** Given with `end`; null if the agent had none. */
  result: TurnResult | null;
  intervene: string | null;
}

export const emptyDraft = (): TurnDraft => ({
  messages: [],
  attached: [],
  todos: new Map(),
  nextHeartbeatMs: null,
  end: null,
  result: null,
  intervene: null,
});

const isInDraft = ({ messages, attached }: TurnDraft, text: string, file: number | null): boolean =>
  messages.some((said, at) => said === text && (attached[at] ?? null) === file);

/** Whether the draft says how the conversation continues. */
export const isDraftSettled = ({ messages, nextHeartbeatMs, end, intervene }: TurnDraft): boolean =>
  messages.length > 0 || nextHeartbeatMs !== null || end !== null || intervene !== null;
