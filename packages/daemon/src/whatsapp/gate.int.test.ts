import { silentLog } from '@relay/core/log';
import type { SocketGate } from '@relay/core/ports/transport';
import { LeaseFence } from '@relay/core/workers/fence';
import type { LoggedStanza } from '@relay/simulator/whatsapp/events';
import { eventually, pause, TransportFixture } from '@relay/testing/transport/harness';
import { verifies } from '@relay/testing/verifies';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { baileysHarness } from './testing/harness.ts';

/** The lease of a worker, with a clock that the test moves. */
class TestLease implements SocketGate {
  now = 0;
  readonly #fence = new LeaseFence({ monotonic: () => this.now, uptime: () => this.now });

  renew(): void {
    this.#fence.open(this.#fence.mark(), 6_000);
  }
  turn = () => this.#fence.opened();
  mayWrite = () => this.#fence.mayWrite();
  onShut = (listener: () => void) => this.#fence.onShut(listener);
  shut = () => this.#fence.shut();
}

let lease: TestLease;
let stage: TransportFixture;
/** What the account's device wrote to WhatsApp. */
let written: LoggedStanza[];

beforeEach(async () => {
  lease = new TestLease();
  lease.renew();
  stage = await new TransportFixture(await baileysHarness({}, silentLog, lease)).pair();
  written = [];
  stage.harness.network.events.on('stanza', (logged) => {
    if (logged.direction === 'in' && logged.account === stage.me.phone) written.push(logged);
  });
});
afterEach(() => stage.end());

test('a worker that was paused beyond its lease writes nothing more to its socket', async () => {
  verifies('WORKERS-FENCE');
  const { bob, me, harness } = stage;
  await stage.send(bob.jid(), 'before');
  const offline = Promise.withResolvers<void>();
  harness.network.events.once('offline', () => offline.resolve());
  // The process continues without noticing: no timer has run since.
  lease.now += 6_000;
  written.length = 0;
  const sending = stage.send(bob.jid(), 'too late');
  await expect(sending).rejects.toThrow();
  await bob.send(me, 'is somebody there?');
  await offline.promise;
  await pause(100);
  expect(written).toEqual([]);
  expect(bob.messages({ with: me }).map(({ text }) => text)).not.toContain('too late');
});

test('a socket is cut when its lease is over, and logs in again once it is renewed', async () => {
  const { bob, harness, me } = stage;
  const attempts = harness.network.connections;
  lease.shut();
  await eventually(() => stage.link.state !== 'connected', 'the connection to end');
  await bob.send(me, 'while it was away');
  await pause(100);
  expect(harness.network.connections).toBe(attempts);
  lease.renew();
  await stage.reaches('connected');
  await eventually(() => harness.received().length === 1, 'the message that waited');
  expect(harness.network.connections).toBe(attempts + 1);
});

test('a transport that waits for its turn to log in can be closed', async () => {
  lease.shut();
  await eventually(() => stage.link.state !== 'connected', 'the connection to end');
  await stage.transport.close();
  expect(stage.link.state).toBe('disconnected');
});
