import type { IncomingMessage } from 'node:http';
import { QR_STREAM, streamWhatsAppQR } from '@relay/contract/client/qr-stream';
import { type Frame, readFrames } from '@relay/contract/client/sse';
import { verifies } from '@relay/testing/verifies';
import { expect, test } from 'vitest';
import { DEFAULT_HTTP_LIMITS } from './deps.ts';
import { standIns, TOKEN } from './testing/stand-ins.ts';
import { bearer, type Listening, listening } from './testing/wire.ts';

const PHONE = '14155551234';
const PNG = /^data:image\/png;base64,iVBORw0KGgo/;

async function follow(server: Listening, path = QR_STREAM) {
  const response = await server.open({ path, headers: bearer });
  const frames: Frame[] = [];
  const ended = read(response, frames);
  const has = (count: number) =>
    expect.poll(() => frames.length).toBeGreaterThanOrEqual(count) as unknown as Promise<void>;
  return { response, frames, ended, has };
}

async function read(response: IncomingMessage, frames: Frame[]): Promise<void> {
  try {
    for await (const frame of readFrames(response.setEncoding('utf8'))) frames.push(frame);
  } catch {
    // The test itself closed the stream.
  }
}

/** A client of the stream: collects its callbacks, in order. */
function client(server: Listening) {
  const calls: unknown[][] = [];
  const note =
    (name: string) =>
    (...given: unknown[]) =>
      void calls.push([name, ...given]);
  const controller = streamWhatsAppQR(
    {
      onQr: note('qr'),
      onStatus: note('status'),
      onConnected: note('connected'),
      onClose: note('close'),
      onError: note('error'),
    },
    {
      open: async (path, signal) => {
        const response = await server.open({ path, headers: bearer });
        signal.addEventListener('abort', () => response.destroy());
        if (response.statusCode !== 200) throw new Error(`answered ${response.statusCode}`);
        return response.setEncoding('utf8');
      },
    },
  );
  return { calls, controller };
}

test('is a keep-alive event stream that is not cached', async () => {
  verifies('000-QR-STREAM');
  const server = await listening(standIns().deps);
  const { response } = await follow(server);
  expect(response.statusCode).toBe(200);
  expect(response.headers).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    connection: 'keep-alive',
  });
});

test('sends the status at once and on every change, with exactly its fields', async () => {
  verifies('000-QR-STREAM-STATUS', '000-EVENT-STATUS');
  const { deps, whatsapp } = standIns();
  const server = await listening(deps);
  const { frames, has } = await follow(server);
  await has(1);
  whatsapp.become({ state: 'connecting' });
  whatsapp.become({ state: 'scanned' });
  whatsapp.become({ state: 'syncing', phone: PHONE, replaying: 3 });
  whatsapp.become({ state: 'connected', replaying: null });
  whatsapp.become({ state: 'reconnecting' });
  await has(5);
  expect(frames).toEqual([
    { event: 'status', data: { status: 'disconnected', phoneNumber: null } },
    { event: 'status', data: { status: 'connecting', phoneNumber: null } },
    { event: 'status', data: { status: 'connected', phoneNumber: PHONE } },
    { event: 'connected', data: { phoneNumber: PHONE } },
    { event: 'status', data: { status: 'connecting', phoneNumber: null } },
  ]);
});

test('sends the current QR code at once, and each new one when it is created', async () => {
  verifies('000-QR-STREAM-QR', '000-EVENT-QR');
  const { deps, whatsapp } = standIns();
  whatsapp.become({ state: 'qr_ready', qr: 'first' });
  const server = await listening(deps);
  const { frames, has } = await follow(server);
  await has(2);
  whatsapp.become({ qr: 'second' });
  whatsapp.become({ name: 'nothing a reader of codes sees' });
  whatsapp.become({ qr: 'third' });
  await has(4);
  expect(frames).toEqual([
    { event: 'status', data: { status: 'qr_ready', phoneNumber: null } },
    { event: 'qr', data: { qr: expect.stringMatching(PNG) } },
    { event: 'qr', data: { qr: expect.stringMatching(PNG) } },
    { event: 'qr', data: { qr: expect.stringMatching(PNG) } },
  ]);
  expect(new Set(frames.map(({ data }) => JSON.stringify(data))).size).toBe(4);
});

test('sends connected when the link is established, but not to later readers', async () => {
  verifies('000-QR-STREAM-CONNECTED', '000-EVENT-CONNECTED');
  const { deps, whatsapp } = standIns();
  const server = await listening(deps);
  const early = await follow(server);
  await early.has(1);
  whatsapp.become({ state: 'connected', phone: PHONE });
  await early.has(3);
  const late = await follow(server);
  await late.has(1);
  whatsapp.become({ state: 'phone_offline' });
  whatsapp.become({ state: 'disconnected' });
  await late.has(2);
  expect(early.frames[2]).toEqual({ event: 'connected', data: { phoneNumber: PHONE } });
  expect(late.frames.map(({ event }) => event)).toEqual(['status', 'status']);
});

