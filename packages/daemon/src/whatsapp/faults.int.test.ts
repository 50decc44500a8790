import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { mediaCertificate } from '@relay/simulator/whatsapp/wire/trust';
import { eventually, pause, TransportFixture } from '@relay/testing/transport/harness';
import { verifies } from '@relay/testing/verifies';
import { DEFAULT_CONNECTION_CONFIG } from '@whiskeysockets/baileys';
import { afterEach, describe, expect, test } from 'vitest';
import type { TransportTimings } from './socket.ts';
import { type BaileysHarness, baileysHarness } from './testing/harness.ts';

let harness: BaileysHarness;
let stage: TransportFixture;

async function begin(timings: Partial<TransportTimings> = {}): Promise<void> {
  harness = await baileysHarness(timings);
  stage = new TransportFixture(harness);
}

afterEach(() => stage.end());

describe('a store that fails', () => {
  test('is reopened after an outage, and nothing is lost or duplicated', async () => {
    await begin();
    await stage.pair();
    const { bob, me } = stage;
    const ids: string[] = [];
    for (let i = 0; i < 30; i += 1) {
      ids.push(await bob.send(me, `in ${i}`));
      if (i === 10) harness.wire.fault('unavailable');
    }
    await stage.arrival(ids.at(-1) ?? '');
    await stage.reaches('connected');
    await eventually(() => harness.received().length === ids.length, 'all of them');
    expect(new Set(harness.received().map(({ id }) => id))).toEqual(new Set(ids));
    await stage.send(bob.jid(), 'still here');
    expect(bob.counts()).toMatchObject({ duplicates: 0, undecryptable: 0 });
  });

  test('stops the transport if the credentials are unreadable, and is left unchanged', async () => {
    await begin();
    await stage.pair();
    await stage.restart();
    const before = { credentials: harness.wire.credentials, keys: new Map(harness.wire.keys) };
    harness.wire.damage('credentials');
    const attempts = harness.network.connections;
    stage.transport.connect();
    await stage.reaches('credentials_unreadable');
    await stage.staysAway();
    expect(harness.network.connections).toBe(attempts);
    expect(harness.wire.credentials).toEqual(before.credentials);
    expect(harness.wire.keys).toEqual(before.keys);
    expect(stage.me.companions.size).toBe(1);
  });

  test('stops the transport if one key is unreadable', async () => {
    await begin();
    await stage.pair();
    await stage.send(stage.bob.jid(), 'makes a session');
    await stage.restart();
    const session = [...harness.wire.keys.keys()].filter((name) => name.startsWith('1/'));
    for (const name of session) harness.wire.damage(name);
    stage.transport.connect();
    await eventually(() => stage.link.state !== 'connecting', 'the login');
    await stage.send(stage.bob.jid(), 'cannot be').catch(() => undefined);
    await stage.reaches('credentials_unreadable');
    await stage.staysAway();
  });

  test('is closed when another daemon has taken it over', async () => {
    await begin();
    await stage.pair();
    harness.wire.fault('lease_lost');
    await stage.reaches('taken_over');
    await stage.staysAway();
  });

  test('is reopened before the next attempt if it failed while disconnected', async () => {
    await begin();
    await stage.pair();
    harness.network.faults.set({ refuseLogin: 503 });
    stage.me.disconnect(503);
    await stage.reaches('unreachable');
    harness.wire.fault('unavailable');
    harness.network.faults.clear();
    await stage.reaches('connected');
    await stage.arrival(await stage.bob.send(stage.me, 'both are back'));
  });

  test('does not report a send as sent if it could not become durable', async () => {
    await begin();
    await stage.pair();
    const { bob } = stage;
    await stage.send(bob.jid(), 'first');
    harness.wire.hold();
    const outcome = stage.fault(bob.jid(), 'never durable');
    await pause(100);
    harness.wire.fault('unavailable');
    expect((await outcome).kind).toBe('uncertain');
    harness.wire.release();
    await stage.reaches('connected');
    expect(bob.messages().map(({ text }) => text)).toEqual(['first']);
  });
});

