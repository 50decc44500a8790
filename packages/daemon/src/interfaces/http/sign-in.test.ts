import { HOME_OWNER, type OwnerId } from '@relay/contract/ids';
import { afterEach, expect, test, vi } from 'vitest';
import { sessionCookie } from './guard.ts';
import { createOpenStreams } from './streams.ts';
import { standIns } from './testing/stand-ins.ts';
import { bearer, type Listening, listening } from './testing/wire.ts';

afterEach(() => vi.useRealTimers());

async function loginPath(server: Listening): Promise<string> {
  const { status, body } = await server.call({
    method: 'POST',
    path: '/api/login-codes',
    headers: bearer,
  });
  expect(status).toBe(201);
  const { url, expires_at } = JSON.parse(body);
  expect(new Date(expires_at).getTime() - Date.now()).toBeLessThanOrEqual(60_000);
  expect(url).toContain(`http://${server.host}/login?code=`);
  return url.slice(`http://${server.host}`.length);
}

async function signedIn(server: Listening): Promise<{ cookie: string; origin: string }> {
  const { headers } = await server.call({ path: await loginPath(server) });
  const cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  return { cookie, origin: `http://${server.host}` };
}

test('signs a browser in with a login code, and sets a cookie that scripts cannot read', async () => {
  const server = await listening(standIns().deps);
  const { status, headers } = await server.call({ path: await loginPath(server) });
  expect(status).toBe(302);
  expect(headers.location).toBe('/');
  expect(headers['cache-control']).toBe('no-store');
  const [cookie = ''] = headers['set-cookie'] ?? [];
  expect(cookie).toContain(`${sessionCookie(server.port)}=`);
  for (const part of ['HttpOnly', 'SameSite=Strict', 'Path=/']) expect(cookie).toContain(part);
  const session = { cookie: cookie.split(';')[0] ?? '' };
  expect((await server.call({ path: '/api/status', headers: session })).status).toBe(200);
});

test('accepts a login code once, even for two requests at the same time', async () => {
  const server = await listening(standIns().deps);
  const path = await loginPath(server);
  const both = await Promise.all([server.call({ path }), server.call({ path })]);
  expect(both.map(({ status }) => status).sort()).toEqual([302, 401]);
  const again = await server.call({ path, headers: { accept: 'text/html' } });
  expect(again.status).toBe(401);
  expect(again.body).toBe(
    'This link was already used or has expired. Run `relay open` for a new one.',
  );
});

test('refuses a login code after a minute', async () => {
  const server = await listening(standIns().deps);
  const path = await loginPath(server);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_001 });
  expect((await server.call({ path })).status).toBe(401);
});

test('lets a session change things only from its own page', async () => {
  const server = await listening(standIns().deps);
  const session = await signedIn(server);
  const path = '/api/instances/0b6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d/pause';
  expect((await server.call({ method: 'POST', path, headers: session })).status).toBe(200);
  const { cookie } = session;
  expect((await server.call({ method: 'POST', path, headers: { cookie } })).status).toBe(403);
});

test('ends the session and its streams on log-out, and no others', async () => {
  const { deps, events } = standIns();
  const server = await listening(deps);
  const [mine, other] = [await signedIn(server), await signedIn(server)];
  const stream = await server.open({ path: '/api/events', headers: mine });
  const theirs = await server.open({ path: '/api/events', headers: other });
  stream.resume();
  const ended = new Promise((resolve) => stream.once('end', resolve));
  expect((await server.call({ method: 'POST', path: '/api/logout', headers: mine })).status).toBe(
    204,
  );
  await ended;
  expect(events.subscribers()).toBe(1);
  expect((await server.call({ path: '/api/status', headers: mine })).status).toBe(401);
  expect((await server.call({ path: '/api/status', headers: other })).status).toBe(200);
  theirs.destroy();
});

test('ends every browser session on sign-out everywhere, but not the token or its streams', async () => {
  const server = await listening(standIns().deps);
  const [mine, other] = [await signedIn(server), await signedIn(server)];
  const browsers = await server.open({ path: '/api/events', headers: other });
  const program = await server.open({ path: '/api/events', headers: bearer });
  const ended = new Promise((resolve) => browsers.resume().once('end', resolve));
  const path = '/api/logout/everywhere';
  expect((await server.call({ method: 'POST', path, headers: mine })).status).toBe(204);
  await ended;
  for (const headers of [mine, other])
    expect((await server.call({ path: '/api/status', headers })).status).toBe(401);
  expect((await server.call({ path: '/api/status', headers: bearer })).status).toBe(200);
  expect(program.closed).toBe(false);
  program.destroy();
});

