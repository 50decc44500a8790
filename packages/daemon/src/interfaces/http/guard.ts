// Authenticates and authorizes every request before its body is read, also for paths that do not exist.
// Invariant: without a valid credential a caller reaches only open routes and cannot tell whether a route exists.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FoundClient, SignedInOwner, TokenClient } from '@relay/contract/api/credentials';
import { RelayError } from '@relay/contract/errors';
import { HOME_OWNER } from '@relay/contract/ids';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseAway } from '../../platform/db/failures.ts';
import {
  type OwnerPrincipal,
  ownerAccess,
  type Principal,
  type RouteAccess,
  type Site,
} from './app.ts';
import type { HttpDeps } from './deps.ts';

interface GuardRules {
  port(): number;
  /** Hosts besides this machine that a proxy serves over HTTPS. */
  remoteHosts(): readonly string[];
  readonly authenticator: Authenticator;
  readonly failures: Limiter;
  readonly requests: Limiter;
  readonly forwarded: Limiter;
  stopping(): boolean;
}

/**
 * All wrong credentials share one count. Loopback alone has 16 million source addresses, so a count per address would
 * be no limit. A valid credential is never counted, so nobody is locked out.
 */
export const EVERYBODY = 'everybody';

export function createGuard(rules: GuardRules) {
  return async function guard(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { config } = request.routeOptions;
    try {
      const open = config.access === 'open' && request.method === 'GET';
      request.site = siteOf(request, rules);
      if (request.site.isRemote) reply.header('strict-transport-security', HSTS);
      const { site, headers, method } = request;
      refuseForeignOrigin({ headers, method, site }, open && isFollowedLink(headers));
      const access = config.access ?? 'owner';
      const isEveryday = isEverydayRoute(request);
      request.principal = await admit(rules, request, { access, isEveryday });
      if (rules.stopping()) throw new RelayError('daemon_stopping');
      refuseOtherMedia(request.headers, config.body ?? 'json');
    } catch (error) {
      // Close the connection instead of waiting for the body of a refused request.
      if (hasBody(request.headers)) reply.header('connection', 'close');
      throw error;
    }
  };
}

/** The same checks for an upgraded connection. No web page can request one. */
export const admitUpgrade = async (
  rules: GuardRules,
  { headers, socket, method = 'GET' }: IncomingMessage,
): Promise<Principal | null> => {
  const site = siteOf({ headers, socket }, rules);
  refuseForeignOrigin({ headers, method, site }, false);
  const request = { headers, cookies: {}, method, site };
  const principal = await admit(rules, request, { access: 'program', isEveryday: false });
  if (rules.stopping()) throw new RelayError('daemon_stopping');
  return principal;
};

async function admit(
  rules: GuardRules,
  request: Pick<FastifyRequest, 'headers' | 'cookies' | 'method' | 'site'>,
  { access, isEveryday }: { readonly access: RouteAccess; readonly isEveryday: boolean },
): Promise<Principal | null> {
  if (access === 'open') return null;
  if (request.site.isRemote) return admitDevice(rules, request, { access, isEveryday });
  const principal = await rules.authenticator.identify(request, rules.port(), access);
  if (principal === 'missing') throw new RelayError('unauthorized');
  if (principal === 'wrong')
    throw wrongCredentialError(rules.failures, new RelayError('unauthorized'));
  if (principal.kind === 'session') {
    refuseForeignSession(request.headers, request.method);
    const needed = ownerAccess(access);
    if (needed === 'token' || needed === 'forwarder') throw new RelayError('token_needed');
    if (needed === 'confirmed') await confirmSession(rules, principal, request.headers);
  }
  if (principal.kind === 'program') requireOpenTo(principal.program, access);
  if (principal.kind !== 'program' && access === 'program') throw new RelayError('program_needed');
  const limiter = principal.kind === 'forwarder' ? rules.forwarded : rules.requests;
  const seconds = limiter.hit(principal.hash);
  if (seconds !== null) throw new RelayError('rate_limited', { seconds });
  return principal;
}

