import { readQrPicture } from '@relay/simulator/control/linking';
import { verifies } from '@relay/testing/verifies';
import { describe, expect, test } from 'vitest';
import { standIns } from './testing/stand-ins.ts';
import { bearer, listening } from './testing/wire.ts';

const JSON_TYPE = { ...bearer, 'content-type': 'application/json' };
const PHONE = '14155551234';

async function gateway() {
  const stand = standIns({ limits: { initMs: 100 } });
  const server = await listening(stand.deps);
  const get = async (path: string) => {
    const { status, body } = await server.call({ path, headers: bearer });
    return { status, body: JSON.parse(body) };
  };
  const post = async (path: string, given?: unknown, headers: Record<string, string> = {}) => {
    const sent =
      given === undefined
        ? { headers: { ...bearer, ...headers } }
        : { headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(given) };
    const { status, body } = await server.call({ method: 'POST', path, ...sent });
    return { status, body: JSON.parse(body) };
  };
  return { ...stand, server, get, post };
}

describe('GET status', () => {
  test.each([
    ['disconnected', 'disconnected', null],
    ['connecting', 'connecting', null],
    ['qr_ready', 'qr_ready', null],
    ['scanned', 'connecting', null],
    ['syncing', 'connected', PHONE],
    ['connected', 'connected', PHONE],
    ['time_locked', 'connected', PHONE],
    ['reconnecting', 'connecting', null],
    ['logged_out', 'disconnected', null],
  ] as const)('maps %s to the seed’s %s with the number %s', async (state, status, phoneNumber) => {
    verifies('000-API-STATUS');
    const { get, whatsapp } = await gateway();
    whatsapp.become({ state, phone: PHONE });
    expect(await get('/api/whatsapp/status')).toEqual({
      status: 200,
      body: { status, phoneNumber },
    });
  });
});

describe('POST connect', () => {
  test('starts linking and answers immediately', async () => {
    verifies('000-API-CONNECT');
    const { post, whatsapp } = await gateway();
    expect(await post('/api/whatsapp/connect')).toEqual({
      status: 200,
      body: { status: 'connecting' },
    });
    expect(await post('/api/whatsapp/connect', {})).toMatchObject({ status: 200 });
    expect(whatsapp.methods).toEqual([{ kind: 'qr' }, { kind: 'qr' }]);
  });

  test('returns only the status and the number while connected', async () => {
    verifies('000-API-CONNECT-ALREADY');
    const { post, whatsapp } = await gateway();
    whatsapp.become({ state: 'connected', phone: PHONE });
    expect(await post('/api/whatsapp/connect')).toEqual({
      status: 200,
      body: { status: 'already_connected', phoneNumber: PHONE },
    });
    expect(whatsapp.methods).toEqual([]);
  });

  test('requests a pairing code for a phone number, in digits', async () => {
    const { post, whatsapp } = await gateway();
    expect(await post('/api/whatsapp/connect', { phone: '+49 (170) 123-4567' })).toEqual({
      status: 200,
      body: { status: 'connecting' },
    });
    expect(whatsapp.methods).toEqual([{ kind: 'code', phone: '491701234567' }]);
  });

  test.each(['', '12', 'me', '1'.repeat(16), '49170@s.whatsapp.net'])(
    'refuses an invalid phone number without starting to link: %s',
    async (phone) => {
      const { post, whatsapp } = await gateway();
      expect(await post('/api/whatsapp/connect', { phone })).toEqual({
        status: 400,
        body: { error: 'Invalid phone number', code: 'invalid_phone' },
      });
      expect(whatsapp.methods).toEqual([]);
    },
  );

  test('replaces an unused code when the other linking method is requested', async () => {
    const { post, whatsapp } = await gateway();
    whatsapp.become({ state: 'qr_ready', qr: 'a' });
    await post('/api/whatsapp/connect', { phone: PHONE });
    expect(whatsapp.disconnects).toEqual([{ forget: false }]);
    whatsapp.become({ state: 'pairing_code_ready', pairingCode: 'ABCD1234' });
    await post('/api/whatsapp/connect', { phone: PHONE });
    expect(whatsapp.disconnects).toHaveLength(1);
    await post('/api/whatsapp/connect');
    expect(whatsapp.disconnects).toHaveLength(2);
    whatsapp.become({ state: 'scanned' });
    await post('/api/whatsapp/connect', { phone: PHONE });
    expect(whatsapp.disconnects).toHaveLength(2);
  });
});

