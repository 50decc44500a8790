// Schemas and service of search: the query, and the hits with their context, best first.
import { z } from 'zod';
import { boundedText } from './common.ts';
import { MAX_SEARCH_QUERY_LENGTH } from './constants.ts';
import { mediaSchema } from './media.ts';
import { receivedContentSchema } from './received.ts';

const MOST_HITS = 100;

/** An instant, a day, or words: `2026-03-01`, `yesterday`, `last friday`. */
const moment = boundedText(64);
/** A name, a number, an address or an id. */
const who = boundedText(128);

export const searchQuerySchema = z.strictObject({
  /** Words, "a phrase", names and times: `dinner with Ana last week`. */
  q: boundedText(MAX_SEARCH_QUERY_LENGTH),
  chat: who.optional(),
  /** Who said it; `me` is the owner. */
  contact: who.optional(),
  /** Said at that time or later. */
  from: moment.optional(),
  /** Said before that time, or on that day. */
  to: moment.optional(),
  /** Whose access to apply instead of the owner's: `assistant`, or a client by its token's id. */
  as: z.union([z.literal('assistant'), z.uuid()]).optional(),
  limit: z.coerce.number().int().min(1).max(MOST_HITS).default(20),
});

export type SearchQuery = z.infer<typeof searchQuerySchema>;

const lineSchema = z.object({
  message_id: z.string(),
  from_me: z.boolean(),
  /** `me`, a name, or a number if no name is known. */
  from_name: z.string(),
  at: z.iso.datetime(),
  text: z.string(),
  /** Its file; absent if it has none. */
  media: mediaSchema.optional(),
  /** What it is besides text and a file; absent if it is nothing else. */
  content: receivedContentSchema.optional(),
});

const searchHitSchema = lineSchema.extend({
  chat_id: z.string(),
  chat_name: z.string(),
  is_group: z.boolean(),
  /** A message; or a digest or fact of an observed group, whose `message_id` is the digest's. */
  source: z.enum(['message', 'digest', 'fact']),
  contact_id: z.string().nullable(),
  /** Higher is better; comparable within one response only. */
  rank: z.number(),
  /**
   * How it was found: it shares words with the query, or has a similar meaning; it is among the newest of the person or
   * the time that the query names; or it changes what the next hit says.
   */
  by: z.enum(['words', 'meaning', 'recent', 'change']),
  /** The message right before it in the chat, and the one right after. */
  before: lineSchema.nullable(),
  after: lineSchema.nullable(),
});

export type SearchLine = z.infer<typeof lineSchema>;
export type FoundMessage = z.infer<typeof searchHitSchema>;

export const searchResponseSchema = z.object({
  /** False if no hit is clearly about the query; the hits are only the nearest ones. */
  sure: z.boolean(),
  hits: z.array(searchHitSchema),
});
export type SearchResponse = z.infer<typeof searchResponseSchema>;

// The search service, as the owner's routes and commands call it. Implemented by features/search; every refusal is a
// RelayError.

export interface SearchService {
  search(query: SearchQuery): Promise<SearchResponse>;
}
