// Digests as the API has them: what was said in an observed group on one of its days, by the day and by the
// hour, with the facts, what it cost, and an honest word about what is missing.
import { z } from 'zod';
import type { ChatId } from '../ids.ts';
import { FACT_KINDS } from '../observer/digest/facts.ts';
import { boundedText } from './common.ts';

export const digestQuerySchema = z.strictObject({
  /** A name, an address or an id; all of them without. */
  group: boundedText(128).optional(),
  /** `today`, `yesterday`, a weekday or a date; the last day that has something without. */
  day: boundedText(64).optional(),
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

const groupDaySchema = z.object({
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

// Digests as the owner's routes, commands and assistant read them. Implemented by `flows/observer`; every
// refusal is a RelayError from the one table.

export interface DigestService {
  /** `among`: whoever asks knows of no other groups. */
  digests(query: DigestQuery, among?: readonly ChatId[]): Promise<DigestsResponse>;
  /** Whether there is any group to ask about. */
  hasGroups(): Promise<boolean>;
}

// Digests for a memory outside of Relay, as the owner sets them up: a folder, a webhook, or both.

const url = z.url({ protocol: /^https?$/ }).max(2_000);

export const digestExportStateSchema = z.object({
  device_id: z.string(),
  folder: z.string().nullable(),
  hourly: z.boolean(),
  webhook_url: z.string().nullable(),
  /** Whether there is a secret to sign with. */
  signed: z.boolean(),
});

export type DigestExportState = z.infer<typeof digestExportStateSchema>;

/** What is not named stays as it is; null takes it away. */
export const changeDigestExportSchema = z.strictObject({
  device_id: z.string().min(1).max(100).optional(),
  folder: z.string().max(4_096).nullable().optional(),
  hourly: z.boolean().optional(),
  webhook_url: url.nullable().optional(),
  /** Make a new secret; a webhook without one gets one by itself. */
  rotate_secret: z.boolean().optional(),
});

export type ChangeDigestExport = z.infer<typeof changeDigestExportSchema>;

export const changedDigestExportSchema = digestExportStateSchema.extend({
  /** A secret that was made now, shown this once. */
  webhook_secret: z.string().nullable(),
});

type ChangedDigestExport = z.infer<typeof changedDigestExportSchema>;

// The owner's other memory as routes and commands set it up.

export interface DigestExportService {
  state(): Promise<DigestExportState>;
  change(changed: ChangeDigestExport): Promise<ChangedDigestExport>;
}
