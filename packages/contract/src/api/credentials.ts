// Schemas and services of logins and client tokens. `relay open` requests a login code; the browser spends it once and
// holds a session cookie from then on.
import { z } from 'zod';
import type { ContactId, DeviceId, TokenId } from '../ids.ts';
import { CLIENT_SCOPES, SCOPES, type Scope } from '../policy/scopes.ts';
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
});
export type ClientToken = z.infer<typeof tokenSchema>;

export const createTokenSchema = z.strictObject({
  name,
  scopes: z.array(z.enum(CLIENT_SCOPES)).min(1).max(CLIENT_SCOPES.length),
  contacts: z.array(who).min(1).max(200).optional(),
  confirm: z.boolean().default(true),
  expires_at: z.iso.datetime({ offset: true }).optional(),
});
export type CreateToken = z.infer<typeof createTokenSchema>;

export const tokenSecretSchema = tokenSchema.extend({
  /** Shown only once. */
  secret: z.string(),
});
export type TokenSecret = z.infer<typeof tokenSecretSchema>;

export const tokensResponseSchema = z.object({ tokens: z.array(tokenSchema) });

// The token service: creates, ends and verifies client tokens. Implemented by the gate; every refusal is a RelayError.

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

export interface TokenService {
  /** Tokens that are not revoked, by name. */
  list(): Promise<readonly ClientToken[]>;
  create(request: CreateToken): Promise<TokenSecret>;
  /** Creates a new secret for the same token; the former one is refused from now on. */
  rotate(nameOrId: string): Promise<TokenSecret>;
  /** Accepts the secret of a suspended token again. */
  resume(nameOrId: string): Promise<ClientToken>;
  revoke(nameOrId: string): Promise<ClientToken>;
}

// Storage for signing in: one-time login codes and browser sessions, as hashes only. A code is spent at most once, even
// by concurrent requests.

export interface SignInStore {
  addCode(hash: string, expiresAt: Date): Promise<void>;
  /** True for exactly one caller, and only before the code expires. */
  spendCode(hash: string, now: Date): Promise<boolean>;
  /** With a device: a session at the address for phones. */
  addSession(hash: string, expiresAt: Date, device?: DeviceId): Promise<void>;
  /** A session of a browser on this machine. */
  hasSession(hash: string, now: Date): Promise<boolean>;
  /** A session of a device that was used since `idleSince`. */
  hasDeviceSession(hash: string, now: Date, idleSince: Date): Promise<boolean>;
  /** Notes the use, to the minute. */
  noteDeviceSessionUse(hash: string, now: Date): Promise<void>;
  /** Whether the session began at that time or later. */
  isSessionSince(hash: string, since: Date): Promise<boolean>;
  endSession(hash: string): Promise<void>;
  /** Ends the session, and the notifications of its browser. */
  signOut(hash: string): Promise<void>;
  /** Ends every session and unspent code: when the owner signs out everywhere or changes the token. */
  endAll(): Promise<void>;
}
