// Schemas and services of logins and client tokens. `relay open` requests a login code; the browser spends it once and
// holds a session cookie from then on.
import { z } from 'zod';
import type { AccountId, ContactId, DeviceId, OwnerId, TokenId } from '../ids.ts';
import { CLIENT_SCOPES, SCOPES, type Scope } from '../policy/scopes.ts';
import { accountName, type OwnerRole } from './accounts.ts';
import { boundedText } from './common.ts';

export const loginCodeSchema = z.object({
  /** To open once, within a minute, in the owner's browser. */
  url: z.string(),
  expires_at: z.iso.datetime(),
});

export const loginQuerySchema = z.strictObject({ code: z.string().max(100) });

export const ownerTokenSchema = z.object({ token: z.string() });

// Client tokens: scopes, contacts and last use. The secret is shown once, when it is created.

/** The owner's name for the client, used in approvals and in the ledger. */
const name = boundedText(60).regex(
  /^[\p{L}\p{N}][\p{L}\p{N} ._-]*$/u,
  'Use only letters, digits, spaces, dots, hyphens and underscores',
);
/** A name, a number, an address or an id. */
const who = boundedText(128);

export const tokenSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  /** The only contacts it may deal with; null means everybody with a grant. */
  contacts: z.array(z.object({ id: z.uuid(), name: z.string() })).nullable(),
  /** Whether the owner is asked before anything is sent with it. */
  confirm: z.boolean(),
  /** Whether it has read what others wrote: messages that it sends elsewhere then need an approval. */
  has_read: z.boolean(),
  created_at: z.iso.datetime(),
  rotated_at: z.iso.datetime().nullable(),
  /** Since a restore: its secret is not accepted until the owner resumes or rotates the token. */
  suspended_at: z.iso.datetime().nullable(),
  last_used_at: z.iso.datetime().nullable(),
  expires_at: z.iso.datetime().nullable(),
  /** The names of the accounts that it is valid for. */
  accounts: z.array(z.string()),
});
export type ClientToken = z.infer<typeof tokenSchema>;

export const createTokenSchema = z.strictObject({
  name,
  scopes: z.array(z.enum(CLIENT_SCOPES)).min(1).max(CLIENT_SCOPES.length),
  contacts: z.array(who).min(1).max(200).optional(),
  confirm: z.boolean().default(true),
  expires_at: z.iso.datetime({ offset: true }).optional(),
  /** The names of the accounts that it is valid for; by default only the account of the request. */
  accounts: z.array(accountName).min(1).max(100).optional(),
});
export type CreateToken = z.infer<typeof createTokenSchema>;

export const tokenSecretSchema = tokenSchema.extend({
  /** Shown only once. */
  secret: z.string(),
});
export type TokenSecret = z.infer<typeof tokenSecretSchema>;

export const tokensResponseSchema = z.object({ tokens: z.array(tokenSchema) });

// The token service: creates, ends and verifies client tokens. Implemented by the gate; every refusal is a RelayError.

/** An owner as the server knows them for a request. */
export interface SignedInOwner {
  readonly id: OwnerId;
  /** An operator runs the machines: sees accounts and figures, and no content. */
  readonly role: OwnerRole;
}

/** The calling client as the server knows it for this call. Nothing in it comes from the client. */
export interface TokenClient {
  readonly id: TokenId;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly contacts: readonly ContactId[] | null;
  /** Whether the owner is asked before anything is sent with it. */
  readonly confirm: boolean;
}

export interface ClientTokens {
  /** Whether the token is still valid; checking does not count as use. */
  isValid(hash: string): Promise<boolean>;
  /** The client whose secret has this hash, if it is valid; records the use. */
  findClient(hash: string): Promise<TokenClient | null>;
}

/** A client's token, whichever accounts it is valid for. */
export interface HostedClientTokens {
  isValid(hash: string): Promise<boolean>;
  /** The client in the first of these accounts, and the accounts; records the use. */
  findClient(hash: string): Promise<FoundClient | null>;
}

export interface FoundClient extends TokenClient {
  /** At least one, the oldest first. */
  readonly accounts: readonly AccountId[];
}

/** A token that is valid for several accounts: each has its own row, all with the same id and secret. */
interface SharedToken {
  readonly id: TokenId;
  readonly secret: string;
  readonly spans: readonly AccountId[];
}

export interface TokenService {
  /** Tokens that are not revoked, by name. */
  list(): Promise<readonly ClientToken[]>;
  /** With `shared` for one of several accounts. */
  create(request: Omit<CreateToken, 'accounts'>, shared?: SharedToken): Promise<TokenSecret>;
  /** Creates a new secret for the same token; the former one is refused from now on. */
  rotate(nameOrId: string, secret?: string): Promise<TokenSecret>;
  /** Accepts the secret of a suspended token again. */
  resume(nameOrId: string): Promise<ClientToken>;
  revoke(nameOrId: string): Promise<ClientToken>;
}

// Storage for signing in: one-time login codes and browser sessions, as hashes only. A code is spent at most once, even
// by concurrent requests.

export interface SignInStore {
  addCode(hash: string, expiresAt: Date, owner: OwnerId): Promise<void>;
  /** The owner of a login code. A code is accepted once, before it expires. */
  spendCode(hash: string, now: Date): Promise<OwnerId | null>;
  /** With a device: a session at the address for phones. */
  addSession(hash: string, expiresAt: Date, owner: OwnerId, device?: DeviceId): Promise<void>;
  /** The owner of a browser session on this machine. */
  findSession(hash: string, now: Date): Promise<SignedInOwner | null>;
  /** The owner of a device's session, if the session was used since `idleSince`. */
  findDeviceSession(hash: string, now: Date, idleSince: Date): Promise<SignedInOwner | null>;
  /** Notes the use, to the minute. */
  noteDeviceSessionUse(hash: string, now: Date): Promise<void>;
  /** Whether the session began at that time or later. */
  isSessionSince(hash: string, since: Date): Promise<boolean>;
  endSession(hash: string): Promise<void>;
  /** Ends the session, and the notifications of its browser. */
  signOut(hash: string): Promise<void>;
  /** Ends every session and unspent code of the owner: when they sign out everywhere or change their token. */
  endAll(owner: OwnerId): Promise<void>;
}
