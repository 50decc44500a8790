// Who asks: the holder of the owner's token, a browser session that a login code began, a program with a
// scoped token, or, on the one route that is theirs, a forwarder of notifications.
// Invariant: secrets are compared by hash in constant time and never leave this file.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Access } from './app.ts';
import type { HttpDeps } from './deps.ts';
import type { Principal } from './principal.ts';

/** The two places a credential may come in. */
type Bearing = Pick<FastifyRequest, 'headers' | 'cookies'>;

export interface Authenticator {
  /** `missing` when no credential was given at all, `wrong` when one was and it is not good. */
  identify(
    request: Bearing,
    port: number,
    access: Access,
  ): Promise<Principal | 'missing' | 'wrong'>;
  /** Whether the owner is at that browser now: it has just signed in, or brings the owner's token. */
  confirm(
    session: Principal,
    typed: string | undefined,
  ): Promise<'confirmed' | 'missing' | 'wrong'>;
  /** Whether what was good when a stream began still is. */
  holds(principal: Principal): Promise<boolean>;
}

export const hashSecret = (secret: string): string =>
  createHash('sha256').update(secret).digest('hex');

/** In which a browser session brings the owner's token. */
export const OWNER_TOKEN_HEADER = 'relay-owner-token';
const FRESH_SIGN_IN_MS = 5 * 60_000;

/** Browsers share cookies between ports, so two daemons on one machine need two names. */
export const sessionCookie = (port: number): string => `relay_session_${port}`;

export function createAuthenticator(
  deps: Pick<HttpDeps, 'ownerToken' | 'signIn' | 'forwarderTokens' | 'programTokens'>,
): Authenticator {
  const isOwners = (hash: string) =>
    timingSafeEqual(Buffer.from(hash), Buffer.from(hashSecret(deps.ownerToken())));
  const holds = async ({ kind, hash }: Principal) => {
    if (kind === 'token') return isOwners(hash);
    if (kind === 'forwarder') return deps.forwarderTokens.knows(hash);
    if (kind === 'program') return deps.programTokens.holds(hash);
    return deps.signIn.hasSession(hash, new Date());
  };

  return {
    holds,
    async confirm({ hash }, typed) {
      if (typed !== undefined) return isOwners(hashSecret(typed.trim())) ? 'confirmed' : 'wrong';
      const since = new Date(Date.now() - FRESH_SIGN_IN_MS);
      return (await deps.signIn.isSessionSince(hash, since)) ? 'confirmed' : 'missing';
    },
    async identify(request, port, access) {
      const given = credential(request, port);
      if (typeof given === 'string') return given;
      if (await holds(given)) return given;
      if (given.kind !== 'token') return 'wrong';
      const { hash } = given;
      // Looked for nowhere else: on every other route it is as wrong as any.
      if (access === 'forwarder' && (await holds({ kind: 'forwarder', hash }))) {
        return { kind: 'forwarder', hash };
      }
      const program = await deps.programTokens.known(hash);
      return program === null ? 'wrong' : { kind: 'program', hash, program };
    },
  };
}

/** A header that is there but malformed is a wrong credential: it never falls back to the cookie. */
function credential(request: Bearing, port: number): Principal | 'missing' | 'wrong' {
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const token = /^Bearer (\S+)$/.exec(authorization)?.[1];
    return token === undefined ? 'wrong' : { kind: 'token', hash: hashSecret(token) };
  }
  const session = request.cookies[sessionCookie(port)];
  return session === undefined ? 'missing' : { kind: 'session', hash: hashSecret(session) };
}
