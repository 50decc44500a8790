// What is kept how long, and erasing somebody, as the API has it.
import { z } from 'zod';
import type { DigestId } from '../ids.ts';
import { boundedText } from './common.ts';

const figure = z.int().min(0);
const moment = z.iso.datetime();

const retentionGroupSchema = z.object({
  chat_id: z.uuid(),
  name: z.string().nullable(),
  /** False: no longer observed; what was written until then still goes in time. */
  observed: z.boolean(),
  messages: figure,
  oldest_message_at: moment.nullable(),
  digests: figure,
  oldest_digest_at: moment.nullable(),
  /** Nothing here is older than its limit. */
  within_limits: z.boolean(),
});

export const retentionRunSchema = z.object({
  at: moment,
  /** Why it was enforced: a start of the daemon, its daily time, or the owner. */
  cause: z.enum(['start', 'night', 'owner']),
  messages: figure,
  digests: figure,
  /** Whether the database's files were written anew, so that no byte of it is left in them. */
  scoured: z.boolean(),
  ms: figure,
});

export const retentionStatusSchema = z.object({
  now: moment,
  limits: z.object({ observed_messages_days: z.int(), digests_days: z.int() }),
  groups: z.array(retentionGroupSchema),
  /** The newest first. */
  runs: z.array(retentionRunSchema),
  next_run_at: moment,
  /** What else has a limit, in words. */
  others: z.array(z.object({ what: z.string(), limit: z.string() })),
});

export type RetentionGroup = z.infer<typeof retentionGroupSchema>;
export type RetentionRun = z.infer<typeof retentionRunSchema>;
export type RetentionStatus = z.infer<typeof retentionStatusSchema>;

const erasedCountsSchema = z.object({
  messages: figure,
  /** What Relay sent or was to send. */
  sent: figure,
  conversations: figure,
  session_lines: figure,
  schedules: figure,
  approvals: figure,
  grants: figure,
  digests: figure,
  /** What the assistant told the owner from it, and what its tools found there. */
  assistant_answers: figure,
  tool_calls: figure,
});

export type ErasedCounts = z.infer<typeof erasedCountsSchema>;

/** A contact's id, a chat's, or `name:` and the name of somebody who has no address. */
const whom = boundedText(300);

export const forgetQuerySchema = z.strictObject({ id: whom });
export const forgetRequestSchema = z.strictObject({ id: whom });

export const forgetPreviewSchema = z.object({
  id: z.string(),
  kind: z.enum(['person', 'group']),
  name: z.string().nullable(),
  counts: erasedCountsSchema,
  /** Conversations that would be ended first. */
  open_conversations: figure,
});

export type ForgetPreview = z.infer<typeof forgetPreviewSchema>;

export const erasureReceiptSchema = z.object({
  kind: z.enum(['person', 'group']),
  erased: erasedCountsSchema,
  /** Lines taken out of the files for a memory outside. */
  outside_lines: figure,
  /** How far the bytes are gone from the database's files. */
  scoured: z.enum(['all', 'tables', 'none']),
  ms: figure,
  /** What is left, where and why, in sentences. */
  stays: z.array(z.string()),
});

export type ErasureReceipt = z.infer<typeof erasureReceiptSchema>;

// Deletion as the owner's routes and commands call it, and what it needs of those who keep copies outside of
// the database. Every refusal is a RelayError from the one table.

export interface RetentionService {
  status(): Promise<RetentionStatus>;
  /** Enforces the limits now, and leaves no byte behind where that is in Relay's hands. */
  run(): Promise<RetentionRun>;
  /** What `forget` would erase. */
  preview(id: string): Promise<ForgetPreview>;
  forget(id: string): Promise<ErasureReceipt>;
}

/** Copies of digests that Relay has written elsewhere. */
export interface ExportedDigestCopies {
  /** Takes the lines of these digests out of the files that Relay can reach. Returns how many lines. */
  erase(digests: readonly DigestId[]): Promise<number>;
}