describe('an unresponsive connection', () => {
  const QUICK = { pingMs: 300, unresponsiveMs: 200 };
  // Long enough for a busy machine, so that only a really unresponsive connection counts.
  const CALM = { pingMs: 200, unresponsiveMs: 5_000 };

  test('is replaced and counted', async () => {
    await begin(QUICK);
    await stage.pair();
    harness.network.faults.set({ mute: true });
    await eventually(() => stage.link.health.restarts > 0, 'the restart');
    harness.network.faults.clear();
    await stage.reaches('connected');
    await stage.arrival(await stage.bob.send(stage.me, 'heard again'));
  });

  test('is told apart from a quiet one: pings are answered and measured', async () => {
    await begin(CALM);
    await stage.pair();
    await eventually(() => stage.link.health.pingMs !== null, 'a measured ping');
    await pause(600);
    expect(stage.link.health).toMatchObject({ restarts: 0, flaps: 0 });
    expect(stage.link.state).toBe('connected');
  });

  test('is told apart from one that waits for a code to be scanned', async () => {
    await begin(CALM);
    stage.transport.connect();
    const qr = await stage.qr();
    await pause(600);
    expect(stage.link).toMatchObject({ state: 'qr_ready', qr });
    await stage.me.scan(qr);
    await stage.reaches('connected');
    expect(stage.link.health.restarts).toBe(0);
  });
});

describe('a server other than WhatsApp', () => {
  test('cannot unlink the account: a proxy’s 401 only makes WhatsApp unreachable', async () => {
    await begin();
    await stage.pair();
    const proxy = createServer((_, response) => response.writeHead(401).end());
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const real = DEFAULT_CONNECTION_CONFIG.waWebSocketUrl;
    const { port } = proxy.address() as AddressInfo;
    DEFAULT_CONNECTION_CONFIG.waWebSocketUrl = `ws://127.0.0.1:${port}/ws/chat`;
    stage.me.disconnect();
    await stage.reaches('unreachable');
    expect(stage.link.fault).toBe('proxy');
    DEFAULT_CONNECTION_CONFIG.waWebSocketUrl = real;
    await stage.reaches('connected');
    expect(stage.link.fault).toBeNull();
    await new Promise((resolve) => proxy.close(resolve));
  });

  test.each([
    ['dns', 'wss://web.whatsapp.invalid/ws/chat'],
    ['refused', 'wss://127.0.0.1:9/ws/chat'],
  ])('that is missing because of %s is reported with the cause', async (fault, url) => {
    verifies('SETUP-FAULT');
    await begin();
    await stage.pair();
    const real = DEFAULT_CONNECTION_CONFIG.waWebSocketUrl;
    DEFAULT_CONNECTION_CONFIG.waWebSocketUrl = url;
    stage.me.disconnect();
    await eventually(() => stage.link.fault === fault, 'the cause');
    DEFAULT_CONNECTION_CONFIG.waWebSocketUrl = real;
    await stage.reaches('connected');
  });

  test('whose certificate is not trusted is reported as such, and never talked to', async () => {
    verifies('SETUP-FAULT');
    await begin();
    await stage.pair();
    let requests = 0;
    const stranger = createTlsServer(mediaCertificate(), () => {
      requests += 1;
    }).listen(0, '127.0.0.1');
    stranger.on('upgrade', () => {
      requests += 1;
    });
    await once(stranger, 'listening');
    const trusted = getCACertificates('default');
    const real = DEFAULT_CONNECTION_CONFIG.waWebSocketUrl;
    const { port } = stranger.address() as AddressInfo;
    // The harness trusts this certificate, as the daemons of other tests do.
    setDefaultCACertificates(getCACertificates('bundled'));
    try {
      DEFAULT_CONNECTION_CONFIG.waWebSocketUrl = `wss://127.0.0.1:${port}/ws/chat`;
      stage.me.disconnect();
      await eventually(() => stage.link.fault === 'tls', 'the cause');
      expect(requests).toBe(0);
    } finally {
      setDefaultCACertificates(trusted);
      DEFAULT_CONNECTION_CONFIG.waWebSocketUrl = real;
      stranger.close();
    }
    await stage.reaches('connected');
    expect(stage.link.fault).toBeNull();
  });
});
