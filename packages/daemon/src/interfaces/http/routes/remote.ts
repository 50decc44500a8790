// Routes for access from a phone. The owner's own: the address, pairing codes and devices. Open at the address for phones
// only: pairing a device with a code, and signing in with its passkey.
import {
  assertionSchema,
  deviceSchema,
  enableRemoteSchema,
  pairingAttemptSchema,
  pairingSchema,
  passkeyOptionsSchema,
  registrationSchema,
  remoteStatusSchema,
} from '@relay/contract/api/remote';
import { RelayError } from '@relay/contract/errors';
import { deviceId } from '@relay/contract/ids';
import { z } from 'zod';
import { type App, errorResponses, type Site } from '../app.ts';
import type { HttpDeps } from '../deps.ts';
import { type Limiter, OWNER_TOKEN_HEADER, wrongCredentialError } from '../guard.ts';
import type { QrPicture } from '../linking.ts';
import type { OpenStreams } from '../streams.ts';
import { beginDeviceSession } from './sign-in.ts';

const tags = ['remote'];
/** Needed only by a browser session that did not sign in within the last five minutes; the guard reads it. */
const headers = z.object({ [OWNER_TOKEN_HEADER]: z.string().max(200).optional() });
const OPEN = { access: 'open' } as const;

interface RemoteServer {
  port(): number;
  readonly picture: QrPicture;
  readonly failures: Limiter;
  readonly streams: OpenStreams;
}

export function remoteRoutes(
  app: App,
  deps: Pick<HttpDeps, 'remote' | 'signIn'>,
  server: RemoteServer,
): void {
  const { remote } = deps;
  const status = async () => {
    const [host] = remote.hosts();
    const origin = host === undefined ? null : `https://${host}`;
    return { origin, port: server.port(), devices: [...(await remote.devices())] };
  };

  app.get(
    '/api/remote',
    {
      config: { subject: 'home' },
      schema: {
        operationId: 'getRemoteAccess',
        summary: 'Get the address for phones and the paired devices',
        tags,
        response: { 200: remoteStatusSchema, ...errorResponses() },
      },
    },
    status,
  );

  app.patch(
    '/api/remote',
    {
      config: { subject: 'home', access: 'confirmed' },
      schema: {
        operationId: 'enableRemoteAccess',
        summary: 'Turn on access from a phone, at an address that the owner’s proxy serves',
        description:
          'Relay keeps listening on loopback only. Devices that are signed in at another address are signed out.',
        tags,
        headers,
        body: enableRemoteSchema,
        response: { 200: remoteStatusSchema, ...errorResponses(400, 413, 415) },
      },
    },
    async ({ body }) => {
      await remote.enable(body.origin);
      server.streams.endDevices();
      return status();
    },
  );

  app.delete(
    '/api/remote',
    {
      config: { subject: 'home' },
      schema: {
        operationId: 'disableRemoteAccess',
        summary: 'Turn off access from a phone; every device is signed out and stays paired',
        tags,
        response: { 200: remoteStatusSchema, ...errorResponses() },
      },
    },
    async () => {
      await remote.disable();
      server.streams.endDevices();
      return status();
    },
  );

  app.post(
    '/api/remote/pairings',
    {
      config: { subject: 'home', access: 'confirmed' },
      schema: {
        operationId: 'createPairing',
        summary: 'Create an address that pairs one device, once, within five minutes',
        tags,
        headers,
        response: { 201: pairingSchema, ...errorResponses(409, 415) },
      },
    },
    async (_request, reply) => {
      const { url, expiresAt } = await remote.pair();
      const qr = await server.picture(url);
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .send({ url, qr, expires_at: expiresAt.toISOString() });
    },
  );

  app.delete(
    '/api/remote/devices/:device',
    {
      config: { subject: 'home' },
      schema: {
        operationId: 'removeDevice',
        summary: 'Remove a device; it is signed out at once and its passkey is refused',
        tags,
        params: z.object({ device: z.string().max(128).describe('Name or id of the device') }),
        response: { 200: deviceSchema, ...errorResponses(404) },
      },
    },
    async ({ params }) => {
      const removed = await remote.remove(params.device);
      // Streams of other devices reconnect.
      server.streams.endDevices();
      return removed;
    },
  );

  app.post(
    '/api/pairing/options',
    {
      config: OPEN,
      schema: {
        operationId: 'beginPairing',
        summary: 'Open a pairing code: the first phone gets the options of its passkey',
        tags,
        security: [],
        body: pairingAttemptSchema,
        response: { 200: passkeyOptionsSchema, ...errorResponses(400, 413, 415) },
      },
    },
    async ({ body, site }, reply) => {
      refuseThisMachine(site);
      reply.header('cache-control', 'no-store');
      return counted(server.failures, remote.registrationOptions(body, site));
    },
  );

  app.post(
    '/api/pairing',
    {
      config: OPEN,
      schema: {
        operationId: 'pairDevice',
        summary: 'Use up a pairing code: adds the device with its passkey and signs it in',
        tags,
        security: [],
        body: registrationSchema,
        response: { 201: deviceSchema, ...errorResponses(400, 409, 413, 415) },
      },
    },
    async (request, reply) => {
      refuseThisMachine(request.site);
      const paired = await counted(server.failures, remote.register(request.body, request.site));
      await beginDeviceSession(deps, request, reply, deviceId(paired.id));
      return reply.code(201).send(paired);
    },
  );

  app.post(
    '/api/passkey/options',
    {
      config: OPEN,
      schema: {
        operationId: 'beginPasskeySignIn',
        summary: 'Get a challenge for the passkey of a paired device',
        tags,
        security: [],
        response: { 200: passkeyOptionsSchema, ...errorResponses(415) },
      },
    },
    async ({ site }, reply) => {
      refuseThisMachine(site);
      reply.header('cache-control', 'no-store');
      return remote.signInOptions(site);
    },
  );

  app.post(
    '/api/passkey',
    {
      config: OPEN,
      schema: {
        operationId: 'signInWithPasskey',
        summary: 'Sign in with a passkey, or confirm an action with it; starts a new session',
        tags,
        security: [],
        body: assertionSchema,
        response: { 204: z.null().describe('Signed in'), ...errorResponses(400, 413, 415) },
      },
    },
    async (request, reply) => {
      refuseThisMachine(request.site);
      const device = await remote.signIn(request.body.credential, request.site);
      if (device === null) {
        throw wrongCredentialError(server.failures, new RelayError('passkey_refused'));
      }
      await beginDeviceSession(deps, request, reply, device);
      return reply.code(204).send(null);
    },
  );
}

function refuseThisMachine({ isRemote }: Site): void {
  if (!isRemote) throw new RelayError('remote_only');
}

/** Counts wrong codes and passkeys as wrong credentials. */
async function counted<T>(failures: Limiter, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    const isWrong =
      error instanceof RelayError &&
      (error.code === 'pairing_code_invalid' || error.code === 'passkey_refused');
    throw isWrong ? wrongCredentialError(failures, error) : error;
  }
}
