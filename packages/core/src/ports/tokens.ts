// Tokens of programs: how the owner makes and ends them, and how one that comes in is known. Implemented by
// `gate` over `store`; every refusal is a RelayError from the one table.
import type { CreateToken, ProgramToken, TokenSecret } from '../api/tokens.ts';
import type { ContactId, TokenId } from '../ids.ts';
import type { Scope, TokenHolder } from '../policy/actors.ts';

/** A program that calls, as the server knows it at this call. Nothing in it comes from the program. */
export interface Program {
  readonly id: TokenId;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly contacts: readonly ContactId[] | null;
  /** Somebody is asked before anything is sent with it. */
  readonly confirm: boolean;
}

export const actorOf = ({ id, scopes, contacts }: Program): TokenHolder => ({
  kind: 'token',
  token: id,
  scopes,
  contacts,
});

export interface ProgramTokens {
  /** Whether it still opens something; to look is no use of it. */
  holds(hash: string): Promise<boolean>;
  /** Whose the secret with this hash is, if it is good; that it was used is noted. */
  known(hash: string): Promise<Program | null>;
}

export interface TokenVerbs {
  /** Those that are good, by name. */
  list(): Promise<readonly ProgramToken[]>;
  create(wish: CreateToken): Promise<TokenSecret>;
  /** A new secret for the same token; the one before is refused from now on. */
  rotate(nameOrId: string): Promise<TokenSecret>;
  revoke(nameOrId: string): Promise<ProgramToken>;
}
