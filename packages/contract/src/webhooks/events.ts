// The webhook events' bodies and filter. Ids, codes and times are always included; text and names only with
// `include_text`.
import { z } from 'zod';
import { APPROVAL_STATES } from '../api/approvals.ts';
import { mediaSchema } from '../api/media.ts';
import { receivedContentSchema } from '../api/received.ts';
import {
  CONNECTION_STATES,
  type ConnectionState,
  WHATSAPP_STATUSES,
} from '../connection/states.ts';
import { RESULT_STATUSES } from '../conversation/result.ts';
import { INSTANCE_STATES } from '../conversation/states.ts';
import { OUTBOX_STATES } from '../outbox/states.ts';
import type { WebhookDeliveryType } from './event-types.ts';

const id = z.uuid();
const chat = { chat_id: id, chat_kind: z.enum(['direct', 'group']) };
const linkStates = Object.keys(CONNECTION_STATES) as [ConnectionState, ...ConnectionState[]];

const receivedSchema = z.object({
  message_id: z.string(),
  ...chat,
  /** Who wrote it; null if unknown. */
  contact_id: id.nullable(),
  direction: z.literal('in'),
  /** text, image, audio, … */
  kind: z.string(),
  sent_at: z.iso.datetime(),
  /** Whether it had waited at WhatsApp while Relay was offline. */
  late: z.boolean(),
  /** Its file, as it is now: it may still be downloaded. Its name and what was heard in it only with text. */
  media: mediaSchema.optional(),
  text: z.string().optional(),
  /** What it is besides text and a file. */
  content: receivedContentSchema.optional(),
  from: z.string().nullable().optional(),
  from_name: z.string().nullable().optional(),
  chat_name: z.string().nullable().optional(),
});

const sentSchema = z.object({
  message_id: z.string(),
  /** Null for messages that the owner typed on the phone. */
  outbox_id: id.nullable(),
  ...chat,
  contact_id: id.nullable(),
  conversation_id: id.nullable(),
  direction: z.literal('out'),
  state: z.enum(OUTBOX_STATES),
  text: z.string().optional(),
  /** Why it was not sent. */
  explanation: z.string().nullable().optional(),
  to_name: z.string().nullable().optional(),
});

const conversationSchema = z.object({
  conversation_id: id,
  chat_id: id,
  contact_id: id,
  state: z.enum(INSTANCE_STATES as [string, ...string[]]),
  from_state: z.string().nullable(),
  /** The event that caused it, as in the list of transitions. */
  reason: z.string().nullable(),
  /** Whether it waits for the owner. */
  needs_you: z.boolean(),
  objective: z.string().optional(),
  explanation: z.string().nullable().optional(),
  /** On the event of the end, if the conversation has a result. */
  result_status: z.enum(RESULT_STATUSES).optional(),
  /** Null without a valid one. */
  result: z.record(z.string(), z.unknown()).nullable().optional(),
  /** Why there is no valid one. */
  result_explanation: z.string().nullable().optional(),
  /** The result consists of what the contact wrote. */
  result_from_contact: z.literal(true).optional(),
});

const askedSchema = z.object({
  approval_id: id,
  kind: z.string(),
  state: z.enum(APPROVAL_STATES),
  /** Why it is pending, as in the ledger. */
  reason: z.string(),
  requested_by: z.string(),
  conversation_id: id.nullable(),
  chat_id: id.nullable(),
  expires_at: z.iso.datetime(),
  text: z.string().optional(),
  recipient: z.string().nullable().optional(),
  recipient_name: z.string().nullable().optional(),
  answer: z.string().nullable().optional(),
});

const linkSchema = z.object({
  state: z.enum(linkStates),
  from_state: z.enum(linkStates).nullable(),
  status: z.enum(WHATSAPP_STATUSES),
  explanation: z.string(),
});

const healthSchema = z.object({
  what: z.enum(['whatsapp', 'sending', 'message', 'hold', 'daemon']),
  ok: z.boolean(),
  needs_you: z.boolean(),
  explanation: z.string(),
});

const told = <Type extends WebhookDeliveryType, Data extends z.ZodType>(type: Type, data: Data) =>
  z.object({
    type: z.literal(type),
    /** The name of the account in which it happened. */
    account: z.string(),
    /** When it happened; the time of delivery is in the header `webhook-timestamp`. */
    timestamp: z.iso.datetime(),
    data,
  });

/** The body of a request, by its `type`. */
export const webhookBodySchema = z.discriminatedUnion('type', [
  told('message.received', receivedSchema),
  told('message.sent', sentSchema),
  told('conversation.state', conversationSchema),
  told('approval.requested', askedSchema),
  told('approval.answered', askedSchema),
  told('link.state', linkSchema),
  told('health', healthSchema),
  told('ping', z.object({ webhook_id: id })),
]);
export type WebhookBody = z.infer<typeof webhookBodySchema>;
export type WebhookData<Type extends WebhookDeliveryType> = Extract<
  WebhookBody,
  { type: Type }
>['data'];

// Which events a webhook receives, besides its kinds. A contact stands for the chat with them; a group is given itself.
// A part of the filter does not apply to events without that property (chat, direction or state).

export const MESSAGE_DIRECTIONS = ['in', 'out'] as const;

const webhookFilterSchema = z.object({
  /** Chats with these contacts; follows a contact whose addresses are merged. */
  contacts: z.array(z.uuid()).optional(),
  /** These groups. */
  chats: z.array(z.uuid()).optional(),
  directions: z.array(z.enum(MESSAGE_DIRECTIONS)).optional(),
  /** Of messages, conversations, approvals and the link. */
  states: z.array(z.string()).optional(),
});
export type WebhookFilter = z.infer<typeof webhookFilterSchema>;
