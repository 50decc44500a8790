// Schemas and services of accounts and of the owners that they belong to.
import { z } from 'zod';
import { CONNECTION_STATES, type ConnectionState } from '../connection/states.ts';
import type { OwnerId } from '../ids.ts';
import { isZoneName } from '../schedule/names.ts';
import { agentSchema, modelServerUrl, pacingSchema, retentionDaysSchema } from '../settings.ts';
import { approvalSchema } from './approvals.ts';
import { chatsPageSchema } from './chats.ts';
import { boundedText } from './common.ts';

const connectionStates = Object.keys(CONNECTION_STATES) as [ConnectionState, ...ConnectionState[]];

/** The name of an account in commands and addresses. */
export const accountName = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9-]{0,62}$/,
    'Use lower-case letters, digits and hyphens, at most 63 characters',
  );

export const accountSchema = z.object({
  name: z.string(),
  /** Whether it is the owner's default account: the one for requests that name none. */
  default: z.boolean(),
  /** The name of the person it belongs to. */
  owner: z.string(),
  /** Whether it belongs to the caller. Of other accounts only these figures can be read. */
  own: z.boolean(),
  /** Whether a worker serves it now. */
  served: z.boolean(),
  /** Its link to WhatsApp, as a state and as a sentence; null while no worker serves it. */
  state: z.enum(connectionStates).nullable(),
  sentence: z.string(),
  /** Digits only. Null until a phone is linked, and for callers who do not own the account. */
  phone_number: z.string().nullable(),
  /** The profile name on WhatsApp; null like the number. */
  profile_name: z.string().nullable(),
  created_at: z.iso.datetime(),
  /** How many approvals and conversations wait for the owner. */
  waiting_count: z.int(),
  hold: z.boolean(),
  /** Messages sent within the last 24 hours. */
  sent_today: z.int(),
});
export type ListedAccount = z.infer<typeof accountSchema>;

export const accountsSchema = z.object({ accounts: z.array(accountSchema) });

export const addAccountSchema = z.strictObject({
  name: accountName,
  /** The person it belongs to; by default the caller. */
  owner: boundedText(60).optional(),
});
type AddAccount = z.infer<typeof addAccountSchema>;

export const changeAccountSchema = z.strictObject({
  name: accountName.optional(),
  /** Makes it the default account of its owner. */
  default: z.literal(true).optional(),
});
type ChangeAccount = z.infer<typeof changeAccountSchema>;

export const removeAccountSchema = z.strictObject({
  /** The account's name again: confirms the removal of an account with a linked phone. */
  confirm: z.string().max(64).optional(),
});

/** For the caller: their own accounts, and for an operator also the figures of all others. */
export interface AccountService {
  list(caller: AccountCaller): Promise<readonly ListedAccount[]>;
  add(caller: AccountCaller, request: AddAccount): Promise<ListedAccount>;
  change(caller: AccountCaller, name: string, request: ChangeAccount): Promise<ListedAccount>;
  settings(caller: AccountCaller, name: string): Promise<ShownAccountSettings>;
  /** The account is restarted with them: it is offline for a moment. */
  changeSettings(
    caller: AccountCaller,
    name: string,
    changed: ChangeAccountSettings,
  ): Promise<ShownAccountSettings>;
  /** Unlinks the phone and deletes everything of the account. */
  remove(caller: AccountCaller, name: string, confirm: string | null): Promise<ListedAccount>;
  /** What waits and the newest chats of all accounts of the caller. */
  inbox(caller: AccountCaller): Promise<AccountsInbox>;
}

export interface AccountCaller {
  readonly id: OwnerId;
  readonly role: OwnerRole;
}

// The settings of an account, over those of the home. Missing: the home's setting applies.

const proxy = z
  .url({ protocol: /^(http|socks5)$/, hostname: /^.+$/ })
  .max(2_000)
  .refine(
    (url) => URL.canParse(url) && new URL(url).pathname.length <= 1,
    'Must be an address without a path',
  );
const model = boundedText(200);
const { usd_per_day, tokens_per_day, instructions } = agentSchema.shape;

