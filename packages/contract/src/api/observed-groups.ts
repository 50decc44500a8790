// Groups that are read in silence, as the API has them: which, on what terms, and what it costs and spares.
import { z } from 'zod';
import { boundedText } from './common.ts';

export const observeGroupSchema = z.strictObject({
  /** Its name, its address, or its id. */
  group: boundedText(128),
  /** The IANA zone its hours and days are told by; your own unless given. */
  zone: z.string().max(64).optional(),
  /** What you call your assistant in this group; as in the settings unless given. */
  assistant_name: z.string().trim().min(2).max(40).optional(),
  answers_per_day: z.int().min(0).max(100).optional(),
  /** Your assistant may answer you there, when you ask it by name. */
  may_answer: z.boolean().default(false),
  /** You have told the group. Without it nothing is observed. */
  announced: z.boolean().default(false),
});
export type ObserveGroupRequest = z.infer<typeof observeGroupSchema>;

const terms = {
  /** As WhatsApp has it. */
  address: z.string(),
  name: z.string(),
  zone: z.string(),
  assistant_name: z.string(),
  answers_per_day: z.int(),
  may_answer: z.boolean(),
  /** A ready sentence with which you tell the group. */
  announcement: z.string(),
};

export const observedPreviewSchema = z.object({ ...terms, observed: z.boolean() });
export type ObservedPreview = z.infer<typeof observedPreviewSchema>;

const observedDaySchema = z.object({
  /** `YYYY-MM-DD`, by the group's zone. */
  day: z.string(),
  messages_kept: z.int(),
  messages_cut: z.int(),
  tokens_spent: z.int(),
  tokens_avoided: z.int(),
});

export const observedGroupSchema = z.object({
  chat_id: z.string(),
  ...terms,
  since: z.string(),
  /** When you said that the group knows of it. */
  announced_at: z.string().nullable(),
  messages_kept: z.int(),
  messages_cut: z.int(),
  tokens_spent: z.int(),
  /** Tokens that no model had to read, because the noise was filtered out without one. */
  tokens_avoided: z.int(),
  answers_today: z.int(),
  /** What Relay sent there or may have since it is observed, as the outbox has it. */
  messages_sent: z.int(),
  /** The last fourteen on which something was read, the oldest first. */
  days: z.array(observedDaySchema),
  last_digest_at: z.string().nullable(),
  /** When the oldest message was written that is still kept. */
  oldest_message_at: z.string().nullable(),
});
export type ObservedGroup = z.infer<typeof observedGroupSchema>;

export const unobserveSchema = z.strictObject({
  /** What was kept of the group is erased too. */
  erase: z
    .enum(['true', 'false'])
    .default('false')
    .transform((erase) => erase === 'true'),
});

export const unobservedGroupSchema = z.object({
  chat_id: z.string(),
  name: z.string(),
  erased: z.boolean(),
});
type UnobservedGroup = z.infer<typeof unobservedGroupSchema>;

// Groups that are read in silence, as routes and commands call them. Every refusal is a RelayError from the
// one table.

export interface ObservedGroupService {
  /** The longest observed first. */
  list(): Promise<readonly ObservedGroup[]>;
  /** What `add` would do. Writes nothing. */
  preview(wish: ObserveGroupRequest): Promise<ObservedPreview>;
  /** Refused until the owner says that the group was told. Observed already: its terms are changed. */
  add(wish: ObserveGroupRequest): Promise<ObservedGroup>;
  /** By the id or address of the group. */
  remove(group: string, options: { readonly erase: boolean }): Promise<UnobservedGroup>;
}
