// What an outgoing message is besides its text: one union for the gate, approvals, the outbox and the transport. The
// text or caption is beside it.
import { z } from 'zod';
import { boundedText } from './common.ts';
import { SENDABLE_KINDS, sendMediaSchema } from './media.ts';

/** WhatsApp's id of a message in the same chat. */
const message = z.string().min(1).max(128);

const pollFields = {
  question: boundedText(255),
  options: z
    .array(boundedText(100))
    .min(2)
    .max(12)
    .refine((options) => new Set(options).size === options.length, 'Options must differ'),
};

const locationFields = {
  latitude: z.number().min(-90).max(90),
  longitude: z.number().min(-180).max(180),
};

export const outgoingContentSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('media'),
    media: z.guid(),
    as: z.enum(SENDABLE_KINDS),
    /** Of the plain bytes, in hex: what is sent is exactly this content. */
    sha256: z.string().regex(/^[\da-f]{64}$/),
    bytes: z.int().min(0),
    mimetype: z.string().max(256),
    file_name: z.string().max(256).nullable(),
  }),
  /** An empty emoji removes the reaction. */
  z.strictObject({ kind: z.literal('reaction'), to: message, emoji: z.string().max(32) }),
  /** The text beside it replaces the text of that message. */
  z.strictObject({ kind: z.literal('edit'), of: message }),
  z.strictObject({ kind: z.literal('delete'), of: message }),
  z.strictObject({
    kind: z.literal('poll'),
    ...pollFields,
    /** 0: any number. */
    select_up_to: z.int().min(0).max(12),
  }),
  z.strictObject({
    kind: z.literal('location'),
    ...locationFields,
    name: boundedText(256).nullable(),
    address: boundedText(512).nullable(),
  }),
]);

export type OutgoingContent = z.infer<typeof outgoingContentSchema>;

// What a request asks to send: the same over every surface. Relay looks up the file that is named, and the message that
// is changed.

/** A part of WhatsApp's id that names one message of the chat, or the whole id. */
const messageRef = z.string().min(1).max(128);

/** The fields of a request to send that stand for content; at most one is given. */
export const contentFields = {
  /** A file, by the id of an upload or of a stored message's media. */
  media: sendMediaSchema.optional(),
  /** An empty emoji takes the reaction back. */
  reaction: z.strictObject({ to: messageRef, emoji: z.string().max(32) }).optional(),
  /** `text` replaces the text of this message of one's own. */
  edit: z.strictObject({ of: messageRef }).optional(),
  /** Deletes this message of one's own for everyone. */
  delete: z.strictObject({ of: messageRef }).optional(),
  poll: z
    .strictObject({
      ...pollFields,
      /** 0: any number. */
      select_up_to: z.int().min(0).max(12).default(1),
    })
    .optional(),
  location: z
    .strictObject({
      ...locationFields,
      name: boundedText(256).optional(),
      address: boundedText(512).optional(),
    })
    .optional(),
};

const contentRequestSchema = z.object(contentFields);
export type ContentFields = z.output<typeof contentRequestSchema>;

const CONTENT_NAMES = Object.keys(contentFields) as (keyof ContentFields)[];

/** Where a text is needed: in a plain message and as the new text of an edit. */
const TEXT_WITH: ReadonlySet<string | undefined> = new Set([undefined, 'edit']);

/** Phones show no text with a recording. */
function isSoundWithCaption(media: unknown): boolean {
  const { kind, caption } = media as Partial<z.output<typeof sendMediaSchema>>;
  return caption !== undefined && (kind === 'voice' || kind === 'audio');
}

/** What is wrong with the fields together; null if they ask for one thing. */
export function contentProblem(
  fields: Partial<Record<keyof ContentFields | 'text', unknown>>,
): string | null {
  const given = CONTENT_NAMES.filter((name) => fields[name] !== undefined);
  if (given.length > 1) return `Give only one of ${given.join(' and ')}.`;
  const [kind] = given;
  if (TEXT_WITH.has(kind)) {
    return fields.text === undefined ? 'Give a text, or one thing to send instead.' : null;
  }
  if (kind === 'media' && isSoundWithCaption(fields.media)) return 'Audio has no caption.';
  if (fields.text === undefined) return null;
  return kind === 'media' ? 'The text of a file is its caption.' : `A ${kind} has no text.`;
}

/** For the schema of a request with `contentFields` and `text`. */
export const refineContentFields = (
  fields: Partial<Record<keyof ContentFields | 'text', unknown>>,
  context: z.RefinementCtx,
): void => {
  const message = contentProblem(fields);
  if (message !== null) context.addIssue({ code: 'custom', message });
};

/** What to send, before anything is looked up. */
export type ContentRequest =
  | ({ readonly kind: 'media' } & Pick<SendMediaRequest, 'id' | 'as'>)
  | { readonly kind: 'reaction'; readonly to: string; readonly emoji: string }
  | { readonly kind: 'edit' | 'delete'; readonly of: string }
  | Extract<OutgoingContent, { kind: 'poll' | 'location' }>;

interface SendMediaRequest {
  readonly id: string;
  readonly as: (typeof SENDABLE_KINDS)[number];
}

/** The text, or the caption, and the content that the fields ask for. */
export function readContentFields({
  text = '',
  media,
  reaction,
  edit,
  delete: deleted,
  poll,
  location,
}: Partial<ContentFields> & { readonly text?: string | undefined }): {
  readonly text: string;
  readonly content?: ContentRequest;
} {
  if (media !== undefined) {
    const { id, kind, caption = '' } = media;
    return { text: caption, content: { kind: 'media', id, as: kind } };
  }
  if (reaction !== undefined) return { text: '', content: { kind: 'reaction', ...reaction } };
  if (edit !== undefined) return { text, content: { kind: 'edit', ...edit } };
  if (deleted !== undefined) return { text: '', content: { kind: 'delete', ...deleted } };
  if (poll !== undefined) return { text: '', content: { kind: 'poll', ...poll } };
  if (location !== undefined) {
    const { name = null, address = null, ...place } = location;
    return { text: '', content: { kind: 'location', ...place, name, address } };
  }
  return { text };
}
