// Schemas and service of retention: how long content is kept, and erasing a contact.
import { z } from 'zod';
import type { DigestId } from '../ids.ts';
import { retentionDaysSchema, retentionSettingsSchema } from '../settings.ts';
import { boundedText } from './common.ts';

const figure = z.int().min(0);
const moment = z.iso.datetime();

const retentionGroupSchema = z.object({
  chat_id: z.uuid(),
  name: z.string().nullable(),
  /** False if the group is no longer observed; its messages still expire. */
  observed: z.boolean(),
  messages: figure,
  oldest_message_at: moment.nullable(),
  digests: figure,
  oldest_digest_at: moment.nullable(),
  /** Whether nothing is older than its limit. */
  within_limits: z.boolean(),
});

/** A chat with a limit of its own. */
export const retentionChatSchema = z.object({
  chat_id: z.uuid(),
  /** The other person; null for a group. */
  contact_id: z.uuid().nullable(),
  name: z.string().nullable(),
  /** 0: its messages are kept. Null: the setting for all chats applies. */
  days: retentionDaysSchema.nullable(),
  messages: figure,
  oldest_message_at: moment.nullable(),
});

export const retentionRunSchema = z.object({
  at: moment,
  /** What started the run: the daemon's start, its daily time, or the owner. */
  cause: z.enum(['start', 'night', 'owner']),
  messages: figure,
  digests: figure,
  /** Whether the database's files were rewritten, so that no deleted byte is left in them. */
  scoured: z.boolean(),
  ms: figure,
});

export const retentionStatusSchema = z.object({
  now: moment,
  limits: retentionSettingsSchema,
  chats: z.array(retentionChatSchema),
  groups: z.array(retentionGroupSchema),
  /** Newest first. */
  runs: z.array(retentionRunSchema),
  next_run_at: moment,
  /** Other limits, as text. */
  others: z.array(z.object({ what: z.string(), limit: z.string() })),
});

export type RetentionChat = z.infer<typeof retentionChatSchema>;
export type RetentionGroup = z.infer<typeof retentionGroupSchema>;
export type RetentionRun = z.infer<typeof retentionRunSchema>;
export type RetentionStatus = z.infer<typeof retentionStatusSchema>;

const erasedCountsSchema = z.object({
  messages: figure,
  /** Messages that Relay sent or was going to send. */
  sent: figure,
  conversations: figure,
  session_lines: figure,
  schedules: figure,
  approvals: figure,
  grants: figure,
  digests: figure,
  /** The assistant's answers to the owner that used it, and what its tools found there. */
  assistant_answers: figure,
  tool_calls: figure,
});

export type ErasedCounts = z.infer<typeof erasedCountsSchema>;

/** A contact's id, a chat's id, or `name:` and the name of somebody without an address. */
const whom = boundedText(300);

export const chatRetentionRequestSchema = z.strictObject({
  /** The id of a contact or a chat. */
  id: z.uuid(),
  days: retentionDaysSchema.nullable(),
});

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
  /** Lines removed from the files of the digest export. */
  outside_lines: figure,
  /** How far the deleted bytes are gone from the database's files. */
  scoured: z.enum(['all', 'tables', 'none']),
  ms: figure,
  /** What remains, where and why, in sentences. */
  stays: z.array(z.string()),
});

export type ErasureReceipt = z.infer<typeof erasureReceiptSchema>;

// The retention service for routes and commands, and the interface for copies outside of the database. Every refusal is
// a RelayError.

export interface RetentionService {
  status(): Promise<RetentionStatus>;
  /** Sets how long messages of one chat are kept. */
  setChat(id: string, days: number | null): Promise<RetentionChat>;
  /** Enforces the limits now and removes deleted bytes wherever Relay can. */
  run(): Promise<RetentionRun>;
  /** Shows what `forget` would erase. */
  preview(id: string): Promise<ForgetPreview>;
  forget(id: string): Promise<ErasureReceipt>;
}

/** Copies of digests that Relay exported. */
export interface ExportedDigestCopies {
  /** Removes the lines of these digests from the files that Relay can reach. Returns the number of lines. */
  erase(digests: readonly DigestId[]): Promise<number>;
}
