// Schemas and service of the owner's assistant: questions, the events of an answer, and the history.
import { z } from 'zod';
import { APPROVAL_STATES, approvalSchema } from './approvals.ts';
import { boundedText } from './common.ts';
import { MAX_ASSISTANT_QUESTION_LENGTH } from './constants.ts';

export const askAssistantSchema = z.strictObject({
  text: boundedText(MAX_ASSISTANT_QUESTION_LENGTH),
  /** The answer is completed also if the request is closed. `POST /api/assistant/stop` stops it. */
  background: z.boolean().default(false),
});

/** Events in the order they happen. Exactly one `done` or `error` comes, and it is the last. */
const assistantEventSchema = z.discriminatedUnion('type', [
  /** The model is called; `question` is the question's line in the history. A slash command has no such event. */
  z.object({ type: z.literal('run'), id: z.string(), question: z.string() }),
  z.object({ type: z.literal('text'), delta: z.string() }),
  /** The model broke off and is called again: discard the text since the last event of another type. */
  z.object({ type: z.literal('text_reset') }),
  z.object({
    type: z.literal('tool_call'),
    id: z.string(),
    name: z.string(),
    arguments: z.unknown(),
  }),
  /** The result as the model received it. */
  z.object({ type: z.literal('tool_result'), id: z.string(), result: z.string() }),
  /** An approval is pending. The tool call continues when the owner has decided, or after two minutes. */
  z.object({ type: z.literal('approval'), approval: approvalSchema }),
  /** The whole answer, including what was streamed as `text`. */
  z.object({ type: z.literal('done'), text: z.string() }),
  z.object({ type: z.literal('error'), code: z.string(), message: z.string() }),
]);
export type AssistantEvent = z.infer<typeof assistantEventSchema>;

export const assistantLineSchema = z.object({
  id: z.string(),
  role: z.enum(['user', 'assistant']),
  content: z.string(),
  /** A slash command, or the answer to one. The model never sees it. */
  command: z.boolean(),
  at: z.string(),
  /** The run that produced this answer. */
  run: z.string().nullable(),
  /** The run's tool calls, in order. Of other people's text only the amount is given. */
  steps: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      arguments: z.unknown(),
      /** JSON as the model received it, without other people's text. */
      result: z.string().nullable(),
      /** If the result is that the owner was asked: what they decided since. */
      approval: z.enum(APPROVAL_STATES).nullable(),
    }),
  ),
  /** The chats whose messages may have influenced the answer: what was read for it and for what it remembers. */
  sources: z.array(z.object({ chat_id: z.string(), name: z.string(), is_group: z.boolean() })),
  /** Whether content from outside WhatsApp may have influenced the answer. */
  outside: z.boolean(),
});
export type AssistantLine = z.infer<typeof assistantLineSchema>;

export const listAssistantLinesSchema = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  /** The id of a line: returns what comes before it. */
  before: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
});
export type ListAssistantLines = z.infer<typeof listAssistantLinesSchema>;

// The assistant service, implemented by features/assistant. The owner's own chat on WhatsApp, the terminal and the
// console share one session.

interface AssistantQuestion {
  readonly session: 'owner';
  /** The text as typed. Text that begins with / is a command and never reaches the model. */
  readonly text: string;
  /** Where the question was asked. In a chat the owner is present and is asked before anything is sent. */
  readonly channel: 'chat';
}

export type AssistantSink = (event: AssistantEvent) => void;

export interface AssistantService {
  /**
   * Resolves after the last event, `done` or `error`. Waits for a running turn of the same session. Aborting the signal
   * ends the turn; what it has done by then stays done.
   */
  ask(question: AssistantQuestion, sink: AssistantSink, signal: AbortSignal): Promise<void>;
  /** The last lines of the session, or the lines before a given one; oldest first. */
  history(which: ListAssistantLines): Promise<readonly AssistantLine[]>;
  /** Stops the running turn, if there is one; what it has done by then stays done. */
  stop(): Promise<void>;
  /** Starts a new session that remembers nothing said or read before. */
  reset(): Promise<void>;
}
