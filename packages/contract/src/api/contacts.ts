// Schemas and services of contacts and grants: people and groups, what is granted to each, when they last wrote, and
// message requests.
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
  /** The contact's id; for a group the chat's id. */
  id: z.string(),
  kind: z.enum(['person', 'group']),
  /** The owner's name for them if there is one, else WhatsApp's. */
  name: z.string().nullable(),
  /** Digits only. */
  phone_number: z.string().nullable(),
  /** WhatsApp's hidden id of a person. */
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
  /** The open conversation with them: until it ends they are read and written to in it, whatever the grant says. */
  conversation: z
    .object({ id: z.string(), objective: z.string(), state: instanceStateSchema })
    .nullable(),
  last_message_at: z.string().nullable(),
  /** The end of the cooldown in which auto-reply does not answer them, because answering would feed a loop. */
  resting_until: z.string().nullable(),
  /** Messages received without a grant to read; null if there are none or they were dismissed. */
  knocks: z.object({ count: z.number(), first_at: z.string(), last_at: z.string() }).nullable(),
});
export type ListedContact = z.infer<typeof contactSchema>;

/**
 * Filters: with any grant or none; with a record, granted or not; and by what is granted. `reply` and `auto` require
 * the grant to read as well.
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
  /** A name or part of it, a phone number as people write it, a LID, an address or an id. */
  query: z.string().trim().max(200).optional(),
  kind: z.enum(['person', 'group', 'all']).default('all'),
  /** Only contacts with a message request. */
  knocks: z.literal('only').optional(),
  show: z.enum(CONTACT_FILTERS).default('all'),
  /** The order without a query: by last message or by name. */
  sort: z.enum(['recent', 'name']).default('recent'),
  limit: z.coerce.number().int().min(1).max(500).default(100),
  /** How many contacts to skip: where the next page begins. */
  offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
});
export type ContactQuery = z.infer<typeof listContactsSchema>;

export const contactsResponseSchema = z.object({
  /** Best match first; without a query, in the requested order. */
  contacts: z.array(contactSchema),
  /** The count on all pages; a query counts at most a thousand. */
  total: z.int(),
  /** The id of the only contact that the query can mean; null if there are several or none. */
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

/**
 * How many contacts have each grant. Each count is included in the one before, except that some contacts may be written
 * to first and not read.
 */
export const contactCountsSchema = z.object({
  people: z.object(rungs),
  groups: z.object(rungs),
  /** People who are only allowed inside a conversation and have no grant. */
  in_conversations_only: z.int(),
  knocking: z.int(),
});
export type ContactCounts = z.infer<typeof contactCountsSchema>;

export const contactDetailSchema = z.object({
  contact: contactSchema,
  /** The owner's choice whether photos may go to the model's provider; null: only where an agent answers. */
  photos: grantOptionsSchema.shape.photos.unwrap().nullable(),
  /** Their profile name on WhatsApp; for a group its subject. */
  calls_itself: z.string().nullable(),
  /** All their addresses, newest of each kind first. */
  addresses: z.array(
    z.object({ kind: z.enum(['phone', 'lid', 'group']), value: z.string(), learnt_at: z.string() }),
  ),
  /** Their own chat and the groups they are known to be in, latest first. */
  chats: z.array(
    z.object({
      id: z.string(),
      kind: z.enum(['direct', 'group']),
      name: z.string().nullable(),
      last_message_at: z.string().nullable(),
    }),
  ),
  /** Newest first, at most ten. */
  conversations: z.array(relatedInstanceSchema),
  /** Clients whose token may deal with them, within the grant. */
  tokens: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      scopes: z.array(z.enum(SCOPES)),
      /** True if the token names this contact; otherwise it covers everybody with a grant. */
      by_name: z.boolean(),
    }),
  ),
  /** Recent decisions about them, newest first. */
  ledger: z.array(ledgerLineSchema),
});
export type ContactDetail = z.infer<typeof contactDetailSchema>;

export const messageRequestSchema = z.object({
  contact_id: z.string(),
  name: z.string().nullable(),
  /** Whether the name is their own profile name, which is not verified. */
  calls_itself: z.boolean(),
  /** The number of groups they are known to share with the owner. */
  groups: z.int(),
  phone_number: z.string().nullable(),
  lid: z.string().nullable(),
  count: z.number(),
  first_at: z.string(),
  last_at: z.string(),
  /** Messages of the last 30 days that were counted but not stored, because they exceeded the budget for strangers. */
  not_stored: z.int(),
});
export type MessageRequest = z.infer<typeof messageRequestSchema>;

export const messageRequestDismissedSchema = z.object({ dismissed: z.literal(true) });

// Seed 000's permissions in the API, and the fields that Relay adds: the reply mode, whether agents may begin, and the
// options of auto-reply.

export const permissionSchema = z.object({
  id: z.string(),
  /** Digits only; null for a group, and for a contact whose number WhatsApp has not revealed. */
  phoneNumber: z.string().nullable(),
  /** The owner's name for them, or their number. Never their profile name. */
  displayName: z.string(),
  /** Null for a group. */
  contactId: z.string().nullable(),
  canRead: z.boolean(),
  canReply: z.boolean(),
  /** The auto-reply session with this contact, if there is one. */
  chatId: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
  kind: z.enum(['contact', 'group']),
  /** Their address on WhatsApp. */
  jid: z.string().nullable(),
  /** `draft`: replies wait for the owner's approval. */
  replyMode: z.enum(REPLY_MODES),
  /** Whether agents may begin conversations. */
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

/** The route checks what the seed requires, because the seed fixes its error sentence. */
export const createPermissionSchema = z.strictObject({
  phoneNumber: z.string().max(64).nullish(),
  /** Instead of a number: a contact's id from `/api/contacts`, or a group's address. */
  contactId: z.guid().optional(),
  group: z.string().max(128).optional(),
  /** The owner's name for them. Without one, agents know a contact by the number; a new number needs a name. */
  displayName: displayName.nullish(),
  canRead: z.boolean().default(false),
  canReply: z.boolean().default(false),
  replyMode: z.enum(REPLY_MODES).default('auto'),
  canInitiate: z.boolean().default(false),
  options: grantOptionsSchema.default({}),
});
export type CreatePermission = z.infer<typeof createPermissionSchema>;

/** Changes only the given fields. */
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

/** Where the seed fixes a body it is the sentence alone; the guard's own refusals also have a code. */
export const seedErrorSchema = z.object({ error: z.string(), code: z.string().optional() });

// The services for grants and contacts, as routes and commands call them. Every change goes through the gate; every
// refusal is a RelayError.

export interface GrantService {
  /** Sorted by name. */
  list(kind: PermissionKind): Promise<readonly Permission[]>;
  create(given: CreatePermission): Promise<Permission>;
  /** Changes only the given fields. */
  update(id: GrantId, changes: UpdatePermission): Promise<Permission>;
  remove(id: GrantId): Promise<void>;
}

export interface ContactService {
  find(query: ContactQuery): Promise<FoundContacts>;
  counts(): Promise<ContactCounts>;
  /** Takes a contact's id for a person, a chat's id for a group. */
  detail(id: string): Promise<ContactDetail>;
  /** Message requests, latest first. */
  messageRequests(): Promise<readonly MessageRequest[]>;
  /** Dismisses a message request; it is shown again when they write again. */
  dismiss(contact: ContactId): Promise<void>;
}
