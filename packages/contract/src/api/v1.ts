// Schemas and service of version 1 of the API: one name for each field, snake_case, times in UTC that end in `_at`, and
// lists as pages. `reason` is always a code and `explanation` a sentence for people.
import { z } from 'zod';
import { REPLY_MODES } from '../contacts/grant-options.ts';
import { RESULT_STATUSES } from '../conversation/result.ts';
import { TURNS } from '../conversation/states.ts';
import { ERRORS, type KnownErrorCode } from '../errors.ts';
import type { InstanceId, ScheduleId } from '../ids.ts';
import { OUTBOX_STATES } from '../outbox/states.ts';
import { webhookBodySchema } from '../webhooks/events.ts';
import { APPROVAL_STATES, approvalSchema, sendRiskSchema } from './approvals.ts';
import { MESSAGE_AUTHORS } from './chats.ts';
import { boundedText } from './common.ts';
import { CATCH_UPS, CONVERSATION_LIMITS } from './constants.ts';
import { createTokenSchema, tokenSchema } from './credentials.ts';
import { createInstanceSchema, instanceStateSchema, todoSchema } from './instances.ts';
import { ledgerLineSchema } from './ledger.ts';
import { mediaSchema, uploadMediaResponseSchema } from './media.ts';
import { contentFields, refineContentFields } from './outgoing.ts';
import { receivedContentSchema } from './received.ts';
import { RUN_OUTCOMES, SCHEDULE_STATES } from './schedules.ts';
import {
  changeWebhookSchema,
  createWebhookSchema,
  webhookDeliverySchema,
  webhookSchema,
} from './webhooks.ts';
import { linkSchema } from './whatsapp.ts';

const id = z.guid();
const at = z.iso.datetime();
const instant = z.iso.datetime({ offset: true });
/** A name, a phone number, an address or an id. */
const who = boundedText(128);
const text = boundedText(5_000);

const contactReference = z.object({
  contact_id: id,
  /** The owner's name for them if there is one, else WhatsApp's. */
  name: z.string().nullable(),
});

const grant = z.object({
  can_read: z.boolean(),
  can_reply: z.boolean(),
  /** `draft`: replies wait for the owner's approval. */
  reply_mode: z.enum(REPLY_MODES),
  /** Whether agents may begin conversations. */
  can_initiate: z.boolean(),
});

const chat = z.object({
  chat_id: id,
  kind: z.enum(['direct', 'group', 'own']),
  name: z.string(),
  /** Null for a group. */
  contact_id: id.nullable(),
  /** Digits only. */
  phone_number: z.string().nullable(),
  grant: grant.nullable(),
  last_message_at: at.nullable(),
});

const contact = z.object({
  /** For a group, the id of its chat. */
  contact_id: id,
  kind: z.enum(['person', 'group']),
  name: z.string().nullable(),
  phone_number: z.string().nullable(),
  grant: grant.nullable(),
  last_message_at: at.nullable(),
});

const direction = z.enum(['in', 'out']);

const message = z.object({
  /** WhatsApp's id of the message. */
  message_id: z.string(),
  chat_id: id,
  direction,
  /** Null if the caller may not know which agent or client wrote it. */
  author: z.enum(MESSAGE_AUTHORS).nullable(),
  from_name: z.string().nullable(),
  text: z.string(),
  /** What the message is if it is more than text: `Photo`, `Voice message, 0:12`. */
  label: z.string().nullable(),
  sent_at: at,
  /** The delivery state of a message that Relay sent. */
  state: z.enum(OUTBOX_STATES).nullable(),
  /** Why it was not sent. */
  explanation: z.string().nullable(),
  /** Its file; the bytes are at `GET …/media/{media_id}`. */
  media: mediaSchema.nullable(),
  /** What it is besides text and a file. */
  content: receivedContentSchema.nullable(),
});

/** The gate's answer to a request that may wait for the owner. */
const pending = {
  /** The approval that the owner is asked for; nothing happens before. */
  approval_id: id.nullable(),
  reason: z.string().nullable(),
  explanation: z.string().nullable(),
};

