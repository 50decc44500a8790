// What happened over the last hours or days, in buckets: what `GET /api/activity` answers and Home draws. Counts and
// times only, never a word or a name.
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
  /** Written by others, by when they wrote it. */
  received: z.int(),
  /** Left through Relay, whoever wrote it. */
  sent: z.int(),
  /** Messages of agents that somebody in a chat of two had waited for. */
  answers: z.int(),
  /** Half of the answers took no longer; null without any. */
  answer_ms: z.int().nullable(),
  /** One answer in twenty took longer. */
  slow_answer_ms: z.int().nullable(),
  /** Of models, input and output together; of turns that failed as well. */
  tokens: tokensSchema,
});

const activityBucketSchema = happenedSchema.extend({
  /** Where it begins; it ends where the next begins. */
  at: z.iso.datetime(),
  /** Open conversations at its end, by whose turn their state says it is. */
  turns: z.object({ you: z.int(), agent: z.int(), them: z.int(), parked: z.int() }),
});
export type ActivityBucket = z.infer<typeof activityBucketSchema>;

export const activitySchema = z.object({
  hours: z.int(),
  unit: z.enum(['hour', 'day']),
  /** Whose hours and days they are. */
  zone: z.string(),
  until: z.iso.datetime(),
  /** Oldest first; the last is not over yet. */
  buckets: z.array(activityBucketSchema),
  /** Of all buckets. */
  total: happenedSchema,
  /** Since midnight in that zone. */
  today: z.object({
    since: z.iso.datetime(),
    received: z.int(),
    sent: z.int(),
    answers: z.int(),
    tokens: z.int(),
    /** What all agents may use in a day. */
    tokens_per_day: z.int(),
    /** Conversations that reached their objective. */
    completed: z.int(),
  }),
});
export type Activity = z.infer<typeof activitySchema>;

// What happened, counted. Implemented by `store`.

export interface ActivityReader {
  /** The last hours up to now. */
  read(hours: ActivityHours): Promise<Activity>;
}
