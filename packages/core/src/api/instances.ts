// The API's view of a delegated conversation: names and shapes as seed 003 gives them.
import { z } from 'zod';
import { HEARTBEAT_DEFAULTS, LIMITS } from '../conversation/limits.ts';
import { INSTANCE_STATES } from '../conversation/states.ts';
import { OUTBOX_STATES } from '../outbox/progress.ts';
import { written } from './written.ts';

export const instanceStateSchema = z.enum(INSTANCE_STATES);

export const todoSchema = z.object({
  id: z.string(),
  text: z.string(),
  status: z.enum(['pending', 'in_progress', 'completed', 'skipped']),
});

export const heartbeatConfigSchema = z.object({
  interval_ms: z
    .int()
    .min(LIMITS.shortestIntervalMs)
    .max(LIMITS.longestIntervalMs)
    .default(HEARTBEAT_DEFAULTS.interval_ms),
  max_followups: z.int().min(0).max(LIMITS.followups).default(HEARTBEAT_DEFAULTS.max_followups),
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
  /** Messages of the contact that no turn has read yet. */
  unread: z.int(),
});

const transcriptMessageSchema = z.object({
  id: z.string(),
  instance_id: z.uuid(),
  role: z.enum(['agent', 'contact', 'system', 'manual']),
  content: z.string(),
  timestamp: z.iso.datetime(),
});

export const transcriptLineSchema = transcriptMessageSchema.extend({
  /** How far a message of ours has come; null for a line that is none. */
  delivery: z.enum(OUTBOX_STATES).nullable(),
});

export const transcriptQuerySchema = z.strictObject({
  /** Only what comes after the line of this id. */
  after: z
    .string()
    .regex(/^\d{1,15}$/, 'It is not the id of a line')
    .optional(),
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
  objective: written(LIMITS.objective),
  target_contact: written(LIMITS.contact),
  todos: z
    .array(z.strictObject({ text: written(LIMITS.todo) }))
    .max(LIMITS.todos)
    .default([]),
  facts: z.array(written(LIMITS.fact)).max(LIMITS.facts).optional(),
  heartbeat_config: heartbeatConfigSchema.partial().optional(),
});

export const createInstanceResponseSchema = z.object({ id: z.uuid(), state: instanceStateSchema });
export const sendMessageSchema = z.strictObject({ message: written(LIMITS.message) });

export const listInstancesSchema = z.strictObject({
  state: instanceStateSchema.optional(),
  limit: z.coerce.number().int().min(1).max(500).optional(),
  /** The id of the last instance of the page before. */
  after: z.uuid().optional(),
  /** How the id begins. */
  id_prefix: z
    .string()
    .regex(/^[0-9a-f][0-9a-f-]{3,35}$/i, 'It is not the beginning of an id')
    .optional(),
});

export type Todo = z.infer<typeof todoSchema>;
export type ConversationInstance = z.infer<typeof instanceSchema>;
export type TranscriptMessage = z.infer<typeof transcriptMessageSchema>;
export type TranscriptLine = z.infer<typeof transcriptLineSchema>;
export type StateTransition = z.infer<typeof stateTransitionSchema>;
export type CreateInstanceRequest = z.infer<typeof createInstanceSchema>;
export type CreateInstanceResponse = z.infer<typeof createInstanceResponseSchema>;
export type ListInstancesQuery = z.infer<typeof listInstancesSchema>;