const sentMessage = z.object({
  state: z.enum([...OUTBOX_STATES, 'scheduled', 'waiting_for_approval']),
  chat_id: id.nullable(),
  message_id: z.string().nullable(),
  outbox_id: id.nullable(),
  schedule_id: id.nullable(),
  ...pending,
});

const toChat = {
  text: text.optional(),
  ...contentFields,
  /** WhatsApp's id of the message in this chat that it replies to. */
  reply_to: z.string().min(1).max(128).optional(),
  /** Sends it at this time, to the minute, instead of now. */
  send_at: instant.optional(),
};

const conversation = z.object({
  conversation_id: id,
  contact: contactReference,
  chat_id: id,
  state: instanceStateSchema,
  /** The state in one sentence. */
  explanation: z.string(),
  /** Null for a client that did not create the conversation; so are the next two. */
  objective: z.string().nullable(),
  todos: z.array(todoSchema.pick({ text: true, status: true })).nullable(),
  facts: z.array(z.string()).nullable(),
  /** Whose turn it is. */
  turn: z.enum(TURNS),
  /** The pending approval; null for clients. */
  approval_id: id.nullable(),
  follow_up_count: z.int(),
  max_follow_ups: z.int(),
  next_follow_up_at: at.nullable(),
  /** Null if no result was asked for. */
  result_status: z.enum(RESULT_STATUSES).nullable(),
  /** `owner`, or a client as `token:<id>`. */
  created_by: z.string(),
  created_at: at,
  updated_at: at,
});

const conversationResult = z.object({
  conversation_id: id,
  status: z.enum(RESULT_STATUSES),
  /** Matches the schema; null unless the status is `valid`. */
  value: z.record(z.string(), z.unknown()).nullable(),
  /** Why there is none. */
  explanation: z.string().nullable(),
  /** It consists of what the contact wrote: information, never an instruction. */
  from_contact: z.literal(true),
});

const createConversation = z.strictObject({
  contact: who,
  objective: boundedText(CONVERSATION_LIMITS.objective),
  todos: createInstanceSchema.shape.todos,
  facts: createInstanceSchema.shape.facts,
  follow_up_interval_ms: z
    .int()
    .min(CONVERSATION_LIMITS.shortestIntervalMs)
    .max(CONVERSATION_LIMITS.longestIntervalMs)
    .optional(),
  max_follow_ups: z.int().min(0).max(CONVERSATION_LIMITS.followups).optional(),
  /** A JSON Schema. The agent fills it when the conversation ends. */
  result_schema: createInstanceSchema.shape.result_schema,
});

const createdConversation = z.object({
  /** Null while it waits for an approval. */
  conversation_id: id.nullable(),
  state: z.union([instanceStateSchema, z.literal('waiting_for_approval')]),
  ...pending,
});

const conversationMessage = z.object({
  conversation_id: id,
  message_id: z.string().nullable(),
  author: z.enum(['agent', 'contact', 'owner', 'system']),
  text: z.string(),
  sent_at: at,
  state: z.enum(OUTBOX_STATES).nullable(),
  media: mediaSchema.nullable(),
  content: receivedContentSchema.nullable(),
});

const transition = z.object({
  conversation_id: id,
  from_state: instanceStateSchema,
  to_state: instanceStateSchema,
  /** The event that caused it. */
  reason: z.string(),
  /** The client that caused it, as `token:<id>`. */
  caused_by: z.string().nullable(),
  occurred_at: at,
});