/**
 * At the address for phones only sessions of paired devices are accepted, and no token. Whatever is not done every day
 * needs a passkey that was just used, so that a stolen cookie does not become a lasting or a wider right.
 */
async function admitDevice(
  { authenticator, failures, requests }: GuardRules,
  { headers, cookies, method }: Pick<FastifyRequest, 'headers' | 'cookies' | 'method'>,
  { access, isEveryday }: { readonly access: RouteAccess; readonly isEveryday: boolean },
): Promise<Principal> {
  const session = cookies[REMOTE_COOKIE];
  if (session === undefined || headers.authorization !== undefined) {
    throw new RelayError('passkey_required');
  }
  const principal = await authenticator.findDevice(hashSecret(session));
  if (principal === null) {
    throw wrongCredentialError(failures, new RelayError('passkey_required'));
  }
  refuseForeignSession(headers, method);
  const needed = ownerAccess(access);
  if (needed === 'token' || needed === 'forwarder') throw new RelayError('token_needed');
  if (needed === 'program') throw new RelayError('program_needed');
  if (needed === 'confirmed' || !isEveryday) await authenticator.confirmDevice(principal);
  await authenticator.noteUse(principal);
  const seconds = requests.hit(principal.hash);
  if (seconds !== null) throw new RelayError('rate_limited', { seconds });
  return principal;
}

/** A stolen session must not become a lasting credential: routes that create one require the owner's confirmation. */
async function confirmSession(
  { authenticator, failures }: GuardRules,
  session: OwnerPrincipal,
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

/** A client's token allows its tools, metrics if it has that scope, and the operations of its scopes. */
function requireOpenTo({ scopes }: TokenClient, access: RouteAccess): void {
  if (typeof access === 'object') {
    const { scope } = access;
    if (scope !== 'any' && !scopes.includes(scope))
      throw new RelayError('scope_missing', { scope });
    return;
  }
  const isOpen = access === 'program' || (access === 'monitor' && scopes.includes('metrics:read'));
  if (!isOpen) throw new RelayError('program_only');
}

/** The error for a wrong credential, or `rate_limited` after too many of them. */
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
    details: 'This route needs an archive as application/gzip.',
  },
  file: {
    type: /^application\/octet-stream$/,
    details: 'This route needs a file as application/octet-stream.',
  },
  media: {
    type: /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(;.*)?$/,
    details: 'This route needs a file and its media type.',
  },
} as const;

function refuseOtherMedia(headers: IncomingHttpHeaders, body: keyof typeof BODIES): void {
  if (!hasBody(headers)) return;
  const { type, details } = BODIES[body];
  if (type.test(headers['content-type'] ?? '')) return;
  throw new RelayError('unsupported_media', {}, details === null ? {} : { details });
}

// Authentication. The credential is the owner's token, a browser session that began with a login code, a client's
// scoped token or, on its one route, the token of notification forwarders.
// Invariant: secrets are compared by hash in constant time and never leave this file.

/** The two places where a credential may be: header or cookie. */
type CredentialCarrier = Pick<FastifyRequest, 'headers' | 'cookies'>;

export interface Authenticator {
  /** `missing` when the request has no credential, `wrong` when it has one that is not valid. */
  identify(
    request: CredentialCarrier,
    port: number,
    access: RouteAccess,
  ): Promise<Principal | 'missing' | 'wrong'>;
  /** Whether the owner is at that browser now: the session has just signed in, or sends the owner's token. */
  confirm(
    session: OwnerPrincipal,
    typed: string | undefined,
  ): Promise<'confirmed' | 'missing' | 'wrong'>;
  /** The session of a paired device, if it is valid. */
  findDevice(hash: string): Promise<OwnerPrincipal | null>;
  /** Throws `passkey_stale` unless the device's passkey was used within the last five minutes. */
  confirmDevice(device: Principal): Promise<void>;
  /** Keeps a device's session from ending for lack of use. */
  noteUse(device: Principal): Promise<void>;
  /** Whether a credential that was valid when a stream began is still valid. */
  holds(principal: Principal): Promise<boolean>;
}

