// The API's view of a delegated conversation: names and shapes as seed 003 gives them.
import { z } from 'zod';
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
  /** Where it is held. */
  chat_id: z.string(),
  /** Who began it: `owner`, or a program as `token:<id>`. */
  created_by: z.string(),
});

/** With what the owner sees of it at a glance: who it is with, and whose turn it is. */
export const listedInstanceSchema = instanceSchema.extend({
  contact_id: z.uuid(),
  /** Yours for them if they have one, else the one that WhatsApp tells. */
  contact_name: z.string().nullable(),
  /** The owner's whenever an approval is held, whatever the state. */
  turn: z.enum(TURNS),
  /** The approval that it waits for. */
  approval_id: z.uuid().nullable(),
});

const numbered = <Key extends string>(keys: readonly Key[]) =>
  z.object(Object.fromEntries(keys.map((key) => [key, z.int()])) as Record<Key, z.ZodInt>);

/** As whatever it belongs to, a chat or a person, lists it. */
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
  /** Those that wait for a yes, whatever their state. */
  holding_approval: z.int(),
});

export const transcriptLineSchema = z.object({
  id: z.string(),
  instance_id: z.uuid(),
  role: z.enum(['agent', 'contact', 'system', 'manual']),
  content: z.string(),
  timestamp: z.iso.datetime(),
  /** How far a message of ours has come; null for a line that is none. */
  delivery: z.enum(OUTBOX_STATES).nullable(),
  /** While the limits on first contacts hold it back: when it can leave at the earliest. */
  queued_until: z.iso.datetime().optional(),
  /** The id WhatsApp knows it by; null for a line that is no message. */
  message_id: z.string().nullable(),
});

const lineId = z.string().regex(/^\d{1,15}$/, 'It is not the id of a line');

export const transcriptQuerySchema = z
  .strictObject({
    /** Only what comes after the line of this id. */
    after: lineId.optional(),
    /** Only what comes before the line of this id. */
    before: lineId.optional(),
    /** The last so many; after a line, the first. All of them unless given. */
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
  /** The program that caused it, as `token:<id>`; null for everybody else. */
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
  heartbeat_config: heartbeatConfigSchema.partial().optional(),
});

export const createInstanceResponseSchema = z.object({ id: z.uuid(), state: instanceStateSchema });
export const sendMessageSchema = z.strictObject({
  message: boundedText(CONVERSATION_LIMITS.message),
});

export const listInstancesSchema = z.strictObject({
  state: instanceStateSchema.optional(),
  limit: z.coerce.number().int().min(1).max(500).optional(),
  /** Whose turn it is. */
  turn: z.enum(TURNS).optional(),
  /** The id of a contact. */
  contact: z.uuid().optional(),
  /** In the objective, or in the name or number of the contact. */
  words: z.string().trim().min(1).max(200).optional(),
  /** The newest first unless said; or whatever changed last. */
  order: z.enum(['newest', 'changed']).optional(),
  /** The id of the last instance of the page before. */
  after: z.uuid().optional(),
  /** By change: when the last instance of the page before had changed, as it was told; it may have moved since. */
  changed_before: z.iso.datetime().optional(),
  /** How the id begins. */
  id_prefix: z
    .string()
    .regex(/^[0-9a-f][0-9a-f-]{3,35}$/i, 'It is not the beginning of an id')
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

// The verbs of delegated conversations, as routes, commands and other agents call them.
// Implemented by flows/conversation; every refusal is a RelayError from the one table.

export interface ConversationService {
  /** The same key with the same request again answers what the first was answered. */
  create(request: CreateInstanceRequest, key?: string): Promise<CreateInstanceResponse>;
  list(query: ListInstancesQuery): Promise<readonly ListedInstance[]>;
  /** How many there are of each state and of each turn. */
  counts(): Promise<InstanceCounts>;
  get(id: InstanceId): Promise<ListedInstance>;
  /** The oldest line first, whichever part of it is asked for. */
  transcript(id: InstanceId, query?: TranscriptQuery): Promise<readonly TranscriptLine[]>;
  /** Every change of state, the oldest first. */
  transitions(id: InstanceId): Promise<readonly StateTransition[]>;
  cancel(id: InstanceId): Promise<ConversationInstance>;
  pause(id: InstanceId): Promise<ConversationInstance>;
  resume(id: InstanceId): Promise<ConversationInstance>;
  /** The same key with the same message again sends nothing and answers with the line that there is. */
  send(id: InstanceId, message: string, key?: string): Promise<TranscriptLine>;
}

// How many conversations there are of each state, folded into whose turn it is. Pure; every state and turn is told,
// with zero where there is none.

interface Counted {
  readonly state: InstanceState;
  readonly n: number;
  /** Of these, how many hold an approval. */
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
