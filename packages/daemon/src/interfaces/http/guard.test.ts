// Sends every kind of unauthorized request to every route of the route table, over a real socket.

import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOME_OWNER } from '@relay/contract/ids';
import { CONSOLE_PAGES } from '@relay/core/console/pages';
import { removeFolder } from '@relay/testing/remove-folder';
import { verifies } from '@relay/testing/verifies';
import type { RouteOptions } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ownerAccess } from './app.ts';
import { hashSecret, sessionCookie } from './guard.ts';
import { INSTANCE_ID } from './testing/conversations.ts';
import { PROGRAM_TOKEN } from './testing/programs.ts';
import { memorySignIn } from './testing/sign-in.ts';
import { standIns, TOKEN } from './testing/stand-ins.ts';
import { bearer, type Call, type Listening, listen, listening } from './testing/wire.ts';

const SESSION = 'a-browser-session';

interface Attack {
  readonly status: number;
  /** The error code in the response, where the status is not specific enough. */
  readonly code?: string;
  /** The routes that are tested; all by default. */
  on?(route: Route): boolean;
  call(server: Listening, route: Route): Partial<Call>;
}

interface Route {
  readonly method: string;
  readonly path: string;
  readonly access: string;
  /** The scope with which a client may call it. */
  readonly scope?: string;
  /** Its body is a file of any type. */
  readonly takesFiles: boolean;
}

const guarded = ({ access }: Route) => access !== 'open';
const changing = ({ method, access }: Route) => method === 'POST' && access !== 'open';
const wantsJson = ({ takesFiles }: Route) => !takesFiles;
const cookie = (server: Listening) => ({ cookie: `${sessionCookie(server.port)}=${SESSION}` });
const text = { 'content-type': 'text/plain' };
const program = { authorization: `Bearer ${PROGRAM_TOKEN}` };
const forPrograms = ({ access }: Route) => access === 'program';
/** A valid credential for the route, so that something else must be the reason of the refusal. */
const rightful = ({ access }: Route) => (access === 'program' ? program : bearer);

