// How a browser becomes the owner's: `relay open` asks for a login code, the browser spends it once
// and holds a session cookie from then on.
import { z } from 'zod';
import type { ContactId, TokenId } from '../ids.ts';
import { CLIENT_SCOPES, SCOPES, type Scope } from '../policy/scopes.ts';
import { boundedText } from './common.ts';

export const loginCodeSchema = z.object({
  /** Open this once, within a minute, in the owner's own browser. */
  url: z.string(),
  expires_at: z.iso.datetime(),
});

export const loginQuerySchema = z.strictObject({ code: z.string().max(100) });

export const ownerTokenSchema = z.object({ token: z.string() });

// Tokens of programs, as the API has them: what each may do, with whom, and when it was last used. The secret
// is shown once, when it is made.

/** A name of the owner's for it: it names the program in approvals and in the ledger. */
const name = boundedText(60).regex(
  /^[\p{L}\p{N}][\p{L}\p{N} ._-]*$/u,
  'Letters, digits, ._- and spaces',
);
/** A name, a number, an address or an id. */
const who = boundedText(128);

export const tokenSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  /** The only people it may deal with; null means all that grants allow. */
  contacts: z.array(z.object({ id: z.uuid(), name: z.string() })).nullable(),
  /** Whether somebody is asked before anything is sent with it. */
  confirm: z.boolean(),
  /** Whether it has read what others wrote: what it sends elsewhere then waits for the owner. */
  has_read: z.boolean(),
  created_at: z.iso.datetime(),
  rotated_at: z.iso.datetime().nullable(),
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
  /** Shown this once. */
  secret: z.string(),
});
export type TokenSecret = z.infer<typeof tokenSecretSchema>;

export const tokensResponseSchema = z.object({ tokens: z.array(tokenSchema) });

// Tokens of programs: how the owner makes and ends them, and how one that comes in is known. Implemented by
// `gate` over `store`; every refusal is a RelayError from the one table.

/** A program that calls, as the server knows it at this call. Nothing in it comes from the program. */
export interface TokenClient {
  readonly id: TokenId;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly contacts: readonly ContactId[] | null;
  /** Somebody is asked before anything is sent with it. */
  readonly confirm: boolean;
}

export interface ClientTokens {
  /** Whether it still opens something; to look is no use of it. */
  holds(hash: string): Promise<boolean>;
  /** Whose the secret with this hash is, if it is good; that it was used is noted. */
  known(hash: string): Promise<TokenClient | null>;
}

export interface TokenService {
  /** Those that are good, by name. */
  list(): Promise<readonly ClientToken[]>;
  create(wish: CreateToken): Promise<TokenSecret>;
  /** A new secret for the same token; the one before is refused from now on. */
  rotate(nameOrId: string): Promise<TokenSecret>;
  revoke(nameOrId: string): Promise<ClientToken>;
}

// What signing in keeps: one-time login codes and browser sessions, known by their hashes only.
// Invariant: a code is spent at most once, however many ask at the same moment.

export interface SignInStore {
  addCode(hash: string, expiresAt: Date): Promise<void>;
  /** True for exactly one caller, and only before the code expires. */
  spendCode(hash: string, now: Date): Promise<boolean>;
  addSession(hash: string, expiresAt: Date): Promise<void>;
  hasSession(hash: string, now: Date): Promise<boolean>;
  /** Whether it began then or later. */
  isSessionSince(hash: string, since: Date): Promise<boolean>;
  endSession(hash: string): Promise<void>;
  /** Every session and every unspent code: when the owner signs out everywhere, or changes their token. */
  endAll(): Promise<void>;
}