export const hashSecret = (secret: string): string =>
  createHash('sha256').update(secret).digest('hex');

/** The header in which a browser session sends the owner's token. */
export const OWNER_TOKEN_HEADER = 'relay-owner-token';
const FRESH_SIGN_IN_MS = 5 * 60_000;

/** Browsers share cookies between ports, so two daemons on one machine need different cookie names. */
export const sessionCookie = (port: number): string => `relay_session_${port}`;

/** A browser takes a cookie of this name only over HTTPS, for this host alone and for all its paths. */
export const REMOTE_COOKIE = '__Host-relay_session';
/** A device's session ends after this long without a request. */
const DEVICE_IDLE_MS = 30 * 60_000;

const HOME: SignedInOwner = { id: HOME_OWNER, role: 'owner' };

export function createAuthenticator(
  deps: Pick<
    HttpDeps,
    'ownerToken' | 'owners' | 'signIn' | 'findForwardedAccount' | 'clientTokens'
  >,
): Authenticator {
  const isHomeToken = (hash: string) =>
    timingSafeEqual(Buffer.from(hash), Buffer.from(hashSecret(deps.ownerToken())));
  const ownerOf = async (hash: string): Promise<SignedInOwner | null> =>
    isHomeToken(hash) ? HOME : deps.owners.findByToken(hash);
  const findOwner = async (
    kind: OwnerPrincipal['kind'],
    hash: string,
  ): Promise<OwnerPrincipal | null> => {
    const now = new Date();
    const owner = await {
      token: () => ownerOf(hash),
      session: () => deps.signIn.findSession(hash, now),
      device: () => deps.signIn.findDeviceSession(hash, now, new Date(+now - DEVICE_IDLE_MS)),
    }[kind]();
    return owner === null ? null : { kind, hash, owner };
  };
  const holds = async ({ kind, hash }: Principal) => {
    if (kind === 'forwarder') return (await deps.findForwardedAccount(hash)) !== null;
    if (kind === 'program') return deps.clientTokens.isValid(hash);
    return (await findOwner(kind, hash)) !== null;
  };
  const findClient = (hash: string) => deps.clientTokens.findClient(hash);
  // Whoever may read metrics reads them while the database does not answer, too: monitoring is for such hours.
  const monitors = new Map<string, FoundClient>();
  const findMonitor = async (hash: string): Promise<FoundClient | null> => {
    try {
      const found = await findClient(hash);
      if (found?.scopes.includes('metrics:read')) monitors.set(hash, found);
      else monitors.delete(hash);
      return found;
    } catch (error) {
      const known = isDatabaseAway(error) ? monitors.get(hash) : undefined;
      if (known === undefined) throw error;
      return known;
    }
  };
  const isFresh = ({ hash }: Principal) =>
    deps.signIn.isSessionSince(hash, new Date(Date.now() - FRESH_SIGN_IN_MS));

  return {
    holds,
    async confirm(session, typed) {
      if (typed !== undefined) {
        const typist = await ownerOf(hashSecret(typed.trim()));
        return typist?.id === session.owner.id ? 'confirmed' : 'wrong';
      }
      return (await isFresh(session)) ? 'confirmed' : 'missing';
    },
    async confirmDevice(device) {
      if (!(await isFresh(device))) throw new RelayError('passkey_stale');
    },
    findDevice: (hash) => findOwner('device', hash),
    noteUse: ({ hash }) => deps.signIn.noteDeviceSessionUse(hash, new Date()),
    async identify(request, port, access) {
      const given = credential(request, port);
      if (typeof given === 'string') return given;
      const { kind, hash } = given;
      if (kind !== 'token') return (await findOwner(kind, hash)) ?? 'wrong';
      if (isHomeToken(hash)) return { kind, hash, owner: HOME };
      // Checked on this route only: on every other route the forwarder token is a wrong credential.
      if (access === 'forwarder') {
        const account = await deps.findForwardedAccount(hash);
        if (account !== null) return { kind: 'forwarder', hash, account };
      }
      const program = await (access === 'monitor' ? findMonitor(hash) : findClient(hash));
      if (program !== null) return { kind: 'program', hash, program };
      return (await findOwner(kind, hash)) ?? 'wrong';
    },
  };
}

