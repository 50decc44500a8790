// Seed 000's permissions as the API speaks them, and beside its fields what Relay keeps with them: how
// replies go out, whether agents may begin, and the options of auto-reply.
import { z } from 'zod';
import { REPLY_MODES } from '../contacts/grants.ts';
import { grantOptionsPatchSchema, grantOptionsSchema } from '../contacts/options.ts';

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

export const PERMISSION_KINDS = ['contact', 'group', 'all'] as const;
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
export type UpdatePermission = z.infer<typeof updatePermissionSchema>;

export const removedSchema = z.object({ success: z.literal(true) });

/** Where the seed gives a body it is the sentence alone; the guard's own refusals have a code as well. */
export const seedErrorSchema = z.object({ error: z.string(), code: z.string().optional() });
