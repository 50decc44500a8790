// Schemas and service for forwarded notifications: what a forwarder may hand in, and its token.
import { z } from 'zod';
import { boundedText } from './common.ts';

const PLACEHOLDER_KINDS = [
  'image',
  'video',
  'audio',
  'document',
  'sticker',
  'location',
  'contact',
  'poll',
] as const;
/** What a placeholder for content other than text can stand for, in a notification or an exported chat. */
export type PlaceholderKind = (typeof PLACEHOLDER_KINDS)[number];

/** The names that apps use; a voice message is audio and an animation a video. */
const mediaType = z.enum([...PLACEHOLDER_KINDS, 'text', 'voice', 'gif']);

const SECONDS = /^\d{9,10}$/;
const MILLISECONDS = /^\d{12,13}$/;
const INSTANT = z.iso.datetime({ offset: true });

/** Returns null for anything that is not an instant. */
export function parseInstant(given: string | number): Date | null {
  const text = String(given).trim();
  if (SECONDS.test(text)) return new Date(Number(text) * 1000);
  if (MILLISECONDS.test(text)) return new Date(Number(text));
  return INSTANT.safeParse(text).success ? new Date(text) : null;
}

/** An ISO 8601 instant with its zone, or the seconds or milliseconds since 1970, also as text. */
const timestamp = z
  .union([z.int().nonnegative(), z.string().max(40)])
  .refine(
    (given) => parseInstant(given) !== null,
    'Must be an instant such as 2026-11-15T09:41:00Z or 1794735660',
  );

const notificationSchema = z.strictObject({
  /** The name in the notification. */
  sender: boundedText(200),
  /** The group's name as WhatsApp shows it. */
  group: boundedText(200),
  /** The notification's content: text, or a placeholder such as "📷 Photo". */
  text: z
    .string()
    .max(16_384)
    .refine((text) => text.isWellFormed() && !text.includes('\0'), 'Contains invalid characters'),
  timestamp,
  media_type: mediaType.optional(),
});

export type ForwardedNotification = z.infer<typeof notificationSchema>;

const MOST_AT_ONCE = 100;

/** One notification or several; all are stored or none. */
export const notificationsSchema = z.union([
  notificationSchema,
  z.array(notificationSchema).min(1).max(MOST_AT_ONCE),
]);

export const ingestReportSchema = z.object({
  /** New ones; each is read like a message of the group, and never answered. */
  taken: z.int(),
  /** Known already, from a forwarder or from the linked account. */
  repeated: z.int(),
  /** Notices that a message was deleted; they do not say which one. */
  left_out: z.int(),
});

export type IngestReport = z.infer<typeof ingestReportSchema>;

export const ingestTokenSchema = z.object({
  /** Shown only once. */
  token: z.string(),
});

export const ingestTokenStateSchema = z.object({
  exists: z.boolean(),
  created_at: z.iso.datetime().nullable(),
  last_used_at: z.iso.datetime().nullable(),
});

type IngestTokenState = z.infer<typeof ingestTokenStateSchema>;

// The service for notification forwarders, the second source of messages of observed groups. They have their own token.
// Their messages are read and never answered, because their author cannot be verified.

export interface IngestService {
  /** Stores all or nothing. Refuses a notification that belongs to no observed group. */
  take(notifications: readonly ForwardedNotification[]): Promise<IngestReport>;
}

export interface ForwarderTokens {
  /** Whether the token with this hash is valid; records the use. */
  isValid(hash: string): Promise<boolean>;
  /** Makes this token valid and all former ones invalid. */
  replace(hash: string): Promise<void>;
  /** False if there was no token. */
  revoke(): Promise<boolean>;
  state(): Promise<IngestTokenState>;
}
