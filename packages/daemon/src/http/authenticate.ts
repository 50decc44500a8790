// Who asks: the holder of the owner's token, or a browser session that a login code began.
// Invariant: secrets are compared by hash in constant time and never leave this file.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { fastifyCookie } from '@fastify/cookie';
import type { HttpDeps } from './deps.ts';

export interface Principal {
  readonly kind: 'token' | 'session';
  /** The hash of the secret: names the principal without giving it away. */
  readonly hash: string;
}

export interface Authenticator {
  /** `missing` when no credential was given at all, `wrong` when one was and it is not good. */
  identify(headers: IncomingHttpHeaders, port: number): Promise<Principal | 'missing' | 'wrong'>;
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
    async identify(headers, port) {
      const given = credential(headers, port);
      if (typeof given === 'string') return given;
      return (await holds(given)) ? given : 'wrong';
    },
  };
}

/** A header that is there but malformed is a wrong credential: it never falls back to the cookie. */
function credential(headers: IncomingHttpHeaders, port: number): Principal | 'missing' | 'wrong' {
  const { authorization, cookie } = headers;
  if (authorization !== undefined) {
    const token = /^Bearer (\S+)$/.exec(authorization)?.[1];
    return token === undefined ? 'wrong' : { kind: 'token', hash: hashSecret(token) };
  }
  const session =
    cookie === undefined ? undefined : fastifyCookie.parse(cookie)[sessionCookie(port)];
  return session === undefined ? 'missing' : { kind: 'session', hash: hashSecret(session) };
}
