// The owner's assistant as the API speaks of it: what is asked, what is told while it answers, and what
// was said before.
import { z } from 'zod';
import { approvalSchema } from './approvals.ts';
import { boundedText } from './common.ts';
import { MAX_ASSISTANT_QUESTION_LENGTH } from './constants.ts';

export const askAssistantSchema = z.strictObject({
  text: boundedText(MAX_ASSISTANT_QUESTION_LENGTH),
});

/** In the order it happens. The last one is `done` or `error`, and there is exactly one of them. */
const assistantEventSchema = z.discriminatedUnion('type', [
  /** The model is asked, and which line of the history that was. Not there for a slash command, which needs none. */
  z.object({ type: z.literal('run'), id: z.string(), question: z.string() }),
  z.object({ type: z.literal('text'), delta: z.string() }),
  /** The model broke off and is asked again: the text since the last other event does not count. */
  z.object({ type: z.literal('text_reset') }),
  z.object({
    type: z.literal('tool_call'),
    id: z.string(),
    name: z.string(),
    arguments: z.unknown(),
  }),
  /** What the model was told, as it was told. */
  z.object({ type: z.literal('tool_result'), id: z.string(), result: z.string() }),
  /** Waits for the owner's yes or no; the call goes on when it was given, or after two minutes. */
  z.object({ type: z.literal('approval'), approval: approvalSchema }),
  /** The whole answer, whatever came of it before as `text`. */
  z.object({ type: z.literal('done'), text: z.string() }),
  z.object({ type: z.literal('error'), code: z.string(), message: z.string() }),
]);
export type AssistantEvent = z.infer<typeof assistantEventSchema>;

export const assistantLineSchema = z.object({
  id: z.string(),
  role: z.enum(['user', 'assistant']),
  content: z.string(),
  /** Said to Relay itself: a slash command, or the answer to one. The model never sees it. */
  command: z.boolean(),
  at: z.string(),
  /** The turn that an answer came of. */
  run: z.string().nullable(),
  /** What that turn looked at and did, in order; of what others wrote only how much it was. */
  steps: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      arguments: z.unknown(),
      /** JSON, as the model was told it but for the words of others. */
      result: z.string().nullable(),
    }),
  ),
  /** Whose words it may be made of: what was read for it, and for what it remembers. */
  sources: z.array(z.object({ chat_id: z.string(), name: z.string(), is_group: z.boolean() })),
  /** Whether it may be made of what was read outside of WhatsApp, too. */
  outside: z.boolean(),
});
export type AssistantLine = z.infer<typeof assistantLineSchema>;

export const listAssistantLinesSchema = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  /** The id of a line: what was said before it. */
  before: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
});
export type ListAssistantLines = z.infer<typeof listAssistantLinesSchema>;

// The owner's assistant, as routes and commands speak to it. Implemented by flows/assistant. The owner's
// own chat on WhatsApp, the terminal and the console share one session.

interface AssistantQuestion {
  readonly session: 'owner';
  /** As it was typed; what begins with / is a command and never reaches the model. */
  readonly text: string;
  /** Where it was asked. In a chat somebody looks on, and is asked before anything is sent. */
  readonly channel: 'chat';
}

export type AssistantSink = (event: AssistantEvent) => void;

export interface AssistantService {
  /**
   * Resolves when the turn is over; the last event was `done` or `error`. A turn of the same session that
   * runs already is waited for. Aborting the signal ends the turn: what it has done by then stays done.
   */
  ask(question: AssistantQuestion, sink: AssistantSink, signal: AbortSignal): Promise<void>;
  /** The last lines of the session, or of what was said before one of them; oldest first. */
  history(which: ListAssistantLines): Promise<readonly AssistantLine[]>;
  /** A new session: nothing that was said before is remembered, nor what was read. */
  reset(): Promise<void>;
}
