// The one door: runs before any body is read, for every route and for paths that are none.
// Invariant: without a valid credential a caller reaches no handler but the open ones, and cannot
// tell a route that exists from one that does not.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { TokenClient } from '@relay/contract/api/credentials';
import { RelayError } from '@relay/contract/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal, RouteAccess } from './app.ts';
import type { HttpDeps } from './deps.ts';

interface GuardRules {
  port(): number;
  readonly authenticator: Authenticator;
  readonly failures: Limiter;
  readonly requests: Limiter;
  readonly forwarded: Limiter;
  stopping(): boolean;
}

/**
 * All wrong credentials share one count. Loopback alone has 16 million source addresses, so a count
 * for each would be no limit; and since a right credential is never counted, nobody is locked out.
 */
const EVERYBODY = 'everybody';

export function createGuard(rules: GuardRules) {
  return async function guard(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { config } = request.routeOptions;
    try {
      const open = config.access === 'open' && request.method === 'GET';
      refuseForeignOrigin(request.headers, rules.port(), open && isFollowedLink(request.headers));
      request.principal = await admit(rules, request, config.access ?? 'owner');
      if (rules.stopping()) throw new RelayError('daemon_stopping');
      refuseOtherMedia(request.headers, config.body ?? 'json');
    } catch (error) {
      // The body of a refused request is not waited for.
      if (hasBody(request.headers)) reply.header('connection', 'close');
      throw error;
    }
  };
}

/** The same questions for a connection that leaves HTTP; there is no page that could ask for one. */
export const admitUpgrade = async (
  rules: GuardRules,
  { headers, method = 'GET' }: IncomingMessage,
): Promise<Principal | null> => {
  refuseForeignOrigin(headers, rules.port(), false);
  const principal = await admit(rules, { headers, cookies: {}, method }, 'program');
  if (rules.stopping()) throw new RelayError('daemon_stopping');
  return principal;
};

async function admit(
  rules: GuardRules,
  request: Pick<FastifyRequest, 'headers' | 'cookies' | 'method'>,
  access: RouteAccess,
): Promise<Principal | null> {
  if (access === 'open') return null;
  const principal = await rules.authenticator.identify(request, rules.port(), access);
  if (principal === 'missing') throw new RelayError('unauthorized');
  if (principal === 'wrong')
    throw wrongCredentialError(rules.failures, new RelayError('unauthorized'));
  if (principal.kind === 'session') {
    refuseForeignSession(request.headers, request.method);
    if (access === 'token' || access === 'forwarder') throw new RelayError('token_needed');
    if (access === 'confirmed') await confirmSession(rules, principal, request.headers);
  }
  if (principal.kind === 'program' && !isOpenTo(principal.program, access)) {
    throw new RelayError('program_only');
  }
  if (principal.kind !== 'program' && access === 'program') throw new RelayError('program_needed');
  const limiter = principal.kind === 'forwarder' ? rules.forwarded : rules.requests;
  const seconds = limiter.hit(principal.hash);
  if (seconds !== null) throw new RelayError('rate_limited', { seconds });
  return principal;
}

/** A stolen session must not outlive itself: whatever makes a lasting credential needs the owner in person. */
async function confirmSession(
  { authenticator, failures }: GuardRules,
  session: Principal,
  { [OWNER_TOKEN_HEADER]: typed }: IncomingHttpHeaders,
): Promise<void> {
  const confirmed = await authenticator.confirm(
    session,
    typed === undefined ? typed : String(typed),
  );
  if (confirmed === 'missing') throw new RelayError('sign_in_stale');
  if (confirmed === 'wrong')
    throw wrongCredentialError(failures, new RelayError('owner_token_wrong'));
}

/** What a program's token opens: its tools, and figures if it was made for that. */
const isOpenTo = ({ scopes }: TokenClient, access: RouteAccess): boolean =>
  access === 'program' || (access === 'monitor' && scopes.includes('metrics:read'));

/** The refusal of a wrong credential, or of one guess too many. */
export function wrongCredentialError(failures: Limiter, error: RelayError): RelayError {
  const seconds = failures.hit(EVERYBODY);
  return seconds === null ? error : new RelayError('rate_limited', { seconds });
}