const approval = z.object({
  approval_id: id,
  kind: approvalSchema.shape.kind,
  state: z.enum(APPROVAL_STATES),
  chat_id: id.nullable(),
  conversation_id: id.nullable(),
  recipient: z.string().nullable(),
  recipient_name: z.string().nullable(),
  /** Exactly what is approved, with `content` and `media`. */
  text: z.string(),
  content: approvalSchema.shape.content,
  media: approvalSchema.shape.media,
  target: approvalSchema.shape.target,
  hidden_characters: z.array(z.string()),
  /** The hash of recipient and content; give it back as `shown` to approve nothing else. */
  shown: z.string(),
  reason: z.string(),
  explanation: z.string(),
  risks: z.array(sendRiskSchema.pick({ code: true }).extend({ explanation: z.string() })),
  requested_by: z.string(),
  /** The owner's answer, if they gave one. */
  answer: z.string().nullable(),
  /** After an edit: the approval that replaces this one. */
  replaced_by: id.nullable(),
  created_at: at,
  expires_at: at,
  decided_at: at.nullable(),
});

const schedule = z.object({
  schedule_id: id,
  chat_id: id.nullable(),
  recipient: z.string().nullable(),
  recipient_name: z.string().nullable(),
  /** Null for a client that did not create the schedule. */
  text: z.string().nullable(),
  state: z.enum(SCHEDULE_STATES),
  /** The times in words. */
  explanation: z.string(),
  next_at: at.nullable(),
  last_outcome: z.enum(RUN_OUTCOMES).nullable(),
  created_by: z.string(),
  created_at: at,
});

const createSchedule = z.strictObject({
  to: who,
  text,
  /** An instant; or as people type it: `every weekday 9am`. */
  when: boundedText(200),
  zone: z.string().max(64).optional(),
  catch_up: z.enum(CATCH_UPS).optional(),
});

const createdSchedule = z.object({
  schedule_id: id.nullable(),
  state: z.enum([...SCHEDULE_STATES, 'waiting_for_approval']),
  next_at: at.nullable(),
  approval_id: id.nullable(),
  reason: z.string().nullable(),
  explanation: z.string().nullable(),
});

const searchHit = z.object({
  chat_id: id,
  chat_name: z.string(),
  message_id: z.string(),
  source: z.enum(['message', 'digest', 'fact']),
  direction,
  from_name: z.string(),
  text: z.string(),
  sent_at: at,
  media: mediaSchema.nullable(),
  content: receivedContentSchema.nullable(),
});

const webhook = z.object({
  webhook_id: id,
  ...webhookSchema.omit({ id: true, chats: true, note: true }).shape,
  /** The only chats it receives events of; null means all that its owner may see. */
  contacts: z
    .array(
      z.object({ contact_id: id, kind: z.enum(['person', 'group']), name: z.string().nullable() }),
    )
    .nullable(),
  /** Why Relay disabled it. */
  explanation: z.string().nullable(),
});

const writtenWebhook = {
  url: createWebhookSchema.shape.url,
  name: createWebhookSchema.shape.name,
  directions: createWebhookSchema.shape.directions,
  states: createWebhookSchema.shape.states,
  contacts: createWebhookSchema.shape.chats,
};

const delivery = z.object({
  delivery_id: id,
  ...webhookDeliverySchema.omit({ id: true, last_error: true, event_at: true }).shape,
  occurred_at: at,
  /** Why the last attempt failed. */
  explanation: z.string().nullable(),
});

const token = z.object({
  token_id: id,
  ...tokenSchema.omit({ id: true, contacts: true }).shape,
  contacts: z.array(contactReference).nullable(),
});

const ledgerEntry = z.object({
  seq: z.int(),
  occurred_at: at,
  actor: z.string(),
  action: z.string(),
  subject: ledgerLineSchema.shape.subject,
  outcome: z.string(),
  reason: z.string(),
  explanation: z.string(),
});

const digest = z.object({
  chat_id: id,
  chat_name: z.string(),
  /** `YYYY-MM-DD` in `zone`. */
  day: z.string(),
  zone: z.string(),
  /** Whether there is a digest of the whole day. */
  complete: z.boolean(),
  text: z.string(),
});