const ATTACKS: Record<string, Attack> = {
  'no token': { status: 401, on: guarded, call: () => ({}) },
  'a wrong token': {
    status: 401,
    on: guarded,
    call: () => ({ headers: { authorization: 'Bearer wrong' } }),
  },
  'the token as a basic password': {
    status: 401,
    on: guarded,
    call: () => ({ headers: { authorization: `Basic ${TOKEN}` } }),
  },
  'a wrong token beside a good cookie': {
    status: 401,
    on: guarded,
    call: (server) => ({ headers: { ...cookie(server), authorization: 'Bearer wrong' } }),
  },
  'an unknown cookie': {
    status: 401,
    on: guarded,
    call: ({ port }) => ({ headers: { cookie: `${sessionCookie(port)}=wrong` } }),
  },
  'the cookie of another port': {
    status: 401,
    on: guarded,
    call: ({ port }) => ({ headers: { cookie: `${sessionCookie(port + 1)}=${SESSION}` } }),
  },
  'an evil Origin': {
    status: 403,
    call: () => ({ headers: { ...bearer, origin: 'https://evil.example' } }),
  },
  'a null Origin': { status: 403, call: () => ({ headers: { ...bearer, origin: 'null' } }) },
  'the Origin of another port': {
    status: 403,
    call: () => ({ headers: { ...bearer, origin: 'http://127.0.0.1:9999' } }),
  },
  'the other name of this host as Origin': {
    status: 403,
    call: ({ port }) => ({ headers: { ...bearer, origin: `http://localhost:${port}` } }),
  },
  'an https Origin': {
    status: 403,
    call: ({ host }) => ({ headers: { ...bearer, origin: `https://${host}` } }),
  },
  'a link followed from another site': {
    status: 403,
    on: guarded,
    call: () => ({
      headers: {
        ...bearer,
        'sec-fetch-site': 'cross-site',
        'sec-fetch-mode': 'navigate',
        'sec-fetch-dest': 'document',
      },
    }),
  },
  'a frame on another site': {
    status: 403,
    call: () => ({
      headers: {
        ...bearer,
        'sec-fetch-site': 'cross-site',
        'sec-fetch-mode': 'navigate',
        'sec-fetch-dest': 'iframe',
      },
    }),
  },
  'a cross-site fetch': {
    status: 403,
    call: () => ({ headers: { ...bearer, 'sec-fetch-site': 'cross-site' } }),
  },
  'an evil Host': {
    status: 421,
    call: ({ port }) => ({ headers: { ...bearer, host: `evil.example:${port}` } }),
  },
  'the Host of another port': {
    status: 421,
    call: () => ({ headers: { ...bearer, host: '127.0.0.1:9999' } }),
  },
  'a Host that only begins like ours': {
    status: 421,
    call: ({ host }) => ({ headers: { ...bearer, host: `${host}.evil.example` } }),
  },
  'a program’s token from an evil Origin': {
    status: 403,
    code: 'bad_origin',
    on: forPrograms,
    call: () => ({ headers: { ...program, origin: 'https://evil.example' } }),
  },
  'a program’s token with an evil Host': {
    status: 421,
    on: forPrograms,
    call: ({ port }) => ({ headers: { ...program, host: `evil.example:${port}` } }),
  },
  'a program’s token at the owner’s door': {
    status: 403,
    code: 'program_only',
    on: (route) => guarded(route) && !forPrograms(route) && route.scope === undefined,
    call: () => ({ headers: program }),
  },
  'a program’s token without the scope': {
    status: 403,
    code: 'scope_missing',
    on: ({ scope = 'any' }) => !['any', 'messages:read', 'messages:send'].includes(scope),
    call: () => ({ headers: program }),
  },
  'the owner’s token at a program’s door': {
    status: 403,
    code: 'program_needed',
    on: forPrograms,
    call: () => ({ headers: bearer }),
  },
  'a session of the owner’s at a program’s door': {
    status: 403,
    code: 'program_needed',
    on: forPrograms,
    call: (server) => ({ headers: { ...cookie(server), origin: `http://${server.host}` } }),
  },
  'a program’s token with one letter changed': {
    status: 401,
    on: guarded,
    call: () => ({ headers: { authorization: `Bearer ${PROGRAM_TOKEN.slice(0, -1)}S` } }),
  },
  'a program’s token as a cookie': {
    status: 401,
    on: guarded,
    call: ({ port }) => ({ headers: { cookie: `${sessionCookie(port)}=${PROGRAM_TOKEN}` } }),
  },
  'a text/plain body': {
    status: 415,
    on: wantsJson,
    call: (_, route) => ({
      headers: { ...rightful(route), ...text },
      body: '{"message":"hi"}',
    }),
  },
  'a body of no type': {
    status: 415,
    call: (_, route) => ({ headers: rightful(route), body: '{}' }),
  },
  'a form body': {
    status: 415,
    on: wantsJson,
    call: (_, route) => ({
      headers: { ...rightful(route), 'content-type': 'application/x-www-form-urlencoded' },
      body: 'message=hi',
    }),
  },
  'a cookie without Origin': {
    status: 403,
    on: changing,
    call: (server) => ({ headers: cookie(server) }),
  },
  'a cookie from another port of this host': {
    status: 403,
    on: guarded,
    call: (server) => ({ headers: { ...cookie(server), 'sec-fetch-site': 'same-site' } }),
  },
  'a cookie with an evil Origin': {
    status: 403,
    on: guarded,
    call: (server) => ({ headers: { ...cookie(server), origin: 'https://evil.example' } }),
  },
  'a cookie where the token is needed': {
    status: 403,
    on: ({ access }) => access === 'token' || access === 'forwarder',
    call: (server) => ({ headers: { ...cookie(server), origin: `http://${server.host}` } }),
  },
};

const webDirectory = await mkdtemp(join(tmpdir(), 'relay-web-'));
const signIn = memorySignIn();
const limits = { failuresPerMinute: 100_000, initMs: 50 };
const { deps, calls } = standIns({ signIn, webDirectory, limits });
const connections = new Agent({ keepAlive: true });
let server: Listening;
let routes: Route[];

// One server for all tests that do not change its state.
beforeAll(async () => {
  await mkdir(join(webDirectory, 'assets'));
  await writeFile(join(webDirectory, 'index.html'), '<title>Relay</title>');
  await writeFile(join(webDirectory, 'assets', 'app-1a2b.js'), '');
  await signIn.addSession(hashSecret(SESSION), new Date(Date.now() + 600_000), HOME_OWNER);
  server = await listen(deps, connections);
  routes = table(server.app.routes);
});
beforeEach(() => {
  calls.length = 0;
});
afterAll(async () => {
  connections.destroy();
  await server.app.close();
  await removeFolder(webDirectory);
});

function table(routes: readonly RouteOptions[]): Route[] {
  return routes.flatMap(({ method, url, config }) =>
    [method].flat().map((one) => ({
      method: one,
      path: url.replace(':account', 'default').replace(/:(id|\w+_id)\b/g, INSTANCE_ID),
      access: ownerAccess(config?.access ?? 'owner'),
      ...(typeof config?.access === 'object' && { scope: config.access.scope }),
      takesFiles: config?.body === 'media',
    })),
  );
}

