// Schemas and service of notifications on the owner's devices, over ntfy and by a webhook.
import { z } from 'zod';
import { boundedText } from './common.ts';

const NOTIFICATION_KINDS = ['approval', 'conversation', 'link', 'model', 'test'] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

const NOTIFICATION_CHANNELS = ['push', 'ntfy', 'webhook'] as const;
export type NotificationChannel = (typeof NOTIFICATION_CHANNELS)[number];

/** Channels with an address that the owner sets. */
const ADDRESSED_CHANNELS = ['ntfy', 'webhook'] as const;
export type AddressedChannel = (typeof ADDRESSED_CHANNELS)[number];
export const addressedChannelSchema = z.enum(ADDRESSED_CHANNELS);

export const MOST_PUSH_DEVICES = 10;

export const pushDeviceSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  /** Whether it belongs to the browser session that asks. */
  current: z.boolean(),
  /** Whether its browser is signed in. Without that, it gets no text and cannot answer. */
  signed_in: z.boolean(),
  created_at: z.iso.datetime(),
  last_delivered_at: z.iso.datetime().nullable(),
  /** Since when every delivery has failed. */
  failing_since: z.iso.datetime().nullable(),
});
export type PushDevice = z.infer<typeof pushDeviceSchema>;

export const addressedSchema = z.object({ url: z.string().nullable(), has_token: z.boolean() });
type Addressed = z.infer<typeof addressedSchema>;

const notificationDeliverySchema = z.object({
  /** The same at every attempt. */
  id: z.uuid(),
  kind: z.enum(NOTIFICATION_KINDS),
  action: z.enum(['show', 'close']),
  channel: z.enum(NOTIFICATION_CHANNELS),
  /** The name of the device. */
  device: z.string().nullable(),
  state: z.enum(['pending', 'delivered', 'dead', 'dropped']),
  attempts: z.int(),
  /** Why the last attempt failed, or why there was none, in one sentence. */
  last_error: z.string().nullable(),
  created_at: z.iso.datetime(),
  next_at: z.iso.datetime().nullable(),
  settled_at: z.iso.datetime().nullable(),
});
export type NotificationDelivery = z.infer<typeof notificationDeliverySchema>;

export const notificationsOverviewSchema = z.object({
  /** The key with which a browser subscribes (VAPID). */
  public_key: z.string(),
  /** Whether notifications contain names and texts. */
  show_text: z.boolean(),
  /** In the owner's own chat on WhatsApp. */
  own_chat: z.boolean(),
  devices: z.array(pushDeviceSchema),
  ntfy: addressedSchema,
  webhook: addressedSchema,
  /** The newest deliveries first. */
  deliveries: z.array(notificationDeliverySchema),
});
export type NotificationsOverview = z.infer<typeof notificationsOverviewSchema>;

/** A browser's `PushSubscription`, with a name for the owner. */
export const addPushDeviceSchema = z.strictObject({
  endpoint: z.url({ protocol: /^https?$/ }).max(1_000),
  keys: z.strictObject({
    p256dh: z.base64url().length(87),
    auth: z.base64url().length(22),
  }),
  name: boundedText(60),
  /** The console's language. */
  locale: z
    .string()
    .regex(/^[a-z]{2}(-[A-Z]{2})?$/)
    .default('en'),
  /** Only if this subscription is known: after a new sign-in, so that it belongs to the new session. */
  renew: z.boolean().default(false),
});
export type AddPushDevice = z.infer<typeof addPushDeviceSchema>;

/** An omitted field stays as it is; null removes it. A new address removes the old token. */
export const setChannelSchema = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: 'must be an address that begins with https:// or http://' })
    .max(2_000)
    .nullable()
    .optional(),
  token: boundedText(500).nullable().optional(),
});
export type SetChannel = z.infer<typeof setChannelSchema>;

/** One device or one channel; everywhere if omitted. */
export const testNotificationSchema = z.strictObject({
  device: z.uuid().optional(),
  channel: addressedChannelSchema.optional(),
});
type TestNotification = z.infer<typeof testNotificationSchema>;

export const testedNotificationsSchema = z.object({
  results: z.array(
    z.object({
      channel: z.enum(NOTIFICATION_CHANNELS),
      device: z.string().nullable(),
      ok: z.boolean(),
      /** Why it failed. */
      sentence: z.string().nullable(),
    }),
  ),
});
type TestedNotifications = z.infer<typeof testedNotificationsSchema>;

/** `session` is the hash of the browser session that asks; null for the owner's token. */
export interface NotificationService {
  overview(session: string | null): Promise<NotificationsOverview>;
  /** The same browser again replaces its former subscription. */
  addDevice(device: AddPushDevice, session: string | null): Promise<PushDevice>;
  removeDevice(device: string): Promise<void>;
  setChannel(channel: AddressedChannel, set: SetChannel): Promise<Addressed>;
  /** Sends a test at once and reports the result. */
  test(which: TestNotification): Promise<TestedNotifications>;
}