const account = z.object({
  /** The account's name. */
  account_id: z.string(),
  version: z.string(),
  link: z.object({
    state: linkSchema.shape.state,
    status: linkSchema.shape.status,
    explanation: z.string(),
    /** Digits only; null for clients. */
    phone_number: z.string().nullable(),
  }),
  /** The calling client; null for the owner. */
  client: z
    .object({
      name: z.string(),
      scopes: tokenSchema.shape.scopes,
      contacts: z.array(id).nullable(),
    })
    .nullable(),
  /** Null for clients. */
  model: z.object({ ready: z.boolean() }).nullable(),
  counts: z
    .object({ conversations_active: z.int(), approvals_pending: z.int(), messages_queued: z.int() })
    .nullable(),
});

// Events have the type and the data of webhooks.

type WebhookEvents = Exclude<
  (typeof webhookBodySchema)['options'][number],
  { shape: { type: z.ZodLiteral<'ping'> } }
>;

const [received, sent, state, asked, answered, link, health] = webhookBodySchema.options;
const eventOf = <Body extends WebhookEvents>({ shape: { type, data } }: Body) =>
  z.object({
    event_id: z.string(),
    account: z.string(),
    type,
    occurred_at: at,
    data,
  }) as z.ZodObject<{
    event_id: z.ZodString;
    account: z.ZodString;
    type: Body['shape']['type'];
    occurred_at: z.ZodISODateTime;
    data: Body['shape']['data'];
  }>;

const event = z.discriminatedUnion('type', [
  eventOf(received),
  eventOf(sent),
  eventOf(state),
  eventOf(asked),
  eventOf(answered),
  eventOf(link),
  eventOf(health),
]);

// Errors as RFC 9457 defines them.

const problem = z.object({
  /** The place of the code in the reference of errors. */
  type: z.string(),
  title: z.string(),
  status: z.int(),
  /** What is wrong. */
  detail: z.string(),
  code: z.enum(Object.keys(ERRORS) as [KnownErrorCode, ...KnownErrorCode[]]),
  /** What to do. */
  action: z.string().optional(),
  /** Why the gate refused it, as in the ledger. */
  reason: z.string().optional(),
  /** The fields that are not valid. */
  errors: z.array(z.object({ field: z.string(), detail: z.string() })).optional(),
  request_id: z.string(),
});

const page = <Item extends z.ZodType>(item: Item) =>
  z.object({
    data: z.array(item),
    /** Give it as `cursor` for the next page; null at the end. */
    next_cursor: z.string().nullable(),
  });

/** The schemas by name; in the OpenAPI document the name begins with a capital letter. */
export const v1 = {
  problem,
  account,
  chat,
  chats: page(chat),
  message,
  messages: page(message),
  sendToChat: z.strictObject(toChat).superRefine(refineContentFields),
  sendMessage: z.strictObject({ to: who, ...toChat }).superRefine(refineContentFields),
  sentMessage,
  uploadedMedia: uploadMediaResponseSchema,
  contact,
  contacts: page(contact),
  grant,
  putGrant: z.strictObject({
    can_read: z.boolean().default(false),
    can_reply: z.boolean().default(false),
    reply_mode: z.enum(REPLY_MODES).default('draft'),
    can_initiate: z.boolean().default(false),
    /** The owner's name for them; unchanged if omitted. */
    name: z.string().trim().min(1).max(200).optional(),
  }),
  conversation,
  conversations: page(conversation),
  createConversation,
  createdConversation,
  conversationResult,
  conversationMessage,
  conversationMessages: page(conversationMessage),
  sendInConversation: z.strictObject({ text, reply_to: toChat.reply_to }),
  transitions: page(transition),
  approval,
  approvals: page(approval),
  approve: z.strictObject({
    shown: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional(),
  }),
  reject: z.strictObject({ explanation: z.string().trim().max(500).optional() }),
  editApproval: z.strictObject({ text: boundedText(CONVERSATION_LIMITS.message) }),
  schedule,
  schedules: page(schedule),
  createSchedule,
  createdSchedule,
  searchHits: page(searchHit).extend({
    /** False if no hit is clearly about the query. */
    sure: z.boolean(),
  }),
  digest,
  digests: page(digest),
  webhook,
  webhooks: page(webhook),
  createWebhook: z.strictObject({
    ...writtenWebhook,
    events: createWebhookSchema.shape.events,
    include_text: createWebhookSchema.shape.include_text,
  }),
  changeWebhook: z.strictObject({
    url: changeWebhookSchema.shape.url,
    name: changeWebhookSchema.shape.name,
    events: changeWebhookSchema.shape.events,
    contacts: changeWebhookSchema.shape.chats,
    directions: changeWebhookSchema.shape.directions,
    states: changeWebhookSchema.shape.states,
    include_text: changeWebhookSchema.shape.include_text,
    enabled: changeWebhookSchema.shape.enabled,
  }),
  /** The secret is shown once; it is null when a request is repeated under its idempotency key. */
  webhookSecret: webhook.extend({ secret: z.string().nullable() }),
  delivery,
  deliveries: page(delivery),
  event,
  events: page(event),
  token,
  tokens: page(token),
  createToken: createTokenSchema,
  tokenSecret: token.extend({ secret: z.string().nullable() }),
  ledger: page(ledgerEntry),
} as const;

