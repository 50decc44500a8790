// The API's view of a delegated conversation: names and shapes as seed 003 gives them.
import { z } from 'zod';
import { INSTANCE_STATES } from '../conversation/states.ts';
import { written } from './written.ts';

export const instanceStateSchema = z.enum(INSTANCE_STATES);

export const todoSchema = z.object({
  id: z.string(),
  text: z.string(),
  status: z.enum(['pending', 'in_progress', 'completed', 'skipped']),
});

export const heartbeatConfigSchema = z.object({
  interval_ms: z.int().min(1_000).max(2_592_000_000).default(1_800_000),
  max_followups: z.int().min(0).max(100).default(5),
});

export const instanceSchema = z.object({
  id: z.uuid(),
  objective: z.string(),
  target_contact: z.string(),
  todos: z.array(todoSchema),
  /** What may be told to the contact as it stands. */
  facts: z.array(z.string()),
  state: instanceStateSchema,
  previous_state: instanceStateSchema.nullable(),
  heartbeat_config: z.object({ interval_ms: z.int(), max_followups: z.int() }),
  follow_up_count: z.int(),
  failure_reason: z.string().nullable(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  /** When the next follow-up is due, if a timer runs. */
  next_follow_up_at: z.iso.datetime().nullable(),
  /** Why it stands where it stands, in one sentence. */
  reason: z.string(),
});

export const transcriptMessageSchema = z.object({
  id: z.string(),
  instance_id: z.uuid(),
  role: z.enum(['agent', 'contact', 'system', 'manual']),
  content: z.string(),
  timestamp: z.iso.datetime(),
});

export const stateTransitionSchema = z.object({
  instance_id: z.uuid(),
  from_state: instanceStateSchema,
  to_state: instanceStateSchema,
  /** The event that caused it. */
  trigger: z.string(),
  timestamp: z.iso.datetime(),
});

export const createInstanceSchema = z.strictObject({
  objective: written(4_000),
  target_contact: written(64),
  todos: z
    .array(z.strictObject({ text: written(500) }))
    .max(50)
    .default([]),
  facts: z.array(written(500)).max(50).optional(),
  heartbeat_config: heartbeatConfigSchema.partial().optional(),
});

export const createInstanceResponseSchema = z.object({ id: z.uuid(), state: instanceStateSchema });
export const sendMessageSchema = z.strictObject({ message: written(5_000) });

export const listInstancesSchema = z.strictObject({
  state: instanceStateSchema.optional(),
  limit: z.coerce.number().int().min(1).max(500).optional(),
  /** The id of the last instance of the page before. */
  after: z.uuid().optional(),
});

export type Todo = z.infer<typeof todoSchema>;
export type ConversationInstance = z.infer<typeof instanceSchema>;
export type TranscriptMessage = z.infer<typeof transcriptMessageSchema>;
export type StateTransition = z.infer<typeof stateTransitionSchema>;
export type CreateInstanceRequest = z.infer<typeof createInstanceSchema>;
export type CreateInstanceResponse = z.infer<typeof createInstanceResponseSchema>;
export type ListInstancesQuery = z.infer<typeof listInstancesSchema>;
