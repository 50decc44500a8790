// What was said, chat by chat, for the owner's own eyes: the chats with their last words, and the messages of one,
// page by page from any place in it. No agent and no program reads here.
import { z } from 'zod';
import type { ChatId } from '../ids.ts';
import { OUTBOX_STATES } from '../outbox/states.ts';
import { contactSchema } from './contacts.ts';
import { relatedInstanceSchema } from './instances.ts';

/** Who wrote a message: somebody else, or for the owner one of those who may. */
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
  /** The contact's or the program's name; null for everybody else. */
  name: z.string().nullable(),
  /** What it is where it is more than text: `Photo`, `Voice message, 0:12`. */
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
  /** A group that is read in silence and summed up. */
  observed: z.boolean(),
  /** Null as long as nothing was said. */
  last_message_at: z.iso.datetime().nullable(),
  /** The last words, cut short; null where nothing is kept any more. */
  last: saidSchema.nullable(),
});
export type Chat = z.infer<typeof chatSchema>;

const cursor = (form: RegExp) => z.string().regex(form, 'Give the cursor that a page came with');

export const listChatsSchema = z.strictObject({
  /** A name or a part of it, or a number. */
  q: z.string().trim().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  /** Where the last page ended. */
  cursor: cursor(/^\d{1,17}_[0-9a-f-]{36}$/).optional(),
});
export type ChatsQuery = z.infer<typeof listChatsSchema>;

export const chatsPageSchema = z.object({
  /** The one with the newest message first. */
  chats: z.array(chatSchema),
  /** Goes on behind this page; null at the end. */
  cursor: z.string().nullable(),
});
export type ChatsPage = z.infer<typeof chatsPageSchema>;

export const chatDetailSchema = chatSchema.extend({
  /** Delegated conversations in it, the newest first. */
  conversations: z.array(relatedInstanceSchema),
});
export type ChatDetail = z.infer<typeof chatDetailSchema>;

const chatMessageSchema = saidSchema.extend({
  /** Its place in the chat, to be given as `before` or `after`. */
  cursor: z.string(),
  /** The id WhatsApp knows it by. */
  message_id: z.string(),
  at: z.iso.datetime(),
  /** It takes the place of the one that it quotes. */
  edits: z.boolean(),
  forwarded: z.boolean(),
  /** What it answers, changes or is about; null also where that is not kept. */
  quoted: saidSchema.nullable(),
  /** How far one that Relay sent has come. */
  delivery: z.enum(OUTBOX_STATES).nullable(),
});
export type ChatMessage = z.infer<typeof chatMessageSchema>;

const place = cursor(/^\d{1,17}_\d{1,15}$/);

export const chatMessagesQuerySchema = z
  .strictObject({
    /** Only what was said before this place; the last of it. */
    before: place.optional(),
    /** Only what was said after this place; the first of it. */
    after: place.optional(),
    /** What was said around this message. */
    message: z.string().min(1).max(128).optional(),
    limit: z.coerce.number().int().min(1).max(200).default(100),
  })
  .refine(
    (query) => [query.before, query.after, query.message].filter(Boolean).length <= 1,
    'Give one of before, after and message',
  );
export type ChatMessagesQuery = z.infer<typeof chatMessagesQuerySchema>;

export const chatMessagesSchema = z.object({
  /** The oldest first. */
  messages: z.array(chatMessageSchema),
  /** Whether there is more before the first of them, and after the last. */
  older: z.boolean(),
  newer: z.boolean(),
});
export type ChatMessages = z.infer<typeof chatMessagesSchema>;

// The chats as their owner reads them. Implemented by `store`; every refusal is a RelayError from the one table.

export interface ChatReader {
  list(query: ChatsQuery): Promise<ChatsPage>;
  get(id: string): Promise<ChatDetail>;
  messages(id: string, query: ChatMessagesQuery): Promise<ChatMessages>;
}

// A chat summed up by the owner's model, without tools. Implemented by `flows/assistant`; every refusal is a
// RelayError from the one table.

export interface ChatLine {
  readonly at: Date;
  /** Null: the owner wrote it. */
  readonly who: string | null;
  readonly text: string;
}

type SummariseChat = (name: string, lines: readonly ChatLine[]) => Promise<string>;

export interface ChatSummaryService {
  /** Refused at once where there is no model, or no budget left. `by` is whom it is counted for, `chat` what is summed up. */
  begin(by: string, chat: ChatId, signal: AbortSignal): Promise<SummariseChat>;
}