/** A malformed header is a wrong credential: the cookie is not used instead. */
function credential(
  request: CredentialCarrier,
  port: number,
): Pick<OwnerPrincipal, 'kind' | 'hash'> | 'missing' | 'wrong' {
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const token = /^Bearer (\S+)$/.exec(authorization)?.[1];
    return token === undefined ? 'wrong' : { kind: 'token', hash: hashSecret(token) };
  }
  const session = request.cookies[sessionCookie(port)];
  return session === undefined ? 'missing' : { kind: 'session', hash: hashSecret(session) };
}

// A rate limiter that counts per key in fixed windows of one minute. Not @fastify/rate-limit, because a failure can
// only be counted after the credentials were checked, and equally for routes that exist and routes that do not.
// Invariant: nothing that a caller sends chooses the key.
export interface Limiter {
  /** Counts one hit; returns the seconds to wait when the limit is exceeded. */
  hit(key: string): number | null;
  /** The limit, the hits that are left, and the seconds until the window ends. */
  state(key: string): {
    readonly limit: number;
    readonly left: number;
    readonly resetSeconds: number;
  };
}

const WINDOW_MS = 60_000;

export function createLimiter(max: number, now: () => number = () => performance.now()): Limiter {
  let opened = now();
  const counts = new Map<string, number>();
  const turnWindow = () => {
    const elapsed = now() - opened;
    if (elapsed < WINDOW_MS) return;
    counts.clear();
    opened += elapsed;
  };
  const secondsLeft = () => Math.max(1, Math.ceil((opened + WINDOW_MS - now()) / 1000));
  return {
    state(key) {
      turnWindow();
      const left = Math.max(0, max - (counts.get(key) ?? 0));
      return { limit: max, left, resetSeconds: secondsLeft() };
    },
    hit(key) {
      turnWindow();
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      return count <= max ? null : secondsLeft();
    },
  };
}

// Where a request came to, and from where, by headers that a web page cannot forge.
// Invariant: a page of another origin, or one that rebinds its name to loopback (DNS rebinding), is refused whatever
// credential it sends.

const HSTS = 'max-age=31536000';
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'];

type Arrival = Pick<IncomingMessage, 'headers' | 'socket'>;

function siteOf(
  { headers, socket }: Arrival,
  rules: Pick<GuardRules, 'port' | 'remoteHosts'>,
): Site {
  const { host = '' } = headers;
  if (ownHosts(rules.port()).includes(host)) {
    // A proxy that hides which host was asked for would make everybody a browser on this machine.
    if (FORWARDED.some((name) => headers[name] !== undefined)) throw new RelayError('bad_host');
    return { isRemote: false, host, origin: `http://${host}` };
  }
  if (!rules.remoteHosts().includes(host)) throw new RelayError('bad_host');
  const asked = headers['x-forwarded-host'];
  if (asked !== undefined && asked !== host) throw new RelayError('bad_host');
  // Only a proxy on this machine can have terminated TLS; everybody else can write the header as well.
  const isOverTls = headers['x-forwarded-proto'] === 'https' && isLoopback(socket.remoteAddress);
  if (!isOverTls) throw new RelayError('tls_required');
  return { isRemote: true, host, origin: `https://${host}` };
}

const isLoopback = (address = ''): boolean => /^(::ffff:)?127\.|^::1$/.test(address);