describe('GET qr', () => {
  test('returns a readable QR code as PNG in a data URL', async () => {
    verifies('000-API-QR', '000-STATUS-QR-READY');
    const { get, whatsapp } = await gateway();
    const qr = `2@${'Aa1+'.repeat(25)},${'b/'.repeat(22)},${'C3'.repeat(22)},${'d='.repeat(22)}`;
    whatsapp.become({ state: 'qr_ready', qr });
    const { status, body } = await get('/api/whatsapp/qr');
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['qr']);
    expect(body.qr).toMatch(/^data:image\/png;base64,iVBORw0KGgo/);
    expect(readQrPicture(body.qr)).toBe(qr);
    expect(await get('/api/whatsapp/status')).toMatchObject({ body: { status: 'qr_ready' } });
  });

  test('returns exactly the seed’s 404 when there is no code', async () => {
    verifies('000-API-QR-404');
    const { get } = await gateway();
    expect(await get('/api/whatsapp/qr')).toEqual({
      status: 404,
      body: { error: 'No QR code available' },
    });
  });
});

describe('POST disconnect', () => {
  test.each([
    [undefined, false],
    [{}, false],
    [{ clearSession: false }, false],
    [{ clearSession: true }, true],
  ])('reads the body %j as forget: %s', async (body, forget) => {
    verifies('000-API-DISCONNECT');
    const { post, whatsapp } = await gateway();
    expect(await post('/api/whatsapp/disconnect', body)).toEqual({
      status: 200,
      body: { status: 'disconnected' },
    });
    expect(whatsapp.disconnects).toEqual([{ forget }]);
  });

  test('refuses clearSession as a string', async () => {
    const { post, whatsapp } = await gateway();
    const { status } = await post('/api/whatsapp/disconnect', { clearSession: 'yes' });
    expect(status).toBe(400);
    expect(whatsapp.disconnects).toEqual([]);
  });
});

test('returns everything known about the link, with dates as text', async () => {
  const { get, whatsapp } = await gateway();
  const at = new Date('2026-11-15T03:00:00.000Z');
  whatsapp.become({
    state: 'syncing',
    since: at,
    phone: PHONE,
    lid: '5:1@lid',
    name: 'Ana',
    replaying: 12,
    timeLockedUntil: at,
    fault: 'dns',
    retryAt: at,
    health: {
      lastStanzaAt: at,
      pingMs: 31.5,
      flaps: 1,
      received: 9,
      undecryptable: 0,
      restarts: 0,
    },
  });
  const text = at.toISOString();
  expect(await get('/api/whatsapp/link')).toEqual({
    status: 200,
    body: {
      state: 'syncing',
      status: 'connected',
      sentence: 'Connected. Relay is still receiving messages: 12 remaining.',
      since: text,
      phone: PHONE,
      name: 'Ana',
      qr: null,
      qrExpiresAt: null,
      pairingCode: null,
      passkey: null,
      retryAt: text,
      replaying: 12,
      timeLockedUntil: text,
      fault: {
        kind: 'dns',
        sentence: 'The name web.whatsapp.com could not be resolved.',
        action: 'Check the internet connection and the DNS server of this machine.',
      },
      health: {
        lastStanzaAt: text,
        pingMs: 31.5,
        flaps: 1,
        received: 9,
        undecryptable: 0,
        restarts: 0,
      },
    },
  });
});