export function hasBody(headers: IncomingHttpHeaders): boolean {
  return (
    headers['transfer-encoding'] !== undefined ||
    (headers['content-length'] !== undefined && headers['content-length'] !== '0')
  );
}

const BODIES = {
  json: { type: /^application\/json(; ?charset=utf-8)?$/i, details: null },
  gzip: {
    type: /^application\/gzip$/,
    details: 'This one route takes an archive, as application/gzip.',
  },
  file: {
    type: /^application\/octet-stream$/,
    details: 'This one route takes a file, as application/octet-stream.',
  },
} as const;

function refuseOtherMedia(headers: IncomingHttpHeaders, body: keyof typeof BODIES): void {
  if (!hasBody(headers)) return;
  const { type, details } = BODIES[body];
  if (type.test(headers['content-type'] ?? '')) return;
  throw new RelayError('unsupported_media', {}, details === null ? {} : { details });
}

// Who asks: the holder of the owner's token, a browser session that a login code began, a program with a
// scoped token, or, on the one route that is theirs, a forwarder of notifications.
// Invariant: secrets are compared by hash in constant time and never leave this file.

/** The two places a credential may come in. */
type CredentialCarrier = Pick<FastifyRequest, 'headers' | 'cookies'>;

export interface Authenticator {
  /** `missing` when no credential was given at all, `wrong` when one was and it is not good. */
  identify(
    request: CredentialCarrier,
    port: number,
    access: RouteAccess,
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
function credential(request: CredentialCarrier, port: number): Principal | 'missing' | 'wrong' {
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const token = /^Bearer (\S+)$/.exec(authorization)?.[1];
    return token === undefined ? 'wrong' : { kind: 'token', hash: hashSecret(token) };
  }
  const session = request.cookies[sessionCookie(port)];
  return session === undefined ? 'missing' : { kind: 'session', hash: hashSecret(session) };
}

// Counts per key in fixed windows of one minute. Own code rather than @fastify/rate-limit, because
// a failure can be counted only after the credentials were looked at, for routes that exist and
// those that do not alike. Invariant: nothing a caller sends chooses the key.
export interface Limiter {
  /** Counts one; says how many seconds to wait when that is one too many. */
  hit(key: string): number | null;
}

const WINDOW_MS = 60_000;

export function createLimiter(max: number, now: () => number = () => performance.now()): Limiter {
  let opened = now();
  const counts = new Map<string, number>();
  return {
    hit(key) {
      const elapsed = now() - opened;
      if (elapsed >= WINDOW_MS) {
        counts.clear();
        opened += elapsed;
      }
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      if (count <= max) return null;
      return Math.max(1, Math.ceil((opened + WINDOW_MS - now()) / 1000));
    },
  };
}

// Where a request comes from, judged by headers a web page cannot forge. Invariant: a page of
// another origin, or one that rebinds its name to loopback, is refused whatever else it carries.

function ownHosts(port: number): readonly string[] {
  return [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];
}

function refuseForeignOrigin(headers: IncomingHttpHeaders, port: number, followed: boolean): void {
  const { host, origin } = headers;
  if (host === undefined || !ownHosts(port).includes(host)) throw new RelayError('bad_host');
  if (origin !== undefined && origin !== `http://${host}`) throw new RelayError('bad_origin');
  if (headers['sec-fetch-site'] === 'cross-site' && !followed) throw new RelayError('bad_origin');
}

/**
 * A person who follows a link: the browser opens the page itself and no other page sees it. `relay open`
 * comes this way, from a file of the owner's. For the open pages only, which hold no data.
 */
function isFollowedLink(headers: IncomingHttpHeaders): boolean {
  return (
    headers.origin === undefined &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document'
  );
}

/**
 * A cookie is sent by the browser, not by the page's author, and to every port of the host alike.
 * So what it permits must come from our own page: by the Origin header where something changes.
 */
function refuseForeignSession(headers: IncomingHttpHeaders, method: string): void {
  if (headers['sec-fetch-site'] === 'same-site') throw new RelayError('bad_origin');
  if (method !== 'GET' && headers.origin === undefined) throw new RelayError('bad_origin');
}
