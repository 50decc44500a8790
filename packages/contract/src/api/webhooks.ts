// Schemas and service of webhooks: their address, filter and deliveries. The secret is shown once, when it is created.
import { z } from 'zod';
import { WEBHOOK_DELIVERY_TYPES, WEBHOOK_EVENT_TYPES } from '../webhooks/event-types.ts';
import { MESSAGE_DIRECTIONS } from '../webhooks/events.ts';
import { boundedText } from './common.ts';
import type { TokenClient } from './credentials.ts';

const name = boundedText(60).regex(
  /^[\p{L}\p{N}][\p{L}\p{N} ._-]*$/u,
  'Use only letters, digits, spaces, dots, hyphens and underscores',
);
const url = z
  .url({ protocol: /^https?$/, error: 'must be an address that begins with https:// or http://' })
  .max(2_000);
const events = z.array(z.enum(WEBHOOK_EVENT_TYPES)).min(1).max(WEBHOOK_EVENT_TYPES.length);
/** A name, a number, an address or an id. */
const chats = z.array(boundedText(128)).min(1).max(200);
const directions = z.array(z.enum(MESSAGE_DIRECTIONS)).min(1).max(MESSAGE_DIRECTIONS.length);
const states = z
  .array(z.string().regex(/^\w{1,40}$/))
  .min(1)
  .max(40);

export const webhookSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  url: z.string(),
  events: z.array(z.enum(WEBHOOK_EVENT_TYPES)),
  /** The only chats it receives events of; null means all. */
  chats: z
    .array(
      z.object({ id: z.uuid(), kind: z.enum(['person', 'group']), name: z.string().nullable() }),
    )
    .nullable(),
  directions: z.array(z.enum(MESSAGE_DIRECTIONS)).nullable(),
  states: z.array(z.string()).nullable(),
  /** Whether events contain text and names. */
  include_text: z.boolean(),
  enabled: z.boolean(),
  /** Why Relay disabled it, in one sentence. */
  note: z.string().nullable(),
  created_at: z.iso.datetime(),
  rotated_at: z.iso.datetime().nullable(),
  last_delivered_at: z.iso.datetime().nullable(),
  /** Since when every delivery has failed. */
  failing_since: z.iso.datetime().nullable(),
  pending: z.int(),
  dead: z.int(),
});
export type Webhook = z.infer<typeof webhookSchema>;

export const webhooksResponseSchema = z.object({ webhooks: z.array(webhookSchema) });

export const createWebhookSchema = z.strictObject({
  url,
  /** The name of its host if omitted. */
  name: name.optional(),
  events: events.default([...WEBHOOK_EVENT_TYPES]),
  chats: chats.optional(),
  directions: directions.optional(),
  states: states.optional(),
  include_text: z.boolean().default(false),
  /** False adds it although its host has no address yet, or is on a network that Relay may not reach. */
  verify: z.boolean().default(true),
});
export type CreateWebhook = z.infer<typeof createWebhookSchema>;

/** An omitted field stays as it is; null removes a filter. */
export const changeWebhookSchema = z.strictObject({
  url: url.optional(),
  name: name.optional(),
  events: events.optional(),
  chats: chats.nullable().optional(),
  directions: directions.nullable().optional(),
  states: states.nullable().optional(),
  include_text: z.boolean().optional(),
  enabled: z.boolean().optional(),
});
type ChangeWebhook = z.infer<typeof changeWebhookSchema>;

export const webhookSecretSchema = webhookSchema.extend({
  /** `whsec_…`, shown only once. */
  secret: z.string(),
});
type WebhookSecret = z.infer<typeof webhookSecretSchema>;

const DELIVERY_STATES = ['pending', 'delivered', 'dead', 'dropped'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export const webhookDeliverySchema = z.object({
  /** Sent as `webhook-id`, the same at every attempt. */
  id: z.uuid(),
  type: z.enum(WEBHOOK_DELIVERY_TYPES),
  state: z.enum(DELIVERY_STATES),
  attempts: z.int(),
  /** When the next attempt is due. */
  next_at: z.iso.datetime().nullable(),
  last_status: z.int().nullable(),
  /** Why the last attempt failed, or why it was not delivered, in one sentence. */
  last_error: z.string().nullable(),
  /** When the event happened. */
  event_at: z.iso.datetime(),
  settled_at: z.iso.datetime().nullable(),
});
export type WebhookDelivery = z.infer<typeof webhookDeliverySchema>;

export const listDeliveriesSchema = z.strictObject({
  state: z.enum(DELIVERY_STATES).optional(),
  /** The cursor of the previous response. */
  cursor: z
    .string()
    .regex(/^\d{1,18}$/)
    .optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
export type ListDeliveries = z.infer<typeof listDeliveriesSchema>;

export const deliveriesResponseSchema = z.object({
  /** Newest first. */
  deliveries: z.array(webhookDeliverySchema),
  /** The cursor of the next page; null at the end. */
  cursor: z.string().nullable(),
});
export type Deliveries = z.infer<typeof deliveriesResponseSchema>;

export const replayedSchema = z.object({ replayed: z.int() });

// The webhook service, as routes and commands call it. A webhook is given by name or id; every refusal is a RelayError.
// Without a client the owner calls; a client has only the webhooks that it added.

export interface WebhookService {
  list(client?: TokenClient): Promise<readonly Webhook[]>;
  create(request: CreateWebhook, client?: TokenClient): Promise<WebhookSecret>;
  change(webhook: string, changed: ChangeWebhook, client?: TokenClient): Promise<Webhook>;
  /** Creates a new secret; the former one also signs for one more day. */
  rotate(webhook: string, client?: TokenClient): Promise<WebhookSecret>;
  /** Deletes the webhook and the record of its deliveries. */
  remove(webhook: string, client?: TokenClient): Promise<Webhook>;
  /** Sends a `ping` once, now, and returns the result. */
  test(webhook: string, client?: TokenClient): Promise<WebhookDelivery>;
  deliveries(webhook: string, query: ListDeliveries, client?: TokenClient): Promise<Deliveries>;
  /** Delivers one event again, under the same id. */
  replay(webhook: string, delivery: string): Promise<WebhookDelivery>;
  /** Delivers all dead ones again. Returns how many. */
  replayDead(webhook: string): Promise<number>;
}
