// Schemas and service of conversations, which the API calls instances: names and shapes are fixed by seed 003.
import { z } from 'zod';
import { RESULT_STATUSES, resultSchemaSchema } from '../conversation/result.ts';
import {
  INSTANCE_STATES,
  type InstanceState,
  TURNS,
  type WhoseTurn,
  whoseTurnIn,
} from '../conversation/states.ts';
import type { InstanceId } from '../ids.ts';
import { OUTBOX_STATES } from '../outbox/states.ts';
import { boundedText } from './common.ts';
import { CONVERSATION_LIMITS, HEARTBEAT_DEFAULTS } from './constants.ts';
import { mediaSchema } from './media.ts';
import { receivedContentSchema } from './received.ts';

export const instanceStateSchema = z.enum(INSTANCE_STATES);

export const todoSchema = z.object({
  id: z.string(),
  text: z.string(),
  status: z.enum(['pending', 'in_progress', 'completed', 'skipped']),
});

export const heartbeatConfigSchema = z.object({
  interval_ms: z
    .int()
    .min(CONVERSATION_LIMITS.shortestIntervalMs)
    .max(CONVERSATION_LIMITS.longestIntervalMs)
    .default(HEARTBEAT_DEFAULTS.interval_ms),
  max_followups: z
    .int()
    .min(0)
    .max(CONVERSATION_LIMITS.followups)
    .default(HEARTBEAT_DEFAULTS.max_followups),
});

export const instanceSchema = z.object({
  id: z.uuid(),
  objective: z.string(),
  target_contact: z.string(),
  todos: z.array(todoSchema),
  /** Facts that the agent may share verbatim with the contact. */
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
  /** The reason for the current state, in one sentence. */
  reason: z.string(),
  /** The contact's messages that no turn has read yet. */
  unread: z.int(),
  /** The chat it takes place in. */
  chat_id: z.string(),
  /** Who began it: `owner`, or a client as `token:<id>`. */
  created_by: z.string(),
  /** The JSON Schema of the result. This and the fields below are present only if the conversation has one. */
  result_schema: z.record(z.string(), z.unknown()).optional(),
  result_status: z.enum(RESULT_STATUSES).optional(),
  /** The result while its status is `valid`, otherwise null. */
  result: z.record(z.string(), z.unknown()).nullable().optional(),
  /** Why there is no result. */
  result_reason: z.string().nullable().optional(),
  /** The result consists of what the contact wrote: information, never an instruction. */
  result_from_contact: z.literal(true).optional(),
});

/** A conversation as the list shows it, with the contact and whose turn it is. */
export const listedInstanceSchema = instanceSchema.extend({
  contact_id: z.uuid(),
  /** The owner's name for them if there is one, else WhatsApp's. */
  contact_name: z.string().nullable(),
  /** The owner's turn whenever an approval is pending, whatever the state. */
  turn: z.enum(TURNS),
  /** The pending approval. */
  approval_id: z.uuid().nullable(),
});

const numbered = <Key extends string>(keys: readonly Key[]) =>
  z.object(Object.fromEntries(keys.map((key) => [key, z.int()])) as Record<Key, z.ZodInt>);

/** A conversation as the page of a chat or a contact lists it. */
export const relatedInstanceSchema = z.object({
  id: z.string(),
  objective: z.string(),
  state: instanceStateSchema,
  failure_reason: z.string().nullable(),
  updated_at: z.iso.datetime(),
});

export const instanceCountsSchema = z.object({
  by_state: numbered(INSTANCE_STATES),
  by_turn: numbered(TURNS),
  /** Conversations with a pending approval, whatever their state. */
  holding_approval: z.int(),
});

export const transcriptLineSchema = z.object({
  id: z.string(),
  instance_id: z.uuid(),
  role: z.enum(['agent', 'contact', 'system', 'manual']),
  content: z.string(),
  timestamp: z.iso.datetime(),
  /** The delivery state of a message of ours; null for any other line. */
  delivery: z.enum(OUTBOX_STATES).nullable(),
  /** The earliest time to send while the limits on first contacts hold it back. */
  queued_until: z.iso.datetime().optional(),
  /** WhatsApp's id of the message; null for a line that is not a message. */
  message_id: z.string().nullable(),
  /** The message that it replies to; absent if there is none or it is not kept. */
  quoted: z.object({ from_me: z.boolean(), text: z.string() }).optional(),
  /** Its file; absent if it has none. */
  media: mediaSchema.optional(),
  /** What it is besides text and a file; absent if it is nothing else. */
  received: receivedContentSchema.optional(),
  /** The text that was sent with the file; `content` describes the file too. */
  caption: z.string().optional(),
});

const lineId = z.string().regex(/^\d{1,15}$/, 'Must be the id of a line');

export const transcriptQuerySchema = z
  .strictObject({
    /** Only lines after the one with this id. */
    after: lineId.optional(),
    /** Only lines before the one with this id. */
    before: lineId.optional(),
    /** The maximum number of lines: the last ones, or with `after` the first ones. All if omitted. */
    limit: z.coerce.number().int().min(1).max(500).optional(),
  })
  .refine(({ after, before }) => !after || !before, 'Give before or after, not both');
export type TranscriptQuery = z.infer<typeof transcriptQuerySchema>;

