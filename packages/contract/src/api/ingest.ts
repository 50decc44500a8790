// What a forwarder of notifications may hand in, and the token it does it with.
import { z } from 'zod';
import { boundedText } from './common.ts';

export const MEDIA_KINDS = [
  'image',
  'video',
  'audio',
  'document',
  'sticker',
  'location',
  'contact',
  'poll',
] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

/** As apps call them; a voice message is audio and an animation a video. */
const mediaType = z.enum([...MEDIA_KINDS, 'text', 'voice', 'gif']);

const SECONDS = /^\d{9,10}$/;
const MILLISECONDS = /^\d{12,13}$/;
const INSTANT = z.iso.datetime({ offset: true });

/** Null for what is no instant. */
export function parseInstant(given: string | number): Date | null {
  const text = String(given).trim();
  if (SECONDS.test(text)) return new Date(Number(text) * 1000);
  if (MILLISECONDS.test(text)) return new Date(Number(text));
  return INSTANT.safeParse(text).success ? new Date(text) : null;
}

/** An instant as in ISO 8601 with its zone, or the seconds or milliseconds since 1970, also as text. */
const timestamp = z
  .union([z.int().nonnegative(), z.string().max(40)])
  .refine(
    (given) => parseInstant(given) !== null,
    'It is no instant, as 2026-11-15T09:41:00Z or 1794735660 is one',
  );

const notificationSchema = z.strictObject({
  /** The name that the notification shows. */
  sender: boundedText(200),
  /** The name of the group, as WhatsApp shows it. */
  group: boundedText(200),
  /** What the notification shows: words, or a placeholder such as "📷 Photo". */
  text: z
    .string()
    .max(16_384)
    .refine((text) => text.isWellFormed() && !text.includes('\0'), 'It cannot be kept as text'),
  timestamp,
  media_type: mediaType.optional(),
});

export type ForwardedNotification = z.infer<typeof notificationSchema>;

const MOST_AT_ONCE = 100;

/** One, or several at once: all are taken or none. */
export const notificationsSchema = z.union([
  notificationSchema,
  z.array(notificationSchema).min(1).max(MOST_AT_ONCE),
]);

export const ingestReportSchema = z.object({
  /** New ones; each is read like a message of the group, and never answered. */
  taken: z.int(),
  /** Known already, by this way or by the linked account. */
  repeated: z.int(),
  /** Notes that a message was deleted; which one, they do not say. */
  left_out: z.int(),
});

export type IngestReport = z.infer<typeof ingestReportSchema>;

export const ingestTokenSchema = z.object({
  /** Shown this once. */
  token: z.string(),
});

export const ingestTokenStateSchema = z.object({
  exists: z.boolean(),
  created_at: z.iso.datetime().nullable(),
  last_used_at: z.iso.datetime().nullable(),
});

type IngestTokenState = z.infer<typeof ingestTokenStateSchema>;

// The other way that messages of observed groups come in: forwarders of notifications, with a token of their
// own. What they hand in is read and never answered: nobody can prove who wrote it.

export interface IngestService {
  /** All or nothing. Refuses what is of no observed group. */
  take(notifications: readonly ForwardedNotification[]): Promise<IngestReport>;
}

export interface ForwarderTokens {
  /** Whether the token with this hash is good; that it was used is noted. */
  knows(hash: string): Promise<boolean>;
  /** From now on this one is good, and none before it. */
  replace(hash: string): Promise<void>;
  /** False when there was none. */
  revoke(): Promise<boolean>;
  state(): Promise<IngestTokenState>;
}
