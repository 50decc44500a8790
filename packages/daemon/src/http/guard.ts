// The one door: runs before any body is read, for every route and for paths that are none.
// Invariant: without a valid credential a caller reaches no handler but the open ones, and cannot
// tell a route that exists from one that does not.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { RelayError } from '@relay/core/errors';
import type { Program } from '@relay/core/ports/tokens';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from './app.ts';
import { type Authenticator, OWNER_TOKEN_HEADER } from './authenticate.ts';
import type { Limiter } from './limiter.ts';
import { isFollowedLink, refuseForeign, refuseForeignSession } from './origin.ts';
import type { Principal } from './principal.ts';

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
      refuseForeign(request.headers, rules.port(), open && isFollowedLink(request.headers));
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
  refuseForeign(headers, rules.port(), false);
  const principal = await admit(rules, { headers, cookies: {}, method }, 'program');
  if (rules.stopping()) throw new RelayError('daemon_stopping');
  return principal;
};

async function admit(
  rules: GuardRules,
  request: Pick<FastifyRequest, 'headers' | 'cookies' | 'method'>,
  access: Access,
): Promise<Principal | null> {
  if (access === 'open') return null;
  const principal = await rules.authenticator.identify(request, rules.port(), access);
  if (principal === 'missing') throw new RelayError('unauthorized');
  if (principal === 'wrong') throw refusal(rules.failures, new RelayError('unauthorized'));
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
  if (confirmed === 'wrong') throw refusal(failures, new RelayError('owner_token_wrong'));
}

/** What a program's token opens: its tools, and figures if it was made for that. */
const isOpenTo = ({ scopes }: Program, access: Access): boolean =>
  access === 'program' || (access === 'monitor' && scopes.includes('metrics:read'));

/** The refusal of a wrong credential, or of one guess too many. */
export function refusal(failures: Limiter, error: RelayError): RelayError {
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
