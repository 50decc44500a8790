import { createHmac, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { RelayWebhookError, verifyWebhook } from './webhook.ts';

const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const NOW = Date.parse('2026-11-15T10:00:00Z');
const BODY = JSON.stringify({
  type: 'health',
  timestamp: '2026-11-15T10:00:00.000Z',
  data: { ä: 1 },
});

/** As in the standard. */
function signed(body = BODY, { secret = SECRET, at = NOW, id = 'msg_1' } = {}) {
  const seconds = String(Math.floor(at / 1_000));
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${signature}`,
  };
}

const verify = (headers: Parameters<typeof verifyWebhook>[1], body: string | Uint8Array = BODY) =>
  verifyWebhook(SECRET, headers, body, { now: NOW });

test('verifies the example of the standard', async () => {
  const example = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  };
  const event = await verifyWebhook(
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    example,
    '{"test": 2432232314}',
    { now: 1_614_265_330_000 },
  );
  expect(event).toEqual({ test: 2432232314 });
});

test('returns the signed event, whatever type headers and body have', async () => {
  const event = { type: 'health', timestamp: '2026-11-15T10:00:00.000Z', data: { ä: 1 } };
  const headers = signed();
  expect(await verify(headers)).toEqual(event);
  expect(await verify(new Headers(headers))).toEqual(event);
  expect(await verify(headers, new TextEncoder().encode(BODY))).toEqual(event);
  const shouted = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]);
  expect(await verify(Object.fromEntries(shouted))).toEqual(event);
});

test('accepts one valid signature of several, as during a rotation', async () => {
  const right = signed();
  const other = signed(BODY, { secret: `whsec_${randomBytes(32).toString('base64')}` });
  const signatures = `${other['webhook-signature']} v2,abc ${right['webhook-signature']}`;
  await verify({ ...right, 'webhook-signature': signatures });
});

test.each([
  ['a byte of the body', () => verify(signed(), BODY.replace('1', '2'))],
  ['the id', () => verify({ ...signed(), 'webhook-id': 'msg_2' })],
  ['the secret', () => verify(signed(BODY, { secret: `whsec_${'A'.repeat(44)}` }))],
  ['the time', () => verify({ ...signed(), 'webhook-timestamp': String(NOW / 1_000 + 1) })],
  ['the signature', () => verify({ ...signed(), 'webhook-signature': 'v1,AAAA' })],
  ['base64', () => verify({ ...signed(), 'webhook-signature': 'v1,%%%' })],
  [
    'the version',
    () => verify({ ...signed(), 'webhook-signature': signed()['webhook-signature'].slice(3) }),
  ],
  ['the header', () => verify({})],
])('refuses a webhook if somebody changes %s', async (_what, attempt) => {
  await expect(attempt()).rejects.toBeInstanceOf(RelayWebhookError);
});

test.each([-301, 301])('refuses a webhook that is %i seconds away from now', async (seconds) => {
  await verify(signed(BODY, { at: NOW + Math.sign(seconds) * 299_000 }));
  const headers = signed(BODY, { at: NOW + seconds * 1_000 });
  await expect(verify(headers)).rejects.toThrow('too old');
});
