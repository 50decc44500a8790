// Whom Relay knows: people and groups, with what is granted to each, when they last wrote, and whether they
// knocked: wrote without being allowed to be read.
import { z } from 'zod';
import {
  grantOptionsPatchSchema,
  grantOptionsSchema,
  REPLY_MODES,
} from '../contacts/grant-options.ts';
import type { ContactId, GrantId } from '../ids.ts';
import { SCOPES } from '../policy/scopes.ts';
import { instanceStateSchema, relatedInstanceSchema } from './instances.ts';
import { ledgerLineSchema } from './ledger.ts';

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
  /** The open conversation with them: inside it they are read and written to until it ends, whatever the grant says. */
  conversation: z
    .object({ id: z.string(), objective: z.string(), state: instanceStateSchema })
    .nullable(),
  last_message_at: z.string().nullable(),
  /** Until when auto-reply rests for them, because answering would feed a loop. */
  resting_until: z.string().nullable(),
  /** Messages that nobody was allowed to read; null when there are none, or they were dismissed. */
  knocks: z.object({ count: z.number(), first_at: z.string(), last_at: z.string() }).nullable(),
});
export type ListedContact = z.infer<typeof contactSchema>;

/**
 * Which of them: those for whom anything is open, and those for whom nothing is; those with a record, open or not; and by
 * what is open. `reply` and `auto` are what they are only together with reading.
 */
const CONTACT_FILTERS = [
  'all',
  'open',
  'closed',
  'recorded',
  'read',
  'reply',
  'auto',
  'start',
  'conversation',
] as const;
export type ContactFilter = (typeof CONTACT_FILTERS)[number];

export const listContactsSchema = z.strictObject({
  /** A name or a part of it, a phone number as people write it, a LID, an address or an id. */
  query: z.string().trim().max(200).optional(),
  kind: z.enum(['person', 'group', 'all']).default('all'),
  /** Only those who wrote without being allowed to be read. */
  knocks: z.literal('only').optional(),
  show: z.enum(CONTACT_FILTERS).default('all'),
  /** Without a query: whoever wrote last, or by name. */
  sort: z.enum(['recent', 'name']).default('recent'),
  limit: z.coerce.number().int().min(1).max(500).default(100),
  /** So many are left out before the first: where the next page begins. */
  offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
});
export type ContactQuery = z.infer<typeof listContactsSchema>;

export const contactsResponseSchema = z.object({
  /** The best match first; without a query, as they are sorted. */
  contacts: z.array(contactSchema),
  /** How many there are on all pages; of a query that fits more than a thousand, a thousand. */
  total: z.int(),
  /** The id of the one that is meant; null when it may be several, or nobody. */
  meant: z.string().nullable(),
  /** The query as an international number in digits, if it is one. */
  number: z.string().nullable(),
});
export type FoundContacts = z.infer<typeof contactsResponseSchema>;

const rungs = {
  known: z.int(),
  open: z.int(),
  read: z.int(),
  reply: z.int(),
  auto: z.int(),
  start: z.int(),
};

/** How far it is open, for how many: each is within the one before, except that some may be written first unread. */
export const contactCountsSchema = z.object({
  people: z.object(rungs),
  groups: z.object(rungs),
  /** Of the open people, those open inside a conversation and by no grant. */
  in_conversations_only: z.int(),
  knocking: z.int(),
});
export type ContactCounts = z.infer<typeof contactCountsSchema>;

export const contactDetailSchema = z.object({
  contact: contactSchema,
  /** What they call themselves on WhatsApp; of a group, its subject. */
  calls_itself: z.string().nullable(),
  /** Every address there is for them, the newest of each kind first. */
  addresses: z.array(
    z.object({ kind: z.enum(['phone', 'lid', 'group']), value: z.string(), learnt_at: z.string() }),
  ),
  /** Their own chat, and the groups they are known to be in; the latest first. */
  chats: z.array(
    z.object({
      id: z.string(),
      kind: z.enum(['direct', 'group']),
      name: z.string().nullable(),
      last_message_at: z.string().nullable(),
    }),
  ),
  /** The newest first, at most ten. */
  conversations: z.array(relatedInstanceSchema),
  /** Programs whose token may deal with them, as far as the grant goes. */
  tokens: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      scopes: z.array(z.enum(SCOPES)),
      /** It names people, and this is one of them; else it may deal with all that grants allow. */
      by_name: z.boolean(),
    }),
  ),
  /** What was decided about them lately, the newest first. */
  ledger: z.array(ledgerLineSchema),
});
export type ContactDetail = z.infer<typeof contactDetailSchema>;