test('POST passkey hands the answer to the transport, and refuses what is no answer', async () => {
  const { get, post, whatsapp } = await gateway();
  const attempt = '0198a0b1-7a51-7f00-8000-000000000001';
  const expiresAt = new Date('2026-11-15T02:05:00.000Z');
  const options = { challenge: 'abc', rpId: 'whatsapp.com', userVerification: 'required' };
  const passkey = { attempt, phone: PHONE, options, expiresAt, code: null };
  whatsapp.become({ state: 'passkey_requested', passkey });
  expect(await get('/api/whatsapp/link')).toMatchObject({
    body: {
      status: 'connecting',
      passkey: { ...passkey, expiresAt: expiresAt.toISOString() },
    },
  });
  const response = { clientDataJSON: 'e30', authenticatorData: 'AAAA', signature: 'AAAA' };
  const assertion = { id: 'AAAA', rawId: 'AAAA', type: 'public-key', response };
  const refused = [
    {},
    { attempt: 'now', assertion },
    { attempt, assertion: { ...assertion, rawId: 'no base64!' } },
    { attempt, assertion: { ...assertion, type: 'password' } },
    { attempt, assertion: { ...assertion, response: {} } },
  ];
  for (const body of refused) {
    expect(await post('/api/whatsapp/passkey', body)).toMatchObject({ status: 400 });
  }
  expect(whatsapp.passkeys).toEqual([]);
  const browsers = { ...assertion, clientExtensionResults: {} };
  expect(await post('/api/whatsapp/passkey', { attempt, assertion: browsers })).toEqual({
    status: 200,
    body: { status: 'sent' },
  });
  expect(whatsapp.passkeys).toEqual([{ attempt, assertion }]);
});

describe('POST init', () => {
  test('stores key and provider, starts linking, and says whether there is a QR code', async () => {
    verifies('003-API-INIT');
    const { post, whatsapp, configured } = await gateway();
    whatsapp.onConnect(() => {
      whatsapp.become({ state: 'connecting' });
      setTimeout(() => whatsapp.become({ state: 'qr_ready', qr: 'a' }), 20);
    });
    const model = {
      model_api_key: 'sk-1',
      model_provider: 'anthropic',
      brave_api_key: 'BSA-1',
    };
    expect(await post('/api/init', model)).toEqual({
      status: 200,
      body: { whatsapp_qr_displayed: true },
    });
    expect(configured).toEqual([model]);
    expect(whatsapp.listeners()).toBe(0);
  });

  test('only starts linking when no key is given', async () => {
    const { post, whatsapp, configured } = await gateway();
    whatsapp.onConnect(() => whatsapp.become({ state: 'passkey_required' }));
    expect(await post('/api/init')).toEqual({
      status: 200,
      body: { whatsapp_qr_displayed: false },
    });
    expect(configured).toEqual([]);
  });

  test('does not link again while connected, and stops waiting after a while', async () => {
    const { post, whatsapp } = await gateway();
    expect(await post('/api/init', {})).toMatchObject({ body: { whatsapp_qr_displayed: false } });
    expect(whatsapp.methods).toHaveLength(1);
    whatsapp.become({ state: 'connected', phone: PHONE });
    expect(await post('/api/init', {})).toMatchObject({ body: { whatsapp_qr_displayed: false } });
    expect(whatsapp.methods).toHaveLength(1);
  });

  test('stores nothing when the provider is unknown', async () => {
    const { post, configured } = await gateway();
    const { status } = await post('/api/init', { model_provider: 'antrophic', model_name: 'x' });
    expect([status, configured]).toEqual([400, []]);
  });

  test('stores nothing when the phone number is invalid', async () => {
    const { post, configured } = await gateway();
    const { status } = await post('/api/init', { model_api_key: 'sk-1', phone: 'me' });
    expect([status, configured]).toEqual([400, []]);
  });
});
