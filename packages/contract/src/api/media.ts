// Media of messages: what REST, MCP, events and webhooks say about a photo, a voice message or a document, and the
// schemas of uploading one. The bytes are only at `GET /api/media/:id`, and below the account in version 1.
import { z } from 'zod';
import { boundedText } from './common.ts';

const MEDIA_KINDS = ['image', 'voice', 'audio', 'video', 'document', 'sticker'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

const MEDIA_ORIGINS = ['received', 'uploaded', 'sent'] as const;
export type MediaOrigin = (typeof MEDIA_ORIGINS)[number];

/**
 * `waiting`: not downloaded yet. `unavailable`: WhatsApp no longer has it, or what it has is not what was sent.
 * `refused`: Relay does not download it. `removed`: deleted by the owner's limits.
 */
const MEDIA_STATES = ['waiting', 'stored', 'unavailable', 'refused', 'removed'] as const;
export type MediaState = (typeof MEDIA_STATES)[number];

/** The progress of transcribing it, or of reading its text. */
export type UnderstoodState = 'not_needed' | 'waiting' | 'done' | 'failed';

/** Media as messages carry it. */
export const mediaSchema = z.object({
  id: z.guid(),
  kind: z.enum(MEDIA_KINDS),
  /** As the sender declared it until it is stored, then as detected from the bytes. */
  mimetype: z.string().nullable(),
  bytes: z.int().nullable(),
  /** Of the plain bytes, in hex; null until it is stored. */
  sha256: z.string().nullable(),
  state: z.enum(MEDIA_STATES),
  /** Why it is not stored: a code. */
  reason: z.string().exactOptional(),
  /** The transcript of a voice message. */
  transcript: z.string().exactOptional(),
  /** The language of the transcript, as in BCP 47. */
  language: z.string().exactOptional(),
  file_name: z.string().exactOptional(),
  seconds: z.number().exactOptional(),
});

export type MediaBody = z.infer<typeof mediaSchema>;

/** The query of an upload, whose body is the bytes and whose Content-Type is their type. */
export const uploadMediaSchema = z.strictObject({ file_name: boundedText(256).optional() });

export const uploadMediaResponseSchema = z.object({
  id: z.guid(),
  bytes: z.int(),
  /** Of the bytes, in hex. */
  sha256: z.string(),
});

export type UploadedMedia = z.infer<typeof uploadMediaResponseSchema>;

/** What a stored piece of media may be sent as. */
export const SENDABLE_KINDS = ['image', 'voice', 'audio', 'video', 'document'] as const;
export type SendableKind = (typeof SENDABLE_KINDS)[number];

/** Media in a request to send a message: an upload, or the media of a stored message. */
export const sendMediaSchema = z.strictObject({
  id: z.guid(),
  kind: z.enum(SENDABLE_KINDS),
  caption: boundedText(5_000).optional(),
});
