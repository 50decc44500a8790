// Whom Relay knows: people and groups, with what is granted to each, when they last wrote, and whether they
// knocked: wrote without being allowed to be read.
import { z } from 'zod';
import { REPLY_MODES } from '../contacts/grants.ts';

export const contactSchema = z.object({
  /** The contact's; of a group, the chat's. */
  id: z.string(),
  kind: z.enum(['person', 'group']),
  /** Yours for them if they have one, else the one that WhatsApp tells. */
  name: z.string().nullable(),
  /** Digits only. */
  phone_number: z.string().nullable(),
  /** WhatsApp's own number for a person. */
  lid: z.string().nullable(),
  jid: z.string().nullable(),
  grant: z
    .object({
      id: z.string(),
      can_read: z.boolean(),
      can_reply: z.boolean(),
      reply_mode: z.enum(REPLY_MODES),
      can_initiate: z.boolean(),
    })
    .nullable(),
  last_message_at: z.string().nullable(),
  /** Until when auto-reply rests for them, because answering would feed a loop. */
  resting_until: z.string().nullable(),
  /** Messages that nobody was allowed to read; null when there are none, or they were dismissed. */
  knocks: z.object({ count: z.number(), first_at: z.string(), last_at: z.string() }).nullable(),
});
export type ListedContact = z.infer<typeof contactSchema>;

export const listContactsSchema = z.strictObject({
  /** A name or a part of it, a phone number as people write it, a LID, an address or an id. */
  query: z.string().trim().max(200).optional(),
  kind: z.enum(['person', 'group', 'all']).default('all'),
  /** Only those who wrote without being allowed to be read. */
  knocks: z.literal('only').optional(),
  limit: z.coerce.number().int().min(1).max(500).default(100),
});
export type ContactQuery = z.infer<typeof listContactsSchema>;

export const contactsResponseSchema = z.object({
  /** The best match first; without a query, whoever wrote last. */
  contacts: z.array(contactSchema),
  /** The id of the one that is meant; null when it may be several, or nobody. */
  meant: z.string().nullable(),
  /** The query as an international number in digits, if it is one. */
  number: z.string().nullable(),
});
export type FoundContacts = z.infer<typeof contactsResponseSchema>;

export const knockSchema = z.object({
  contact_id: z.string(),
  name: z.string().nullable(),
  phone_number: z.string().nullable(),
  lid: z.string().nullable(),
  count: z.number(),
  first_at: z.string(),
  last_at: z.string(),
});
export type Knock = z.infer<typeof knockSchema>;

export const dismissedSchema = z.object({ dismissed: z.literal(true) });