const unknown: Route = {
  method: 'GET',
  path: '/api/nothing-here',
  access: 'owner',
  takesFiles: false,
};

describe('every route of the route table', () => {
  for (const [name, attack] of Object.entries(ATTACKS)) {
    test(`refuses ${name} without calling a service`, async () => {
      verifies('000-API-AUTH');
      const aimed = [...routes, unknown].filter((route) => attack.on?.(route) ?? true);
      expect(aimed.length).toBeGreaterThan(1);
      for (const route of aimed) {
        const { method, path } = route;
        const asked = { method, path, ...attack.call(server, route) };
        const { status, headers, body } = await server.call(asked);
        expect({ method, path, status }).toEqual({ method, path, status: attack.status });
        if (attack.code !== undefined) expect(JSON.parse(body).code).toBe(attack.code);
        expect(Object.keys(headers).filter((key) => key.startsWith('access-control'))).toEqual([]);
      }
      expect(calls).toEqual([]);
    });
  }

  test('refuses a token in the query, whatever the parameter is called', async () => {
    for (const { method, path } of [...routes, unknown].filter(guarded)) {
      for (const key of ['token', 'access_token', 'authorization', 'key', 'code']) {
        const { status } = await server.call({ method, path: `${path}?${key}=${TOKEN}` });
        expect({ method, path, key, status }).toEqual({ method, path, key, status: 401 });
      }
    }
    expect(calls).toEqual([]);
  });

  test('handles the same requests when they carry the right token', async () => {
    // A separate server, because some of these requests sign out or replace the token.
    const own = standIns({ webDirectory, limits });
    const reached = await listening(own.deps);
    for (const { method, path, access } of routes) {
      if (access === 'open') continue;
      const headers =
        access === 'program' ? program : { authorization: `Bearer ${own.deps.ownerToken()}` };
      const response = await reached.open({ method, path, headers });
      response.destroy();
      expect([401, 403, 415, 421, 429]).not.toContain(response.statusCode);
    }
    expect(new Set(own.calls).size).toBeGreaterThanOrEqual(16);
  });

  test('refuses the forwarder token on all routes except its own', async () => {
    verifies('004-IN-WEBHOOK');
    await deps.forwarderTokens.replace(hashSecret('forwarded'));
    const headers = { authorization: 'Bearer forwarded' };
    for (const { method, path, access } of [...routes, unknown].filter(guarded)) {
      const { status } = await server.call({ method, path, headers });
      const expected = access === 'forwarder' ? 400 : 401;
      expect({ method, path, status }).toEqual({ method, path, status: expected });
    }
    expect(calls).toEqual([]);
    const json = { ...headers, 'content-type': 'application/json' };
    const body = JSON.stringify({
      sender: 'Mom',
      group: 'Holliday',
      text: 'Hello',
      timestamp: 1_794_735_660,
    });
    const path = '/api/ingest/notifications';
    const taken = await server.call({ method: 'POST', path, headers: json, body });
    expect({ status: taken.status, body: JSON.parse(taken.body) }).toEqual({
      status: 200,
      body: { taken: 1, repeated: 0, left_out: 0 },
    });
    expect(calls).toEqual(['takeNotifications']);
    await deps.forwarderTokens.revoke();
    expect((await server.call({ method: 'POST', path, headers: json, body })).status).toBe(401);
  });

  test('is open only for the sign-in and the console’s pages and files', async () => {
    const open = routes.filter(({ access, method }) => access === 'open' && method === 'GET');
    const pages = CONSOLE_PAGES.map((page) => page.replace('$id', INSTANCE_ID).replace('$', ':'));
    expect(open.map(({ path }) => path).sort()).toEqual(
      [...pages, '/assets/app-1a2b.js', '/healthz', '/login', '/readyz'].sort(),
    );
  });
});

test('answers an unknown path with 404 for the owner and 401 for others', async () => {
  expect((await server.call({ path: '/api/nothing-here' })).status).toBe(401);
  expect((await server.call({ path: '/assets/nothing.js' })).status).toBe(401);
  expect((await server.call({ path: '/api/nothing-here', headers: bearer })).status).toBe(404);
  expect((await server.call({ path: '/../../etc/passwd', headers: bearer })).status).toBe(404);
});

test('refuses requests with a sentence while the daemon is stopping', async () => {
  const stopping = await listening(standIns({ stopping: () => true }).deps);
  const { status, body } = await stopping.call({ path: '/api/status', headers: bearer });
  expect(status).toBe(503);
  expect(JSON.parse(body).code).toBe('daemon_stopping');
});
