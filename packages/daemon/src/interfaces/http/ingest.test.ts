// Tests what notification forwarders may send, and how often.
import { verifies } from '@relay/testing/verifies';
import { expect, test } from 'vitest';
import { hashSecret } from './guard.ts';
import { standIns } from './testing/stand-ins.ts';
import { bearer, listening } from './testing/wire.ts';

const path = '/api/ingest/notifications';
const NOTE = {
  sender: 'Mom',
  group: 'Holliday',
  text: '📷 Photo',
  timestamp: '2026-11-15T09:41:00+01:00',
  media_type: 'image',
};

async function desk(limits = {}) {
  const stand = standIns({ limits });
  await stand.deps.forwarderTokens.replace(hashSecret('forwarded'));
  const server = await listening(stand.deps);
  const headers = { authorization: 'Bearer forwarded', 'content-type': 'application/json' };
  const post = (body: unknown) =>
    server.call({ method: 'POST', path, headers, body: JSON.stringify(body) });
  return { ...stand, server, post };
}

test('accepts one or several notifications with sender, group, text, time and media type', async () => {
  verifies('004-IN-PAYLOAD');
  const { post } = await desk();
  expect(JSON.parse((await post(NOTE)).body)).toMatchObject({ taken: 1 });
  const { media_type: _, ...plain } = NOTE;
  const batch = [
    plain,
    { ...NOTE, timestamp: 1_794_735_660 },
    { ...NOTE, timestamp: '1794735660000' },
  ];
  expect(JSON.parse((await post(batch)).body)).toMatchObject({ taken: 3 });
});

test.each([
  ['a field that nobody knows', { ...NOTE, admin: true }],
  ['no sender', { ...NOTE, sender: undefined }],
  ['an empty group', { ...NOTE, group: ' ' }],
  ['a time of no zone', { ...NOTE, timestamp: '2026-11-15T09:41:00' }],
  ['a time that is none', { ...NOTE, timestamp: 'yesterday' }],
  ['a kind that is none', { ...NOTE, media_type: 'hologram' }],
  ['words without end', { ...NOTE, text: 'x'.repeat(20_000) }],
  ['half a character', { ...NOTE, text: '\ud83d' }],
  ['nothing', []],
  ['more than a hundred', Array.from({ length: 101 }, () => NOTE)],
])('refuses a notification with invalid content: %s', async (_, body) => {
  const { post, calls } = await desk();
  expect((await post(body)).status).toBe(400);
  expect(calls).toEqual([]);
});

test('limits how many notifications a forwarder token may send', async () => {
  const { post, server } = await desk({ forwardedPerMinute: 3 });
  for (let n = 0; n < 3; n++) expect((await post(NOTE)).status).toBe(200);
  expect((await post(NOTE)).status).toBe(429);
  expect((await server.call({ path: '/api/status', headers: bearer })).status).toBe(200);
});

test('shows the forwarder token once, replaces it with the next one, and revokes it', async () => {
  const { server, deps } = await desk();
  const ask = (method: string) =>
    server.call({ method, path: '/api/ingest/token', headers: bearer });
  const { token } = JSON.parse((await ask('POST')).body);
  expect(token).toMatch(/^relay_forwarder_[\w-]{43}$/);
  expect(await deps.forwarderTokens.isValid(hashSecret(token))).toBe(true);
  expect(await deps.forwarderTokens.isValid(hashSecret('forwarded'))).toBe(false);
  const state = await ask('GET');
  expect(JSON.parse(state.body)).toMatchObject({ exists: true });
  expect(state.body).not.toContain(token);
  expect((await ask('DELETE')).status).toBe(204);
  expect(JSON.parse((await ask('GET')).body)).toMatchObject({ exists: false });
});
