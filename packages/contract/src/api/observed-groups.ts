// Schemas and service of observed groups: their options, the tokens they cost and the tokens that filtering saved.
import { z } from 'zod';
import { boundedText } from './common.ts';

export const observeGroupSchema = z.strictObject({
  /** The group's name, address or id. */
  group: boundedText(128),
  /** The IANA zone of its hours and days; the owner's zone by default. */
  zone: z.string().max(64).optional(),
  /** The assistant's name in this group; from the settings by default. */
  assistant_name: z.string().trim().min(2).max(40).optional(),
  answers_per_day: z.int().min(0).max(100).optional(),
  /** Whether the assistant may answer the owner in the group when asked by name. */
  may_answer: z.boolean().default(false),
  /** Whether the owner has announced it in the group. Without that nothing is observed. */
  announced: z.boolean().default(false),
});
export type ObserveGroupRequest = z.infer<typeof observeGroupSchema>;

const terms = {
  /** The group's address on WhatsApp. */
  address: z.string(),
  name: z.string(),
  zone: z.string(),
  assistant_name: z.string(),
  answers_per_day: z.int(),
  may_answer: z.boolean(),
  /** A sentence with which the owner can announce it. */
  announcement: z.string(),
};

export const observedPreviewSchema = z.object({ ...terms, observed: z.boolean() });
export type ObservedPreview = z.infer<typeof observedPreviewSchema>;

const observedDaySchema = z.object({
  /** `YYYY-MM-DD` in the group's zone. */
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
  /** When the owner confirmed that it was announced. */
  announced_at: z.string().nullable(),
  messages_kept: z.int(),
  messages_cut: z.int(),
  tokens_spent: z.int(),
  /** Tokens saved because noise was filtered out without a model. */
  tokens_avoided: z.int(),
  answers_today: z.int(),
  /** Messages that Relay has sent or may have sent there since it is observed, according to the outbox. */
  messages_sent: z.int(),
  /** The last fourteen days with messages, oldest first. */
  days: z.array(observedDaySchema),
  last_digest_at: z.string().nullable(),
  /** The time of the oldest message that is still kept. */
  oldest_message_at: z.string().nullable(),
});
export type ObservedGroup = z.infer<typeof observedGroupSchema>;

export const unobserveSchema = z.strictObject({
  /** Whether to erase the group's stored content too. */
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

// The service of observed groups, as routes and commands call it. Every refusal is a RelayError.

export interface ObservedGroupService {
  /** Longest observed first. */
  list(): Promise<readonly ObservedGroup[]>;
  /** Shows what `add` would do. Writes nothing. */
  preview(request: ObserveGroupRequest): Promise<ObservedPreview>;
  /** Refused until the owner confirms the announcement. If the group is observed already, changes its options. */
  add(request: ObserveGroupRequest): Promise<ObservedGroup>;
  /** Takes the group's id or address. */
  remove(group: string, options: { readonly erase: boolean }): Promise<UnobservedGroup>;
}
