// The owner's assistant as the API speaks of it: what is asked, what is told while it answers, and what
// was said before.
import { z } from 'zod';
import { approvalSchema } from './approvals.ts';
import { written } from './written.ts';

export const MOST_ASKED = 8_000;

export const askAssistantSchema = z.strictObject({ text: written(MOST_ASKED) });

/** In the order it happens. The last one is `done` or `error`, and there is exactly one of them. */
export const assistantEventSchema = z.discriminatedUnion('type', [
  /** The model was asked. Not there for a slash command, which needs none. */
  z.object({ type: z.literal('run'), id: z.string() }),
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
});
export type AssistantLine = z.infer<typeof assistantLineSchema>;

export const listAssistantLinesSchema = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
