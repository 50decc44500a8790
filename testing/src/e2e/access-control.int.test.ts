// Access control of the real daemon: every published route is tried in every way that must not work, and the database
// is compared before and after.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RawResponse, rawRequest } from './raw-request.ts';
import { openRelay, type Relay } from './relay.ts';

interface Route {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** Served, but not part of the published table. */
const UNLISTED: Route[] = ['/api/openapi.json', '/api/docs', '/api/docs/reference.js'].map(
  (path) => ({ method: 'GET', path, body: undefined }),
);
/** Bodies that would succeed with access. */
const BODIES: Readonly<Record<string, unknown>> = {
  '/api/instances': { objective: 'get in', target_contact: '+14155550199' },
  '/api/instances/{id}/send': { message: 'get in' },
};

let relay: Relay;
let routes: Route[];
let tables: string[];
beforeAll(async () => {
  relay = await openRelay();
  await relay.start();
  const id = await relay.create();
  await relay.settled(id);
  const { json } = await relay.call('GET', '/api/openapi.json');
  const { paths } = json as { paths: Record<string, Record<string, unknown>> };
  routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({
      method: method.toUpperCase(),
      path: path === '/login' ? '/login?code=guess' : path.replace('{id}', id),
      body: method === 'post' ? BODIES[path] : undefined,
    })),
  );
  routes.push(...UNLISTED);
  // Probes tell everybody whether Relay is up, and nothing else.
  routes = routes.filter(({ path }) => !['/healthz', '/readyz'].includes(path));
  const found = await relay.query(
    "SELECT relname FROM pg_class WHERE relnamespace = 'relay'::regnamespace AND relkind IN ('r', 'p') ORDER BY 1",
  );
  tables = found.map(({ relname }) => String(relname));
});
afterAll(() => relay.end());

/** What a running daemon writes periodically, regardless of requests. */
const BY_THE_CLOCK: Readonly<Record<string, string>> = {
  account_leases: '{until}',
  daemon_runs: '{last_seen_at}',
  workers: '{last_seen_at,until}',
};

/** A hash over every row of each of our tables, so that a changed table is named. */
async function fingerprint(): Promise<Record<string, string>> {
  const parts = tables.map((name) => {
    const beats = BY_THE_CLOCK[name];
    const row = beats === undefined ? 'to_jsonb(t)' : `to_jsonb(t) - '${beats}'::text[]`;
    return `SELECT '${name}' AS name, (${row})::text AS row FROM relay.${name} t`;
  });
  const rows = await relay.query(`${parts.join(' UNION ALL ')} ORDER BY 1, 2`);
  return Object.fromEntries(
    tables.map((name) => {
      const own = rows.filter((row) => row.name === name);
      return [name, createHash('sha256').update(JSON.stringify(own)).digest('hex')];
    }),
  );
}

const SIGN_IN = ['/login', '/api/pairing', '/api/passkey'];

type Attack = (route: Route) => Promise<RawResponse>;

const send = (route: Route, headers: Record<string, string>, path = route.path) =>
  rawRequest({ port: relay.port, method: route.method, path, body: route.body, headers });
const bearer = () => ({ authorization: `Bearer ${relay.token}` });
const withQuery = (path: string, query: string) =>
  `${path}${path.includes('?') ? '&' : '?'}${query}`;

const ATTACKS: readonly [name: string, statuses: readonly number[], attack: Attack][] = [
  ['no token', [401], (route) => send(route, {})],
  [
    'a token in the query',
    [401],
    (route) =>
      send(route, {}, withQuery(route.path, `token=${relay.token}&access_token=${relay.token}`)),
  ],
  [
    'an evil Origin',
    [403],
    (route) => send(route, { ...bearer(), origin: 'https://evil.example' }),
  ],
  ['a null Origin', [403], (route) => send(route, { ...bearer(), origin: 'null' })],
  [
    'an Origin on another port',
    [403],
    (route) => send(route, { ...bearer(), origin: `http://127.0.0.1:${relay.port + 1}` }),
  ],
  ['an evil Host', [421], (route) => send(route, { ...bearer(), host: 'evil.example' })],
  [
    'a Host that is rebound to loopback',
    [421],
    (route) => send(route, { ...bearer(), host: `relay.evil.example:${relay.port}` }),
  ],
  [
    'text/plain',
    [415],
    ({ method, path, body }) =>
      rawRequest({
        port: relay.port,
        method,
        path,
        body: JSON.stringify(body ?? {}),
        headers: { ...bearer(), 'content-type': 'text/plain' },
      }),
  ],
  // Last: after some twenty guesses in a minute the answer is 429, which is a refusal too.
  [
    'a wrong token',
    [401, 429],
    (route) => send(route, { authorization: `Bearer relay_${'x'.repeat(43)}` }),
  ],
];

it('has a table of routes to try', () => {
  expect(routes.map(({ method, path }) => `${method} ${path}`)).toEqual(
    expect.arrayContaining(['GET /api/status', 'POST /api/token/rotate', 'POST /api/import']),
  );
  expect(routes.length).toBeGreaterThanOrEqual(19);
});

it.each(ATTACKS)(
  'refuses %s on every route, and changes nothing',
  async (name, statuses, attack) => {
    const before = await fingerprint();
    for (const route of routes) {
      // A file may be of any type.
      if (name === 'text/plain' && route.path.endsWith('/media')) continue;
      const { status, json } = await attack(route);
      // Signing in needs no token, so there a guess gets its own refusal.
      const expected = SIGN_IN.some((path) => route.path.startsWith(path))
        ? [...statuses, 400, 401, 403, 404, 429]
        : [...statuses];
      // The routes of clients refuse the owner's token before they validate the request.
      if (route.path.startsWith('/api/tools')) expected.push(403);
      expect({ ...route, refused: expected.includes(status), status }).toMatchObject({
        refused: true,
      });
      const sentence = route.path.startsWith('/api/v1/') ? 'detail' : 'error';
      expect(json).toMatchObject({ [sentence]: expect.any(String), code: expect.any(String) });
    }
    expect(await fingerprint()).toEqual(before);
  },
);

it('does not reveal to a stranger which routes exist', async () => {
  const known = await rawRequest({ port: relay.port, method: 'GET', path: '/api/status' });
  const unknown = await rawRequest({ port: relay.port, method: 'GET', path: '/api/no-such-thing' });
  expect({ status: unknown.status, json: unknown.json }).toEqual({
    status: known.status,
    json: known.json,
  });
});

it('accepts the owner all the time, and detects the changes they make', async () => {
  const before = await fingerprint();
  expect(await relay.call('GET', '/api/status')).toMatchObject({ status: 200 });
  expect(await fingerprint()).toEqual(before);
  await relay.create('+14155550111');
  expect(await fingerprint()).not.toEqual(before);
});