export const messageRequestSchema = z.object({
  contact_id: z.string(),
  name: z.string().nullable(),
  /** The name is what they call themselves, and nobody else knows them by it. */
  calls_itself: z.boolean(),
  /** In how many groups with the owner they are known to be. */
  groups: z.int(),
  phone_number: z.string().nullable(),
  lid: z.string().nullable(),
  count: z.number(),
  first_at: z.string(),
  last_at: z.string(),
  /** Of those, within 30 days, how many were counted and not stored: they were over the budget for strangers. */
  not_stored: z.int(),
});
export type MessageRequest = z.infer<typeof messageRequestSchema>;

export const messageRequestDismissedSchema = z.object({ dismissed: z.literal(true) });

// Seed 000's permissions as the API speaks them, and beside its fields what Relay keeps with them: how
// replies go out, whether agents may begin, and the options of auto-reply.

export const permissionSchema = z.object({
  id: z.string(),
  /** Digits only; null for a group, and for a contact whose number WhatsApp has not told. */
  phoneNumber: z.string().nullable(),
  /** What you call them, or their number. Never what they call themselves. */
  displayName: z.string(),
  /** Null for a group. */
  contactId: z.string().nullable(),
  canRead: z.boolean(),
  canReply: z.boolean(),
  /** The session of auto-reply with this contact, once there is one. */
  chatId: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
  kind: z.enum(['contact', 'group']),
  /** Where WhatsApp reaches them. */
  jid: z.string().nullable(),
  /** `draft`: replies wait for your yes. */
  replyMode: z.enum(REPLY_MODES),
  /** Agents may begin conversations. */
  canInitiate: z.boolean(),
  options: grantOptionsSchema,
});
export type Permission = z.infer<typeof permissionSchema>;

const PERMISSION_KINDS = ['contact', 'group', 'all'] as const;
export type PermissionKind = (typeof PERMISSION_KINDS)[number];

export const listPermissionsSchema = z.strictObject({
  kind: z.enum(PERMISSION_KINDS).default('contact'),
});

const displayName = z.string().trim().max(200);

/** What the seed requires is looked at by the route, which has the seed's own sentence for it. */
export const createPermissionSchema = z.strictObject({
  phoneNumber: z.string().max(64).nullish(),
  /** In place of a number: a contact as `/api/contacts` names it, or the address of a group. */
  contactId: z.guid().optional(),
  group: z.string().max(128).optional(),
  /** What you call them. Without one, agents know them by their number; a number needs one. */
  displayName: displayName.nullish(),
  canRead: z.boolean().default(false),
  canReply: z.boolean().default(false),
  replyMode: z.enum(REPLY_MODES).default('auto'),
  canInitiate: z.boolean().default(false),
  options: grantOptionsSchema.default({}),
});
export type CreatePermission = z.infer<typeof createPermissionSchema>;

/** Only what is given is changed. */
export const updatePermissionSchema = z.strictObject({
  displayName: displayName.min(1).optional(),
  canRead: z.boolean().optional(),
  canReply: z.boolean().optional(),
  replyMode: z.enum(REPLY_MODES).optional(),
  canInitiate: z.boolean().optional(),
  options: grantOptionsPatchSchema.optional(),
});
type UpdatePermission = z.infer<typeof updatePermissionSchema>;

export const permissionRemovedSchema = z.object({ success: z.literal(true) });

/** Where the seed gives a body it is the sentence alone; the guard's own refusals have a code as well. */
export const seedErrorSchema = z.object({ error: z.string(), code: z.string().optional() });

// The owner's grants and the people they are for, as routes and commands call them. Every change goes
// through the gate; every refusal is a RelayError from the one table.

export interface GrantService {
  /** Sorted by name. */
  list(kind: PermissionKind): Promise<readonly Permission[]>;
  create(given: CreatePermission): Promise<Permission>;
  /** Changes only what is given. */
  update(id: GrantId, changes: UpdatePermission): Promise<Permission>;
  remove(id: GrantId): Promise<void>;
}

export interface ContactService {
  find(query: ContactQuery): Promise<FoundContacts>;
  counts(): Promise<ContactCounts>;
  /** A person by the contact's id, a group by the chat's. */
  detail(id: string): Promise<ContactDetail>;
  /** Who wrote without being allowed to be read, the latest first. */
  knocks(): Promise<readonly MessageRequest[]>;
  /** They are shown again when they write again. */
  dismiss(contact: ContactId): Promise<void>;
}