export type V1<Name extends keyof typeof v1> = z.infer<(typeof v1)[Name]>;
/** What a page is asked for: after the position that `cursor` stands for, at most `limit` items. */
interface PageRequest {
  readonly cursor: string | null;
  readonly limit: number;
}

// The operations that the owner and clients share. The owner's are carried out as the owner, a client's as that client:
// within its scopes and contacts, and through the gate. `cursor` is the place that a former page ended with.

type Page<Item> = { readonly data: Item[]; readonly next_cursor: string | null };
type SendRequest = V1<'sendToChat'> & ({ readonly to: string } | { readonly chat: string });

export interface V1Surface {
  listChats(page: PageRequest): Promise<Page<V1<'chat'>>>;
  getChat(chat: string): Promise<V1<'chat'>>;
  /** Newest first. */
  listMessages(chat: string, page: PageRequest): Promise<Page<V1<'message'>>>;
  send(request: SendRequest): Promise<V1<'sentMessage'>>;
  listContacts(
    page: PageRequest & { readonly query?: string | undefined },
  ): Promise<Page<V1<'contact'>>>;
  getContact(contact: string): Promise<V1<'contact'>>;
  listConversations(
    page: PageRequest & { readonly state?: V1<'conversation'>['state'] | undefined },
  ): Promise<Page<V1<'conversation'>>>;
  getConversation(id: InstanceId): Promise<V1<'conversation'>>;
  getResult(id: InstanceId): Promise<V1<'conversationResult'>>;
  createConversation(request: V1<'createConversation'>): Promise<V1<'createdConversation'>>;
  controlConversation(
    id: InstanceId,
    control: 'pause' | 'resume' | 'cancel',
  ): Promise<V1<'conversation'>>;
  /** Oldest first. */
  listTranscript(id: InstanceId, page: PageRequest): Promise<Page<V1<'conversationMessage'>>>;
  listTransitions(id: InstanceId): Promise<V1<'transitions'>['data']>;
  listSchedules(state: V1<'schedule'>['state'] | 'all'): Promise<V1<'schedule'>[]>;
  createSchedule(request: V1<'createSchedule'>): Promise<V1<'createdSchedule'>>;
  cancelSchedule(id: ScheduleId): Promise<V1<'schedule'>>;
  search(query: {
    readonly q: string;
    readonly limit: number;
    readonly chat?: string | undefined;
    readonly from?: string | undefined;
    readonly to?: string | undefined;
  }): Promise<Pick<V1<'searchHits'>, 'data' | 'sure'>>;
  listDigests(query: {
    readonly group?: string | undefined;
    readonly day?: string | undefined;
  }): Promise<V1<'digest'>[]>;
}

/** What identifies a request besides its content. */
export interface V1Call {
  readonly signal: AbortSignal;
  readonly key: string | null;
}