test('sends a keep-alive comment every 30 s, even while there are events', async () => {
  verifies('000-QR-STREAM-KEEP-ALIVE');
  expect(DEFAULT_HTTP_LIMITS.linkKeepAliveMs).toBe(30_000);
  const { deps, whatsapp } = standIns({ limits: { linkKeepAliveMs: 40 } });
  const server = await listening(deps);
  const response = await server.open({ path: QR_STREAM, headers: bearer });
  let text = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const news = setInterval(() => whatsapp.become({ state: 'connecting' }), 10);
  await expect.poll(() => text.split(': keep-alive\n\n').length).toBeGreaterThan(3);
  clearInterval(news);
  response.destroy();
});

test('stays open until the client closes it, then unsubscribes', async () => {
  verifies('000-QR-STREAM-CLOSE');
  const { deps, whatsapp } = standIns({ limits: { pollMs: 10 } });
  const server = await listening(deps);
  const many = await Promise.all([follow(server), follow(server), follow(server)]);
  for (const { has } of many) await has(1);
  expect(whatsapp.listeners()).toBe(3);
  for (const { response } of many) response.destroy();
  await expect.poll(whatsapp.listeners).toBe(0);
});

test('ends when the server stops and when the token changes', async () => {
  let token = TOKEN;
  const { deps, whatsapp } = standIns({ ownerToken: () => token, limits: { pollMs: 20 } });
  const server = await listening(deps);
  const first = await follow(server);
  await first.has(1);
  token = 'another';
  await first.ended;
  token = TOKEN;
  const second = await follow(server);
  await second.has(1);
  await server.app.close();
  await second.ended;
  expect(whatsapp.listeners()).toBe(0);
});

test('tells a client every step of linking, a lost connection and its return', async () => {
  verifies('000-WEB-STREAM-HELPER');
  const { deps, whatsapp } = standIns();
  const server = await listening(deps);
  const { calls, controller } = client(server);
  await expect.poll(() => calls.length).toBe(1);
  whatsapp.become({ state: 'connecting' });
  whatsapp.become({ state: 'qr_ready', qr: 'a' });
  whatsapp.become({ state: 'scanned', qr: null });
  whatsapp.become({ state: 'restarting' });
  whatsapp.become({ state: 'connected', phone: PHONE });
  whatsapp.become({ state: 'reconnecting' });
  whatsapp.become({ state: 'connected' });
  await expect.poll(() => calls.length).toBe(10);
  controller.abort();
  await expect.poll(whatsapp.listeners).toBe(0);
  expect(calls).toEqual([
    ['status', 'disconnected', null],
    ['status', 'connecting', null],
    ['status', 'qr_ready', null],
    ['qr', expect.stringMatching(PNG)],
    ['status', 'connecting', null],
    ['status', 'connected', PHONE],
    ['connected', PHONE],
    ['status', 'connecting', null],
    ['status', 'connected', PHONE],
    ['connected', PHONE],
  ]);
});

test('tells a client that the daemon restarts, and afterwards what it missed', async () => {
  verifies('000-WEB-STREAM-END');
  const { deps, whatsapp } = standIns();
  const before = await listening(deps);
  whatsapp.become({ state: 'qr_ready', qr: 'a' });
  const first = client(before);
  await expect.poll(() => first.calls.length).toBe(2);
  await before.app.close();
  await expect.poll(() => first.calls.at(-1)).toEqual(['close']);
  const refused = client(before);
  await expect.poll(() => refused.calls).toEqual([['error', expect.any(Error)]]);

  whatsapp.become({ state: 'connected', qr: null, phone: PHONE });
  const second = client(await listening(deps));
  await expect.poll(() => second.calls).toEqual([['status', 'connected', PHONE]]);
  second.controller.abort();
});

test('sends every state with its sentence on Relay’s own stream, and no change twice', async () => {
  const { deps, whatsapp } = standIns();
  const server = await listening(deps);
  const { frames, has } = await follow(server, '/api/whatsapp/link/stream');
  await has(1);
  for (const state of ['connecting', 'qr_ready', 'scanned', 'restarting'] as const) {
    whatsapp.become({ state });
  }
  const { since } = whatsapp.link;
  const health = { ...whatsapp.link.health, received: 7 };
  whatsapp.become({ since, health });
  whatsapp.become({ state: 'syncing', replaying: 2, phone: PHONE });
  await has(6);
  const links = frames.map(({ data }) => data as { state: string; sentence: string });
  expect(links.map(({ state }) => state)).toEqual([
    'disconnected',
    'connecting',
    'qr_ready',
    'scanned',
    'restarting',
    'syncing',
  ]);
  expect(links[5]).toMatchObject({
    sentence: 'Connected. Relay is still receiving messages: 2 remaining.',
    health: { received: 7 },
  });
});

test('holds a bounded number of changes for a client that does not read, including the newest', async () => {
  const { deps, whatsapp } = standIns({ limits: { streamBatch: 10 } });
  const server = await listening(deps);
  const response = await server.open({ path: '/api/whatsapp/link/stream', headers: bearer });
  response.pause();
  const filler = 'x'.repeat(100_000);
  for (let n = 0; n < 500; n++) whatsapp.become({ name: `${n}${filler}` });
  const frames: Frame[] = [];
  void read(response, frames);
  const names = () => frames.map(({ data }) => (data as { name: string | null }).name?.slice(0, 3));
  await expect.poll(() => names().at(-1)).toBe('499');
  expect(frames.length).toBeLessThan(100);
  response.destroy();
});
