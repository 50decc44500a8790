// The address for phones, over a real socket that plays the owner's proxy.
import { HOME_OWNER } from '@relay/contract/ids';
import { verifies } from '@relay/testing/verifies';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { ownerAccess } from './app.ts';
import { EVERYDAY_CHANGES, hashSecret, REMOTE_COOKIE, sessionCookie } from './guard.ts';
import { INSTANCE_ID } from './testing/conversations.ts';
import { DEVICE_ID, PAIRING_CODE, PASSKEY_ID, REMOTE_HOST } from './testing/remote.ts';
import { standIns } from './testing/stand-ins.ts';
import { bearer, type Call, type Listening, listening } from './testing/wire.ts';

const ORIGIN = `https://${REMOTE_HOST}`;
/** What the proxy sends: the host that was asked for, and that it was asked over TLS. */
const proxied = {
  host: REMOTE_HOST,
  'x-forwarded-proto': 'https',
  'x-forwarded-for': '203.0.113.7',
};
const json = { 'content-type': 'application/json' };
const LATER_MS = 5 * 60_000 + 1;

const { deps, calls } = standIns();
let server: Listening;
beforeEach(async () => {
  calls.length = 0;
  await deps.remote.enable(ORIGIN);
  server = await listening(deps);
});
afterEach(() => vi.useRealTimers());

const code = ({ body }: { readonly body: string }) => JSON.parse(body).code as unknown;

const credential = (id: string) => ({
  id,
  rawId: id,
  type: 'public-key',
  response: { clientDataJSON: 'e30', authenticatorData: 'e30', signature: 'e30' },
});
const passkey = (id = PASSKEY_ID): Call => ({
  method: 'POST',
  path: '/api/passkey',
  headers: { ...proxied, ...json, origin: ORIGIN },
  body: JSON.stringify({ credential: credential(id) }),
});

async function signedIn(): Promise<{ cookie: string; origin: string }> {
  const { status, headers } = await server.call(passkey());
  expect(status).toBe(204);
  return { cookie: headers['set-cookie']?.[0]?.split(';')[0] ?? '', origin: ORIGIN };
}
const withSession = async () => ({ ...proxied, ...(await signedIn()) });
const leap = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });

describe('without an address for phones', () => {
  test('refuses every other Host, whatever a proxy claims', async () => {
    verifies('REMOTE-OFF');
    await deps.remote.disable();
    for (const path of ['/api/status', '/api/passkey/options', '/login?code=a']) {
      const refused = await server.call({ path, headers: { ...proxied, ...bearer } });
      expect({ path, status: refused.status }).toEqual({ path, status: 421 });
    }
    expect(calls).toEqual(['enableRemote', 'disableRemote']);
  });
});