const LATER_MS = 5 * 60_000 + 1;
const makeToken = (server: Listening, headers: Readonly<Record<string, string>>) =>
  server.call({
    method: 'POST',
    path: '/api/tokens',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ name: 'claude', scopes: ['messages:read'] }),
  });

test('lets a browser create tokens only within five minutes of signing in', async () => {
  const { deps, calls } = standIns();
  const server = await listening(deps);
  const session = await signedIn(server);
  expect((await makeToken(server, session)).status).toBe(201);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + LATER_MS });
  calls.length = 0;
  const path = '/api/tokens/claude/rotate';
  for (const { status, body } of [
    await makeToken(server, session),
    await server.call({ method: 'POST', path, headers: session }),
  ]) {
    expect(status).toBe(403);
    expect(JSON.parse(body)).toMatchObject({
      code: 'sign_in_stale',
      action: expect.stringContaining('`relay token`'),
    });
  }
  expect(calls).toEqual([]);
  // Revoking a token needs no confirmation.
  const revoked = { method: 'DELETE', path: '/api/tokens/claude', headers: session };
  expect((await server.call(revoked)).status).toBe(200);
  expect((await makeToken(server, await signedIn(server))).status).toBe(201);
});

test('lets an older session create tokens with the owner’s token, and counts wrong guesses', async () => {
  const { deps, calls } = standIns({ limits: { failuresPerMinute: 3 } });
  const server = await listening(deps);
  const session = await signedIn(server);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + LATER_MS });
  const typed = (token: string) => makeToken(server, { ...session, 'relay-owner-token': token });
  expect((await typed(deps.ownerToken())).status).toBe(201);
  calls.length = 0;
  const guesses = [await typed('a'), await typed('b'), await typed('c'), await typed('d')];
  expect(guesses.map(({ status }) => status)).toEqual([403, 403, 403, 429]);
  expect(JSON.parse(guesses[0]?.body ?? '')).toMatchObject({ code: 'owner_token_wrong' });
  expect(calls).toEqual([]);
  expect((await typed(deps.ownerToken())).status).toBe(201);
});

test('ends the old token, every session and every stream at once when the token is rotated', async () => {
  const { deps } = standIns();
  const server = await listening(deps);
  const session = await signedIn(server);
  const streams = [
    await server.open({ path: '/api/events', headers: bearer }),
    await server.open({ path: '/api/events', headers: session }),
  ];
  const ended = streams.map(
    (stream) => new Promise((resolve) => stream.resume().once('end', resolve)),
  );
  const { body } = await server.call({
    method: 'POST',
    path: '/api/token/rotate',
    headers: bearer,
  });
  await Promise.all(ended);
  const { token } = JSON.parse(body);
  expect(token).toBe(deps.ownerToken());
  expect((await server.call({ path: '/api/status', headers: bearer })).status).toBe(401);
  expect((await server.call({ path: '/api/status', headers: session })).status).toBe(401);
  const fresh = { authorization: `Bearer ${token}` };
  expect((await server.call({ path: '/api/status', headers: fresh })).status).toBe(200);
});

test('an owner who signs out or changes their token ends no stream of another owner', () => {
  const streams = createOpenStreams();
  const open = (kind: 'token' | 'session', id: number) => {
    const owner = { id: id as OwnerId, role: 'owner' } as const;
    return streams.openWork({ kind, hash: `${kind}${id}`, owner }).signal;
  };
  const ofHome = [open('token', HOME_OWNER), open('session', HOME_OWNER)];
  const hers = [open('token', 7), open('session', 7)];
  const ended = () => [...ofHome, ...hers].map(({ aborted }) => aborted);
  streams.endSessions(7 as OwnerId);
  expect(ended()).toEqual([false, false, false, true]);
  streams.endOwner(7 as OwnerId);
  expect(ended()).toEqual([false, false, true, true]);
  streams.endOwner(HOME_OWNER);
  expect(ended()).toEqual([true, true, true, true]);
});