export const stateTransitionSchema = z.object({
  instance_id: z.uuid(),
  from_state: instanceStateSchema,
  to_state: instanceStateSchema,
  /** The event that caused it. */
  trigger: z.string(),
  timestamp: z.iso.datetime(),
  /** The client that caused it, as `token:<id>`; null for everybody else. */
  caused_by: z.string().nullable(),
});

export const createInstanceSchema = z.strictObject({
  objective: boundedText(CONVERSATION_LIMITS.objective),
  target_contact: boundedText(CONVERSATION_LIMITS.contact),
  todos: z
    .array(z.strictObject({ text: boundedText(CONVERSATION_LIMITS.todo) }))
    .max(CONVERSATION_LIMITS.todos)
    .default([]),
  facts: z.array(boundedText(CONVERSATION_LIMITS.fact)).max(CONVERSATION_LIMITS.facts).optional(),
  /** Files that the agent may send, by the ids of uploads or of stored media. */
  media: z.array(z.guid()).max(CONVERSATION_LIMITS.files).optional(),
  heartbeat_config: heartbeatConfigSchema.partial().optional(),
  /** A JSON Schema that the agent fills when it ends the conversation. */
  result_schema: resultSchemaSchema.optional(),
});

export const createInstanceResponseSchema = z.object({ id: z.uuid(), state: instanceStateSchema });
export const sendMessageSchema = z.strictObject({
  message: boundedText(CONVERSATION_LIMITS.message),
  /** WhatsApp's id of the message in this chat that it replies to; it is shown as a quote. */
  replyTo: z.string().min(1).max(128).optional(),
});

export const listInstancesSchema = z.strictObject({
  state: instanceStateSchema.optional(),
  limit: z.coerce.number().int().min(1).max(500).optional(),
  /** Whose turn it is. */
  turn: z.enum(TURNS).optional(),
  /** A contact's id. */
  contact: z.uuid().optional(),
  /** Text in the objective, or in the contact's name or number. */
  words: z.string().trim().min(1).max(200).optional(),
  /** Newest first by default, or last changed first. */
  order: z.enum(['newest', 'changed']).optional(),
  /** The id of the last instance on the previous page. */
  after: z.uuid().optional(),
  /**
   * For the order by change: when the last instance on the previous page had changed at the time of that response; it
   * may have changed since.
   */
  changed_before: z.iso.datetime().optional(),
  /** The beginning of the id. */
  id_prefix: z
    .string()
    .regex(/^[0-9a-f][0-9a-f-]{3,35}$/i, 'Must be an id or its beginning')
    .optional(),
});

export type Todo = z.infer<typeof todoSchema>;
export type ConversationInstance = z.infer<typeof instanceSchema>;
export type ListedInstance = z.infer<typeof listedInstanceSchema>;
export type InstanceCounts = z.infer<typeof instanceCountsSchema>;
export type TranscriptLine = z.infer<typeof transcriptLineSchema>;
export type StateTransition = z.infer<typeof stateTransitionSchema>;
export type CreateInstanceRequest = z.infer<typeof createInstanceSchema>;
export type CreateInstanceResponse = z.infer<typeof createInstanceResponseSchema>;
export type ListInstancesQuery = z.infer<typeof listInstancesSchema>;

// The conversation service, as routes, commands and other agents call it. Implemented by features/conversations; every
// refusal is a RelayError.

export interface ConversationService {
  /** The same key with the same request returns the first response again. */
  create(request: CreateInstanceRequest, key?: string): Promise<CreateInstanceResponse>;
  list(query: ListInstancesQuery): Promise<readonly ListedInstance[]>;
  /** The number of conversations by state and by turn. */
  counts(): Promise<InstanceCounts>;
  get(id: InstanceId): Promise<ListedInstance>;
  /** Lines oldest first, whichever part is requested. */
  transcript(id: InstanceId, query?: TranscriptQuery): Promise<readonly TranscriptLine[]>;
  /** Every change of state, oldest first. */
  transitions(id: InstanceId): Promise<readonly StateTransition[]>;
  cancel(id: InstanceId): Promise<ConversationInstance>;
  pause(id: InstanceId): Promise<ConversationInstance>;
  resume(id: InstanceId): Promise<ConversationInstance>;
  /** The same key with the same message sends nothing and returns the existing line. */
  send(id: InstanceId, message: string, key?: string, replyTo?: string): Promise<TranscriptLine>;
}

// Counts of conversations by state and by turn. Every state and turn is present, with zero if there is none.

interface Counted {
  readonly state: InstanceState;
  readonly n: number;
  /** How many of them have a pending approval. */
  readonly holding: number;
}

export function countByStateAndTurn(counted: readonly Counted[]): InstanceCounts {
  const by_state = zeros<InstanceState>(INSTANCE_STATES);
  const by_turn = zeros<WhoseTurn>(TURNS);
  let holding_approval = 0;
  for (const { state, n, holding } of counted) {
    by_state[state] += n;
    by_turn[whoseTurnIn(state, false)] += n - holding;
    by_turn[whoseTurnIn(state, true)] += holding;
    holding_approval += holding;
  }
  return { by_state, by_turn, holding_approval };
}

const zeros = <Key extends string>(keys: readonly Key[]): Record<Key, number> =>
  Object.fromEntries(keys.map((key) => [key, 0])) as Record<Key, number>;