/** Without defaults: a missing setting is that of the home. */
const own = <Shape extends z.ZodRawShape>(shape: Shape) => z.strictObject(shape).partial();
type Unwrapped<Shape> = {
  [Name in keyof Shape]: Shape[Name] extends z.ZodDefault<infer Inner> ? Inner : Shape[Name];
};
const unwrapped = <Shape extends Readonly<Record<string, z.ZodDefault>>>(shape: Shape) =>
  Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => [name, schema.unwrap()]),
  ) as Unwrapped<Shape>;

const settings = {
  /** `http://` or `socks5://`, with user name and password if it needs them: for the connection to WhatsApp. */
  proxy,
  model_provider: model,
  model_name: model,
  model_base_url: modelServerUrl,
  model_api_key: boundedText(2_000),
  zone: z.string().refine(isZoneName, 'Must be a time zone such as Europe/Berlin'),
};
const pacing = unwrapped(pacingSchema.shape);
const agent = unwrapped({ usd_per_day, tokens_per_day, instructions });
const retention = { messages_days: retentionDaysSchema };

export const accountSettingsSchema = own({
  ...settings,
  pacing: own(pacing),
  agent: own(agent),
  retention: own(retention),
});
export type AccountSettings = z.infer<typeof accountSettingsSchema>;

const nullable = <Shape extends Readonly<Record<string, z.ZodType>>>(shape: Shape) =>
  own(
    Object.fromEntries(
      Object.entries(shape).map(([name, schema]) => [name, schema.nullable()]),
    ) as { [Name in keyof Shape]: z.ZodNullable<Shape[Name]> },
  );

/** Null removes a setting. */
export const changeAccountSettingsSchema = own({
  ...nullable(settings).shape,
  pacing: nullable(pacing),
  agent: nullable(agent),
  retention: nullable(retention),
});
export type ChangeAccountSettings = z.infer<typeof changeAccountSettingsSchema>;

/** The settings as they are shown: a secret only as set or not. */
export const shownAccountSettingsSchema = accountSettingsSchema
  .omit({ proxy: true, model_api_key: true })
  .extend({
    /** Without its password. */
    proxy: z.string().nullable(),
    has_model_key: z.boolean(),
  });
export type ShownAccountSettings = z.infer<typeof shownAccountSettingsSchema>;

// The inbox of all accounts of an owner.

export const accountsInboxSchema = z.object({
  accounts: z.array(accountSchema),
  /** The newest chats of all of them, the newest first. */
  chats: z.array(chatsPageSchema.shape.chats.element.extend({ account: z.string() })),
  /** Pending approvals of all of them, the oldest first. */
  approvals: z.array(approvalSchema.extend({ account: z.string() })),
});
export type AccountsInbox = z.infer<typeof accountsInboxSchema>;

// Owners.

const OWNER_ROLES = ['owner', 'operator'] as const;
export type OwnerRole = (typeof OWNER_ROLES)[number];

export const ownerSchema = z.object({
  name: z.string(),
  role: z.enum(OWNER_ROLES),
  created_at: z.iso.datetime(),
  /** The names of their accounts. */
  accounts: z.array(z.string()),
});
export type ListedOwner = z.infer<typeof ownerSchema>;

export const ownersSchema = z.object({ owners: z.array(ownerSchema) });

export const addOwnerSchema = z.strictObject({
  name: boundedText(60).regex(
    /^[\p{L}\p{N}][\p{L}\p{N} ._-]*$/u,
    'Use only letters, digits, spaces, dots, hyphens and underscores',
  ),
  role: z.enum(OWNER_ROLES).default('owner'),
});
type AddOwner = z.infer<typeof addOwnerSchema>;

export const ownerSecretSchema = ownerSchema.extend({
  /** The token with which the person signs in; shown only once. */
  token: z.string(),
});
export type OwnerSecret = z.infer<typeof ownerSecretSchema>;

export interface OwnerService {
  list(): Promise<readonly ListedOwner[]>;
  add(request: AddOwner): Promise<OwnerSecret>;
  /** Refused while accounts belong to the person. */
  remove(name: string): Promise<ListedOwner>;
  /** The owner whose token has this hash. */
  findByToken(hash: string): Promise<AccountCaller | null>;
  /** Gives the owner a new token, and returns it. */
  replaceToken(owner: OwnerId): Promise<string>;
}
