// Schemas and services for reading chats: the list of chats, and the messages of one by page. Only the owner reads
// here, no agent and no client.
import { z } from 'zod';
import type { ChatId } from '../ids.ts';
import { OUTBOX_STATES } from '../outbox/states.ts';
import { contactSchema } from './contacts.ts';
import { relatedInstanceSchema } from './instances.ts';
import { mediaSchema } from './media.ts';
import { receivedContentSchema } from './received.ts';

/** Who wrote a message: somebody else, or one of those who write for the owner. */
export const MESSAGE_AUTHORS = [
  'contact',
  'owner',
  'phone',
  'conversation',
  'auto_reply',
  'assistant',
  'program',
  'schedule',
  'relay',
] as const;
export type ChatMessageAuthor = (typeof MESSAGE_AUTHORS)[number];

const saidSchema = z.object({
  author: z.enum(MESSAGE_AUTHORS),
  /** The contact's or the client's name; null for everybody else. */
  name: z.string().nullable(),
  /** What the message is if it is more than text: `Photo`, `Voice message, 0:12`. */
  label: z.string().nullable(),
  text: z.string(),
});

const chatSchema = z.object({
  id: z.string(),
  kind: z.enum(['direct', 'group', 'own']),
  name: z.string(),
  contact_id: z.string().nullable(),
  /** Digits only. */
  phone_number: z.string().nullable(),
  grant: contactSchema.shape.grant,
  /** An observed group. */
  observed: z.boolean(),
  /** Null while the chat has no message. */
  last_message_at: z.iso.datetime().nullable(),
  /** The last message, shortened; null if none is kept. */
  last: saidSchema.nullable(),
});
export type Chat = z.infer<typeof chatSchema>;

const cursor = (form: RegExp) => z.string().regex(form, 'Must be the cursor of a page');

export const listChatsSchema = z.strictObject({
  /** A name or part of it, or a number. */
  q: z.string().trim().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  /** The cursor of the previous page. */
  cursor: cursor(/^\d{1,17}_[0-9a-f-]{36}$/).optional(),
});
export type ChatsQuery = z.infer<typeof listChatsSchema>;

export const chatsPageSchema = z.object({
  /** Sorted by newest message first. */
  chats: z.array(chatSchema),
  /** The cursor of the next page; null at the end. */
  cursor: z.string().nullable(),
});
export type ChatsPage = z.infer<typeof chatsPageSchema>;

export const chatDetailSchema = chatSchema.extend({
  /** Conversations in this chat, newest first. */
  conversations: z.array(relatedInstanceSchema),
  /** WhatsApp's address, to which a message can be sent; null if none is known. */
  address: z.string().nullable(),
  /** The grant allows reading only, and the owner wants suggestions. */
  suggests: z.boolean(),
  /** A reply that an agent suggests and only the owner can send, and the message it answers. */
  suggestion: z
    .object({ text: z.string(), at: z.iso.datetime(), message_id: z.string().nullable() })
    .nullable(),
});
export type ChatDetail = z.infer<typeof chatDetailSchema>;

const chatMessageSchema = saidSchema.extend({
  /** The message's position in the chat, for `before` or `after`. */
  cursor: z.string(),
  /** WhatsApp's id of the message. */
  message_id: z.string(),
  at: z.iso.datetime(),
  /** Whether it claims to edit the quoted message, which is not stored or has another author. */
  edits: z.boolean(),
  forwarded: z.boolean(),
  /** The message it answers, edits or refers to; null if there is none or it is not kept. */
  quoted: saidSchema.nullable(),
  /** Its file; null if it has none. */
  media: mediaSchema.nullable(),
  /** What it is besides text and a file; null if it is nothing else. */
  content: receivedContentSchema.nullable(),
  /** The newest reaction of each person, oldest first. */
  reactions: z.array(
    z.object({
      emoji: z.string(),
      author: z.enum(MESSAGE_AUTHORS),
      /** As for messages. */
      name: z.string().nullable(),
    }),
  ),
  /** Its author changed the text, and `text` is the newest one. */
  edited: z.boolean(),
  /** Its author deleted it for everybody: without text and file. */
  deleted: z.boolean(),
  /** The delivery state of a message that Relay sent. */
  delivery: z.enum(OUTBOX_STATES).nullable(),
  /** Why it was not sent, if it failed. */
  failure: z.string().optional(),
});
export type ChatMessage = z.infer<typeof chatMessageSchema>;

const place = cursor(/^\d{1,17}_\d{1,15}$/);

export const chatMessagesQuerySchema = z
  .strictObject({
    /** The last messages before this position. */
    before: place.optional(),
    /** The first messages after this position. */
    after: place.optional(),
    /** The messages around this one. */
    message: z.string().min(1).max(128).optional(),
    limit: z.coerce.number().int().min(1).max(200).default(100),
  })
  .refine(
    (query) => [query.before, query.after, query.message].filter(Boolean).length <= 1,
    'Give only one of before, after and message',
  );
export type ChatMessagesQuery = z.infer<typeof chatMessagesQuerySchema>;

export const chatMessagesSchema = z.object({
  /** Oldest first. */
  messages: z.array(chatMessageSchema),
  /** Whether there are messages before the first one, and after the last one. */
  older: z.boolean(),
  newer: z.boolean(),
});
export type ChatMessages = z.infer<typeof chatMessagesSchema>;

// The service that reads the owner's chats; every refusal is a RelayError.

export interface ChatReader {
  list(query: ChatsQuery): Promise<ChatsPage>;
  get(id: string): Promise<ChatDetail>;
  messages(id: string, query: ChatMessagesQuery): Promise<ChatMessages>;
}

// The service that drafts for the owner's composer. Implemented by features/auto-reply; every refusal is a RelayError.

export const draftRequestSchema = z.strictObject({
  /** What the owner wants to say. */
  hint: z.string().trim().min(1).max(2_000).optional(),
});
export type DraftRequest = z.infer<typeof draftRequestSchema>;

export const chatDraftSchema = z.object({ text: z.string() });
type ChatDraft = z.infer<typeof chatDraftSchema>;

export const suggestionDismissedSchema = z.object({ dismissed: z.literal(true) });

export interface ChatDraftService {
  /** Asks the owner's model for the next message of this chat. Sends nothing. */
  draft(id: string, request: DraftRequest, signal: AbortSignal): Promise<ChatDraft>;
  /** Hides the suggestion in this chat. */
  dismissSuggestion(id: string): Promise<void>;
}

// The service that summarises a chat with the owner's model, without tools. Implemented by features/assistant; every
// refusal is a RelayError.

export interface ChatLine {
  readonly at: Date;
  /** Null if the owner wrote it. */
  readonly who: string | null;
  readonly text: string;
}

type SummariseChat = (name: string, lines: readonly ChatLine[]) => Promise<string>;

export interface ChatSummaryService {
  /**
   * Refuses at once without a model or a remaining budget. `by` is the spender to count it for, `chat` the chat to
   * summarise.
   */
  begin(by: string, chat: ChatId, signal: AbortSignal): Promise<SummariseChat>;
}