describe('the address for phones', () => {
  test('signs a paired device in, with a cookie for this host alone', async () => {
    verifies('REMOTE-COOKIE');
    const { status, headers } = await server.call(passkey());
    expect(status).toBe(204);
    const [cookie = ''] = headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/^__Host-relay_session=[\w-]{43};/);
    for (const part of ['HttpOnly', 'Secure', 'SameSite=Strict', 'Path=/', 'Max-Age=43200'])
      expect(cookie).toContain(part);
    expect(cookie).not.toContain('Domain');
    const session = { ...proxied, cookie: cookie.split(';')[0] ?? '' };
    expect((await server.call({ path: '/api/status', headers: session })).status).toBe(200);
  });

  test('answers with HSTS, and in no frame, also when it refuses', async () => {
    verifies('REMOTE-FRAMES');
    const session = await withSession();
    for (const headers of [session, proxied]) {
      const answer = await server.call({ path: '/api/status', headers });
      expect(answer.headers['strict-transport-security']).toBe('max-age=31536000');
      expect(answer.headers['x-frame-options']).toBe('DENY');
      expect(answer.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    }
    const here = await server.call({ path: '/api/status', headers: bearer });
    expect(here.headers['strict-transport-security']).toBeUndefined();
    expect(here.headers['x-frame-options']).toBe('DENY');
  });

  test.each<[string, Record<string, string>, number, string]>([
    ['another Host', { host: 'evil.example' }, 421, 'bad_host'],
    ['a name that rebinds to this machine', { host: 'rebind.relay.example.org' }, 421, 'bad_host'],
    ['the address with another port', { host: `${REMOTE_HOST}:8443` }, 421, 'bad_host'],
    ['plain HTTP at the proxy', { 'x-forwarded-proto': 'http' }, 403, 'tls_required'],
    ['two protocols', { 'x-forwarded-proto': 'https, http' }, 403, 'tls_required'],
    ['another forwarded host', { 'x-forwarded-host': 'evil.example' }, 421, 'bad_host'],
    ['another Origin', { origin: 'https://evil.example' }, 403, 'bad_origin'],
    ['the Origin without TLS', { origin: `http://${REMOTE_HOST}` }, 403, 'bad_origin'],
    ['a null Origin', { origin: 'null' }, 403, 'bad_origin'],
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }, 403, 'bad_origin'],
    ['a page of a sibling host', { 'sec-fetch-site': 'same-site' }, 403, 'bad_origin'],
  ])('refuses %s, with a good session', async (_, forged, status, expected) => {
    verifies('REMOTE-ARRIVAL');
    const headers = { ...(await withSession()), ...forged };
    const refused = await server.call({ path: '/api/status', headers });
    expect({ status: refused.status, code: code(refused) }).toEqual({ status, code: expected });
    expect(calls).not.toContain('status');
  });

  test('refuses a request without any forwarded header', async () => {
    verifies('REMOTE-ARRIVAL');
    const { cookie } = await signedIn();
    const refused = await server.call({
      path: '/api/status',
      headers: { host: REMOTE_HOST, cookie },
    });
    expect(code(refused)).toBe('tls_required');
  });

  test.each(['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'])(
    'refuses a proxy that hides the host, by its %s header',
    async (name) => {
      verifies('REMOTE-ARRIVAL');
      const refused = await server.call({
        path: '/api/status',
        headers: { ...bearer, [name]: 'x' },
      });
      expect(code(refused)).toBe('bad_host');
    },
  );

  test('refuses whatever changes something without an Origin', async () => {
    const { cookie } = await signedIn();
    const path = '/api/hold';
    const refused = await server.call({ method: 'POST', path, headers: { ...proxied, cookie } });
    expect(code(refused)).toBe('bad_origin');
    const unpaired = { ...passkey(), headers: { ...proxied, ...json } };
    expect(code(await server.call(unpaired))).toBe('bad_origin');
  });

  test('accepts no token and no login code', async () => {
    verifies('REMOTE-PASSKEY-ONLY');
    const made = await server.call({ method: 'POST', path: '/api/login-codes', headers: bearer });
    const { url } = JSON.parse(made.body);
    const path = new URL(url).pathname + new URL(url).search;
    for (const headers of [
      { ...proxied, ...bearer },
      { ...(await withSession()), ...bearer },
      { ...proxied, cookie: `${REMOTE_COOKIE}=unknown` },
      proxied,
    ]) {
      const refused = await server.call({ path: '/api/status', headers });
      expect({ status: refused.status, code: code(refused) }).toEqual({
        ...{ status: 401, code: 'passkey_required' },
      });
    }
    expect(code(await server.call({ path, headers: proxied }))).toBe('passkey_required');
    // The code was not spent by that.
    expect((await server.call({ path })).status).toBe(302);
  });

  test('keeps sessions of this machine and of devices apart', async () => {
    verifies('REMOTE-COOKIE');
    await deps.signIn.addSession(hashSecret('here'), new Date(Date.now() + 600_000), HOME_OWNER);
    const { cookie } = await signedIn();
    const secret = cookie.split('=')[1];
    for (const headers of [
      { ...proxied, cookie: `${REMOTE_COOKIE}=here` },
      { cookie },
      { cookie: `${sessionCookie(server.port)}=${secret}` },
    ])
      expect((await server.call({ path: '/api/status', headers })).status).toBe(401);
  });

  test('ends a session after 30 minutes without a request, and after 12 hours', async () => {
    verifies('REMOTE-IDLE');
    const headers = await withSession();
    const look = async () => (await server.call({ path: '/api/status', headers })).status;
    leap(29 * 60_000);
    expect(await look()).toBe(200);
    leap(29 * 60_000);
    expect(await look()).toBe(200);
    leap(31 * 60_000);
    expect(await look()).toBe(401);

    vi.useRealTimers();
    const busy = await withSession();
    for (let minutes = 0; minutes < 12 * 60; minutes += 25) {
      leap(25 * 60_000);
      await server.call({ path: '/api/status', headers: busy });
    }
    expect((await server.call({ path: '/api/status', headers: busy })).status).toBe(401);
  });

  test('needs the passkey of the last five minutes for all but everyday changes', async () => {
    verifies('REMOTE-FRESH');
    const headers = await withSession();
    leap(LATER_MS);
    const routes = server.app.routes
      .flatMap(({ method, url, config }) =>
        [method].flat().map((one) => ({
          method: one,
          url,
          access: ownerAccess(config?.access ?? 'owner'),
        })),
      )
      .filter(({ access }) => ['owner', 'confirmed', 'monitor'].includes(access));
    const isFree = ({ method, url }: (typeof routes)[number]) =>
      method === 'GET' ? url !== '/api/export' : EVERYDAY_CHANGES.has(`${method} ${url}`);
    for (const route of routes.filter((one) => !isFree(one))) {
      const { method, url } = route;
      const refused = await server.call({ method, path: url.replace(':id', INSTANCE_ID), headers });
      expect({ ...route, code: code(refused) }).toEqual({ ...route, code: 'passkey_stale' });
    }
    expect(routes.filter(isFree).filter(({ method }) => method !== 'GET')).toHaveLength(
      EVERYDAY_CHANGES.size,
    );
    expect((await server.call({ method: 'POST', path: '/api/hold', headers })).status).toBe(200);
    expect(calls.filter((call) => /Token|ettings|enableRemote|pair/.test(call))).toEqual([
      'enableRemote',
    ]);
  });

  test('needs the passkey for the approval of a grant, and for no other approval', async () => {
    verifies('REMOTE-FRESH');
    const { approvals } = deps;
    const grant = await approvals.show(await approvals.find(INSTANCE_ID));
    const show = vi.spyOn(approvals, 'show');
    onTestFinished(() => show.mockRestore());
    const headers = await withSession();
    leap(LATER_MS);
    const path = `/api/approvals/${INSTANCE_ID}/approve`;
    const approve = () => server.call({ method: 'POST', path, headers });
    expect((await approve()).status).toBe(200);
    calls.length = 0;
    show.mockResolvedValue({ ...grant, kind: 'manage_grant' });
    expect(code(await approve())).toBe('passkey_stale');
    expect(calls).not.toContain('approve');
  });

  const CHAT = 'f3b7b1a2-3f0e-4c0a-8a63-0a7c1f1f2b11';
  const subscription = {
    endpoint: 'https://push.example.org/1',
    keys: { p256dh: 'p'.repeat(87), auth: 'a'.repeat(22) },
    name: 'Phone',
    locale: 'en',
  };
  test.each<[string, Pick<Call, 'method' | 'path'>, object | null, string]>([
    ['drafts', { method: 'POST', path: `/api/chats/${CHAT}/draft` }, {}, 'draftMessage'],
    [
      'dismisses a suggestion',
      { method: 'DELETE', path: `/api/chats/${CHAT}/suggestion` },
      null,
      'dismissSuggestion',
    ],
    [
      'asks the assistant',
      { method: 'POST', path: '/api/assistant/messages' },
      { text: 'Allow Ana to be answered' },
      'ask',
    ],
    ['stops its answer', { method: 'POST', path: '/api/assistant/stop' }, null, 'stop'],
    [
      'renews its subscription',
      { method: 'POST', path: '/api/notifications/devices' },
      { ...subscription, renew: true },
      'addPushDevice',
    ],
    [
      'ends its notifications',
      { method: 'DELETE', path: `/api/notifications/devices/${DEVICE_ID}` },
      null,
      'removePushDevice',
    ],
  ])('%s without the passkey', async (_, request, body, made) => {
    verifies('REMOTE-FRESH');
    const headers = await withSession();
    leap(LATER_MS);
    const sent = body === null ? { headers } : { headers: { ...headers, ...json } };
    const { status } = await server.call({
      ...request,
      ...sent,
      ...(body === null ? {} : { body: JSON.stringify(body) }),
    });
    expect(status).toBeLessThan(300);
    expect(calls).toContain(made);
  });

  test.each([
    ['a command to the assistant', '/api/assistant/messages', { text: ' /release' }],
    ['a first push subscription', '/api/notifications/devices', subscription],
  ])('needs the passkey for %s', async (_, path, body) => {
    verifies('REMOTE-FRESH');
    const headers = { ...(await withSession()), ...json };
    leap(LATER_MS);
    calls.length = 0;
    const call = { method: 'POST', path, headers, body: JSON.stringify(body) };
    expect(code(await server.call(call))).toBe('passkey_stale');
    expect(calls).toEqual([]);
  });

  test('replaces the session when the passkey is used again, so the former cookie is useless', async () => {
    verifies('REMOTE-FRESH');
    const stolen = await withSession();
    leap(LATER_MS);
    const again = passkey();
    const { headers } = await server.call({
      ...again,
      headers: { ...again.headers, cookie: stolen.cookie },
    });
    const fresh = { ...stolen, cookie: headers['set-cookie']?.[0]?.split(';')[0] ?? '' };
    const release = (given: Record<string, string>) =>
      server.call({ method: 'POST', path: '/api/release', headers: given });
    expect((await release(fresh)).status).toBe(200);
    expect((await release(stolen)).status).toBe(401);
  });

  test('never gives a device the owner’s token or a login code', async () => {
    const headers = await withSession();
    for (const path of ['/api/login-codes', '/api/token/rotate', '/api/ingest/token'])
      expect(code(await server.call({ method: 'POST', path, headers }))).toBe('token_needed');
  });

  test('ends sessions and streams of devices on sign-out everywhere', async () => {
    verifies('REMOTE-SIGN-OUT');
    const [mine, other] = [await withSession(), await withSession()];
    const stream = await server.open({ path: '/api/events', headers: other });
    const ended = new Promise((resolve) => stream.resume().once('end', resolve));
    const path = '/api/logout/everywhere';
    const out = await server.call({ method: 'POST', path, headers: mine });
    expect(out.headers['set-cookie']?.[0]).toMatch(/^__Host-relay_session=;.*Secure/);
    await ended;
    for (const headers of [mine, other])
      expect((await server.call({ path: '/api/status', headers })).status).toBe(401);
  });

  test('refuses and counts wrong passkeys and pairing codes, and still accepts right ones', async () => {
    verifies('REMOTE-GUESSES');
    const limited = standIns({ remote: deps.remote, limits: { failuresPerMinute: 2 } });
    server = await listening(limited.deps);
    const open = (given: string): Call => ({
      method: 'POST',
      path: '/api/pairing/options',
      headers: { ...proxied, ...json, origin: ORIGIN },
      body: JSON.stringify({ code: given, attempt: 'an-attempt-of-the-phone' }),
    });
    const wrong = 'a-pairing-code-that-is-wrong';
    const statuses = [];
    for (const call of [open(wrong), passkey('unknown'), open(wrong), passkey('unknown')])
      statuses.push((await server.call(call)).status);
    expect(statuses).toEqual([403, 403, 429, 429]);
    expect((await server.call(open(PAIRING_CODE))).status).toBe(200);
    expect((await server.call(passkey())).status).toBe(204);
  });

  test('pairs a device with a code and signs it in', async () => {
    const made = { id: 'bWFkZQ', rawId: 'bWFkZQ', type: 'public-key' };
    const response = { clientDataJSON: 'e30', attestationObject: 'e30' };
    const paired = await server.call({
      method: 'POST',
      path: '/api/pairing',
      headers: { ...proxied, ...json, origin: ORIGIN },
      body: JSON.stringify({
        ...{ code: PAIRING_CODE, attempt: 'an-attempt-of-the-phone', name: 'iPhone' },
        credential: { ...made, response, authenticatorAttachment: 'platform' },
      }),
    });
    expect(paired.status).toBe(201);
    expect(JSON.parse(paired.body).id).toBe(DEVICE_ID);
    const cookie = paired.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    const headers = { ...proxied, cookie };
    expect((await server.call({ path: '/api/status', headers })).status).toBe(200);
  });
});

test('offers passkeys and pairing at the address for phones only', async () => {
  for (const path of ['/api/passkey/options', '/api/passkey', '/api/pairing/options']) {
    const origin = `http://${server.host}`;
    const body =
      path === '/api/passkey'
        ? { credential: credential(PASSKEY_ID) }
        : { code: PAIRING_CODE, attempt: 'an-attempt-of-the-phone' };
    const sent =
      path === '/api/passkey/options'
        ? { headers: { origin } }
        : { headers: { ...json, origin }, body: JSON.stringify(body) };
    const refused = await server.call({ method: 'POST', path, ...sent });
    expect({ path, code: code(refused) }).toEqual({ path, code: 'remote_only' });
  }
});
