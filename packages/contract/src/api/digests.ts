// Schemas and services of digests and the digest export: an observed group's day and hours, with facts, cost and a note
// about what is missing.
import { z } from 'zod';
import type { ChatId } from '../ids.ts';
import { FACT_KINDS } from '../observer/digest/facts.ts';
import { boundedText } from './common.ts';

export const digestQuerySchema = z.strictObject({
  /** A name, an address or an id; all groups if omitted. */
  group: boundedText(128).optional(),
  /** `today`, `yesterday`, a weekday or a date; the last day with content if omitted. */
  day: boundedText(64).optional(),
  kind: z.enum(['hourly', 'daily']).optional(),
});
export type DigestQuery = z.infer<typeof digestQuerySchema>;

const factSchema = z.object({
  kind: z.enum(FACT_KINDS),
  text: z.string(),
  /** Who does it, or asked it. */
  who: z.string().nullable(),
  /** When it is due, as it was said. */
  when: z.string().nullable(),
  /** The start of the hour in which it was said. */
  said_at: z.iso.datetime(),
});

const digestSchema = z.object({
  id: z.string(),
  kind: z.enum(['hourly', 'daily']),
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  text: z.string(),
  facts: z.array(factSchema),
  /** How many messages the digest covers. */
  messages: z.int(),
  /** The digest's own size, and the model tokens used to write it. */
  tokens: z.int(),
  cost_tokens: z.int(),
  made_at: z.iso.datetime(),
});

const failureSchema = z.object({
  kind: z.enum(['hourly', 'daily']),
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  /** Why there is no digest, and what to do. */
  sentence: z.string(),
});

const groupDaySchema = z.object({
  chat_id: z.string(),
  group: z.string(),
  /** The time zone in which hours and days are cut. */
  zone: z.string(),
  observed: z.boolean(),
  /** `YYYY-MM-DD` in the group's zone. */
  day: z.string(),
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  daily: digestSchema.nullable(),
  hourly: z.array(digestSchema),
  failures: z.array(failureSchema),
  /** A sentence in place of the day's digest; null if there is a digest. */
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

// The digest service for routes, commands and the assistant. Implemented by features/observer; every refusal is a
// RelayError.

export interface DigestService {
  /** `among`: the only groups that the caller may know about. */
  digests(query: DigestQuery, among?: readonly ChatId[]): Promise<DigestsResponse>;
  /** Whether any group can be asked about. */
  hasGroups(): Promise<boolean>;
}

// The digest export: a folder, a webhook, or both.

const url = z
  .url({ protocol: /^https?$/, error: 'must be an address that begins with https:// or http://' })
  .max(2_000);

export const digestExportStateSchema = z.object({
  device_id: z.string(),
  folder: z.string().nullable(),
  hourly: z.boolean(),
  webhook_url: z.string().nullable(),
  /** Whether there is a secret to sign with. */
  signed: z.boolean(),
});

export type DigestExportState = z.infer<typeof digestExportStateSchema>;

/** An omitted field stays as it is; null removes it. */
export const changeDigestExportSchema = z.strictObject({
  device_id: z.string().min(1).max(100).optional(),
  folder: z.string().max(4_096).nullable().optional(),
  hourly: z.boolean().optional(),
  webhook_url: url.nullable().optional(),
  /** Creates a new secret. A webhook without one gets one automatically. */
  rotate_secret: z.boolean().optional(),
});

export type ChangeDigestExport = z.infer<typeof changeDigestExportSchema>;

export const changedDigestExportSchema = digestExportStateSchema.extend({
  /** A newly created secret, shown only once. */
  webhook_secret: z.string().nullable(),
});

type ChangedDigestExport = z.infer<typeof changedDigestExportSchema>;

// The digest export service, as routes and commands call it.

export interface DigestExportService {
  state(): Promise<DigestExportState>;
  change(changed: ChangeDigestExport): Promise<ChangedDigestExport>;
}
