// Digests as the API has them: what was said in an observed group on one of its days, by the day and by the
// hour, with the facts, what it cost, and an honest word about what is missing.
import { z } from 'zod';
import { FACT_KINDS } from '../observer/digest/facts.ts';
import { written } from './written.ts';

export const digestQuerySchema = z.strictObject({
  /** A name, an address or an id; all of them without. */
  group: written(128).optional(),
  /** `today`, `yesterday`, a weekday or a date; the last day that has something without. */
  day: written(64).optional(),
  kind: z.enum(['hourly', 'daily']).optional(),
});
export type DigestQuery = z.infer<typeof digestQuerySchema>;

const factSchema = z.object({
  kind: z.enum(FACT_KINDS),
  text: z.string(),
  /** Who does it, or asked it. */
  who: z.string().nullable(),
  /** When it is to happen, as it was said. */
  when: z.string().nullable(),
  /** The beginning of the hour in which it was said. */
  said_at: z.iso.datetime(),
});

const digestSchema = z.object({
  id: z.string(),
  kind: z.enum(['hourly', 'daily']),
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  text: z.string(),
  facts: z.array(factSchema),
  /** How many messages it sums up. */
  messages: z.int(),
  /** Its own size, and what the model took to make it. */
  tokens: z.int(),
  cost_tokens: z.int(),
  made_at: z.iso.datetime(),
});

const failureSchema = z.object({
  kind: z.enum(['hourly', 'daily']),
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  /** Why there is none, and what may be done. */
  sentence: z.string(),
});

export const groupDaySchema = z.object({
  chat_id: z.string(),
  group: z.string(),
  /** By whose clock hours and days are cut. */
  zone: z.string(),
  observed: z.boolean(),
  /** `YYYY-MM-DD`, as the group's zone has it. */
  day: z.string(),
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  daily: digestSchema.nullable(),
  hourly: z.array(digestSchema),
  failures: z.array(failureSchema),
  /** What there is instead of a day's digest; null when there is one. */
  instead: z.string().nullable(),
  messages_kept: z.int(),
  messages_cut: z.int(),
  tokens_spent: z.int(),
  tokens_saved: z.int(),
});

export const digestsResponseSchema = z.object({ digests: z.array(groupDaySchema) });

export type Digest = z.infer<typeof digestSchema>;
export type GroupDay = z.infer<typeof groupDaySchema>;
export type DigestsResponse = z.infer<typeof digestsResponseSchema>;