function ownHosts(port: number): readonly string[] {
  return [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];
}

function refuseForeignOrigin(
  { headers, method, site }: Pick<FastifyRequest, 'headers' | 'method' | 'site'>,
  followed: boolean,
): void {
  const { origin } = headers;
  if (origin !== undefined && origin !== site.origin) throw new RelayError('bad_origin');
  if (headers['sec-fetch-site'] === 'cross-site' && !followed) throw new RelayError('bad_origin');
  // Only browsers come from outside, and they name the origin of whatever changes something.
  if (site.isRemote && method !== 'GET' && origin === undefined) throw new RelayError('bad_origin');
}
/**
 * Whether a person followed a link: the browser opens the page itself and no other page can read it. `relay open` does
 * this from a local file of the owner's. Used only for open pages, which contain no data.
 */
function isFollowedLink(headers: IncomingHttpHeaders): boolean {
  return (
    headers.origin === undefined &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document'
  );
}

/**
 * The browser sends a cookie for any page, and to every port of the host. So a request with a cookie must come from
 * Relay's own page; where it changes something, the Origin header must prove that.
 */
function refuseForeignSession(headers: IncomingHttpHeaders, method: string): void {
  if (headers['sec-fetch-site'] === 'same-site') throw new RelayError('bad_origin');
  if (method !== 'GET' && headers.origin === undefined) throw new RelayError('bad_origin');
}

// What a paired device may do without using its passkey again: read, what the owner does every day, and whatever
// narrows. Everything else needs the passkey of the last five minutes, so a new route does until it is listed here. Some
// routes ask for it themselves: the approval of a grant, a command to the assistant and the first push subscription of a
// phone. The assistant's model cannot get around it, because a proposal that grants more becomes an approval.

const V1 = '/api/v1/accounts/:account';

export const EVERYDAY_CHANGES: ReadonlySet<string> = new Set([
  `POST ${V1}/approvals/:approval_id/approve`,
  `POST ${V1}/approvals/:approval_id/edit`,
  `POST ${V1}/approvals/:approval_id/reject`,
  `POST ${V1}/chats/:chat_id/messages`,
  `POST ${V1}/conversations`,
  `POST ${V1}/conversations/:conversation_id/cancel`,
  `POST ${V1}/conversations/:conversation_id/messages`,
  `POST ${V1}/conversations/:conversation_id/pause`,
  `POST ${V1}/conversations/:conversation_id/resume`,
  `POST ${V1}/media`,
  `POST ${V1}/messages`,
  `POST ${V1}/schedules`,
  `DELETE ${V1}/schedules/:schedule_id`,
  'POST /api/approvals/:id/approve',
  'POST /api/approvals/:id/edit',
  'POST /api/approvals/:id/reject',
  'POST /api/assistant/messages',
  'POST /api/assistant/reset',
  'POST /api/assistant/stop',
  'POST /api/chats/:id/draft',
  'DELETE /api/chats/:id/suggestion',
  'POST /api/hold',
  'POST /api/instances',
  'POST /api/instances/:id/cancel',
  'POST /api/instances/:id/pause',
  'POST /api/instances/:id/resume',
  'POST /api/instances/:id/send',
  'POST /api/knocks/:contact/dismiss',
  'POST /api/logout',
  'POST /api/logout/everywhere',
  'POST /api/media',
  'POST /api/notifications/devices',
  'DELETE /api/notifications/devices/:device',
  'POST /api/schedules',
  'POST /api/schedules/preview',
  'DELETE /api/schedules/:id',
  'POST /api/whatsapp/messages',
]);
/** Everything in one file. */
const GUARDED_READS: ReadonlySet<string> = new Set(['/api/export']);

function isEverydayRoute({ method, routeOptions: { url = '' } }: FastifyRequest): boolean {
  return method === 'GET' ? !GUARDED_READS.has(url) : EVERYDAY_CHANGES.has(`${method} ${url}`);
}
