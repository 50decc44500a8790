// Who asks: the holder of the owner's token, or a browser session that a login code began.
// Invariant: secrets are compared by hash in constant time and never leave this file.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { HttpDeps } from './deps.ts';

export interface Principal {
  readonly kind: 'token' | 'session';
  /** The hash of the secret: names the principal without giving it away. */
  readonly hash: string;
}

/** The two places a credential may come in. */
type Bearing = Pick<FastifyRequest, 'headers' | 'cookies'>;

export interface Authenticator {
  /** `missing` when no credential was given at all, `wrong` when one was and it is not good. */
  identify(request: Bearing, port: number): Promise<Principal | 'missing' | 'wrong'>;
  /** Whether what was good when a stream began still is. */
  holds(principal: Principal): Promise<boolean>;
}

export const hashSecret = (secret: string): string =>
  createHash('sha256').update(secret).digest('hex');

/** Browsers share cookies between ports, so two daemons on one machine need two names. */
export const sessionCookie = (port: number): string => `relay_session_${port}`;

export function createAuthenticator(deps: Pick<HttpDeps, 'ownerToken' | 'signIn'>): Authenticator {
  const isOwners = (hash: string) =>
    timingSafeEqual(Buffer.from(hash), Buffer.from(hashSecret(deps.ownerToken())));
  const holds = async ({ kind, hash }: Principal) =>
    kind === 'token' ? isOwners(hash) : deps.signIn.hasSession(hash, new Date());

  return {
    holds,
    async identify(request, port) {
      const given = credential(request, port);
      if (typeof given === 'string') return given;
      return (await holds(given)) ? given : 'wrong';
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
