// Schemas of `GET /api/activity`: counts of the last hours or days in buckets, which the Home page draws. Contains
// counts and times only, never text or names.
import { z } from 'zod';
import {
  ACTIVITY_HOURS,
  type ActivityHours,
  TOKEN_SPENDERS,
  type TokenSpender,
} from './constants.ts';

export const activityQuerySchema = z.strictObject({
  hours: z.coerce.number().pipe(z.literal(ACTIVITY_HOURS)).default(24),
});

const tokensSchema = z.object(
  Object.fromEntries(TOKEN_SPENDERS.map((spender) => [spender, z.int()])) as Record<
    TokenSpender,
    z.ZodInt
  >,
);

const happenedSchema = z.object({
  /** Messages from others, by the time they were written. */
  received: z.int(),
  /** Messages sent through Relay, whoever wrote them. */
  sent: z.int(),
  /** Messages of agents that answered somebody in a chat of two. */
  answers: z.int(),
  /** The median time to an answer; null if there was none. */
  answer_ms: z.int().nullable(),
  /** The 95th percentile of the time to an answer. */
  slow_answer_ms: z.int().nullable(),
  /** Model tokens, input and output together, failed turns included. */
  tokens: tokensSchema,
});

const activityBucketSchema = happenedSchema.extend({
  /** The start of the bucket; it ends where the next one starts. */
  at: z.iso.datetime(),
  /** Open conversations at the end of the bucket, by whose turn it is. */
  turns: z.object({ you: z.int(), agent: z.int(), them: z.int(), parked: z.int() }),
});
export type ActivityBucket = z.infer<typeof activityBucketSchema>;

export const activitySchema = z.object({
  hours: z.int(),
  unit: z.enum(['hour', 'day']),
  /** The time zone in which hours and days are cut. */
  zone: z.string(),
  until: z.iso.datetime(),
  /** Oldest first; the last bucket is not over yet. */
  buckets: z.array(activityBucketSchema),
  /** The sum of all buckets. */
  total: happenedSchema,
  /** Since midnight in that zone. */
  today: z.object({
    since: z.iso.datetime(),
    received: z.int(),
    sent: z.int(),
    answers: z.int(),
    tokens: z.int(),
    /** The daily token limit of all agents together. */
    tokens_per_day: z.int(),
    /** Conversations that reached their objective. */
    completed: z.int(),
  }),
});
export type Activity = z.infer<typeof activitySchema>;

// The activity service.

export interface ActivityReader {
  /** Reads the last hours up to now. */
  read(hours: ActivityHours): Promise<Activity>;
}
