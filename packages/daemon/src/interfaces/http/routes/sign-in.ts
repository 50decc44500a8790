// Routes that sign a browser in and out and rotate the owner's token.
// Invariant: a login code works once and for a minute; only hashes of codes and sessions are stored.
import { randomBytes } from 'node:crypto';
import {
  loginCodeSchema,
  loginQuerySchema,
  ownerTokenSchema,
} from '@relay/contract/api/credentials';
import { RelayError } from '@relay/contract/errors';
import { type DeviceId, HOME_OWNER, type OwnerId } from '@relay/contract/ids';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { callerOf } from '../account-scope.ts';
import { type App, errorResponses } from '../app.ts';
import type { HttpDeps } from '../deps.ts';
import {
  hashSecret,
  type Limiter,
  REMOTE_COOKIE,
  sessionCookie,
  wrongCredentialError,
} from '../guard.ts';
import type { OpenStreams } from '../streams.ts';

const CODE_MS = 60_000;
const SESSION_MS = 7 * 24 * 3_600_000;

const secret = () => randomBytes(32).toString('base64url');
const COOKIE = { httpOnly: true, sameSite: 'strict', path: '/' } as const;
const REMOTE = { ...COOKIE, secure: true } as const;
/** After this long a device signs in again, also if it is used all the time. */
const DEVICE_SESSION_MS = 12 * 3_600_000;

/** Signs the device in, and out of the session that it had: one stolen before its passkey was used again is useless. */
export async function beginDeviceSession(
  { signIn }: Pick<HttpDeps, 'signIn'>,
  { cookies }: Pick<FastifyRequest, 'cookies'>,
  reply: FastifyReply,
  device: DeviceId,
): Promise<void> {
  const former = cookies[REMOTE_COOKIE];
  const session = secret();
  // Devices are paired by the home's owner.
  const expiresAt = new Date(Date.now() + DEVICE_SESSION_MS);
  await signIn.addSession(hashSecret(session), expiresAt, HOME_OWNER, device);
  if (former !== undefined) await signIn.endSession(hashSecret(former));
  reply
    .setCookie(REMOTE_COOKIE, session, { ...REMOTE, maxAge: DEVICE_SESSION_MS / 1000 })
    .header('cache-control', 'no-store');
}

const clearSession = ({ site }: Pick<FastifyRequest, 'site'>, reply: FastifyReply, port: number) =>
  site.isRemote
    ? reply.clearCookie(REMOTE_COOKIE, REMOTE)
    : reply.clearCookie(sessionCookie(port), COOKIE);

export function signInRoutes(
  app: App,
  deps: Pick<HttpDeps, 'signIn' | 'remote' | 'owners' | 'rotateOwnerToken'>,
  server: { port(): number; failures: Limiter; streams: OpenStreams },
): void {
  const { signIn, remote } = deps;
  const tags = ['sign-in'];
  const endSignIns = async (owner: OwnerId) => {
    await signIn.endAll(owner);
    if (owner === HOME_OWNER) await remote.endPairings();
  };

  app.post(
    '/api/login-codes',
    {
      config: { access: 'token', subject: 'caller' },
      schema: {
        operationId: 'createLoginCode',
        summary: 'Create a link that signs in one browser, once, within a minute',
        tags,
        response: { 201: loginCodeSchema, ...errorResponses(415) },
      },
    },
    async (request, reply) => {
      const code = secret();
      const expiresAt = new Date(Date.now() + CODE_MS);
      await signIn.addCode(hashSecret(code), expiresAt, callerOf(request).id);
      const url = `http://127.0.0.1:${server.port()}/login?code=${code}`;
      return reply.code(201).send({ url, expires_at: expiresAt.toISOString() });
    },
  );

  app.get(
    '/login',
    {
      config: { access: 'open' },
      schema: {
        operationId: 'login',
        summary: 'Use a login code: sets the session cookie and redirects to the console',
        tags,
        security: [],
        querystring: loginQuerySchema,
        response: { 302: z.null().describe('Signed in'), ...errorResponses(400) },
      },
    },
    async (request, reply) => {
      // From outside, a code alone lets nobody in.
      if (request.site.isRemote) throw new RelayError('passkey_required');
      const now = new Date();
      const owner = await signIn.spendCode(hashSecret(request.query.code), now);
      if (owner === null) {
        throw wrongCredentialError(server.failures, new RelayError('login_code_invalid'));
      }
      const session = secret();
      await signIn.addSession(hashSecret(session), new Date(now.getTime() + SESSION_MS), owner);
      return reply
        .setCookie(sessionCookie(server.port()), session, { ...COOKIE, maxAge: SESSION_MS / 1000 })
        .header('cache-control', 'no-store')
        .redirect('/', 302);
    },
  );

  app.post(
    '/api/logout',
    {
      config: { subject: 'caller' },
      schema: {
        operationId: 'logout',
        summary: 'End this browser session',
        tags,
        response: { 204: z.null().describe('Signed out'), ...errorResponses(415) },
      },
    },
    async (request, reply) => {
      const { principal } = request;
      if (principal?.kind === 'session' || principal?.kind === 'device') {
        await signIn.signOut(principal.hash);
        server.streams.end(principal);
      }
      return clearSession(request, reply, server.port()).code(204).send(null);
    },
  );

  app.post(
    '/api/logout/everywhere',
    {
      config: { subject: 'caller' },
      schema: {
        operationId: 'logoutEverywhere',
        summary: 'End every browser session, including this one; the owner’s token stays valid',
        tags,
        response: { 204: z.null().describe('Signed out everywhere'), ...errorResponses(415) },
      },
    },
    async (request, reply) => {
      const { id } = callerOf(request);
      await endSignIns(id);
      server.streams.endSessions(id);
      return clearSession(request, reply, server.port()).code(204).send(null);
    },
  );

  app.post(
    '/api/token/rotate',
    {
      config: { access: 'token', subject: 'caller' },
      schema: {
        operationId: 'rotateToken',
        summary: 'Change the owner’s token; ends every session and every stream',
        tags,
        response: { 200: ownerTokenSchema, ...errorResponses(415) },
      },
    },
    async (request) => {
      const { id } = callerOf(request);
      const token =
        id === HOME_OWNER ? await deps.rotateOwnerToken() : await deps.owners.replaceToken(id);
      await endSignIns(id);
      server.streams.endOwner(id);
      return { token };
    },
  );
}
