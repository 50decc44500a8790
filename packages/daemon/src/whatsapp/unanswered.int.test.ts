import { TransportFixture } from '@relay/testing/transport/harness';
import { verifies } from '@relay/testing/verifies';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DEFAULT_TIMINGS } from './socket.ts';
import { baileysHarness } from './testing/harness.ts';

/** Replaces the thirty seconds: long enough to tell it from an error, short enough to wait for. */
const PATIENCE = 600;

let stage: TransportFixture;
beforeEach(async () => {
  const harness = await baileysHarness({ queryMs: PATIENCE, ackMs: PATIENCE });
  stage = await new TransportFixture(harness).pair();
});
afterEach(() => stage.end());

const taken = async (request: Promise<unknown>): Promise<number> => {
  const began = performance.now();
  await expect(request).rejects.toThrow();
  return performance.now() - began;
};

test('gives up a request that WhatsApp does not answer after 30 s and keeps the connection', async () => {
  verifies('001-TIMEOUT');
  expect(DEFAULT_TIMINGS).toMatchObject({ queryMs: 30_000, ackMs: 30_000 });
  const { bob, carol, harness, me } = stage;
  const { network } = harness;
  const group = network.createGroup({ subject: 'G', owner: bob, members: [me, carol] });
  await stage.send(bob.jid(), 'first');
  const { groups } = stage.transport.capabilities;
  if (groups === undefined) throw new Error('this transport knows no groups');

  network.faults.set({ iqIgnore: ['w:g2/get/query'], withholdAcks: true });
  const [question, message] = await Promise.all([
    taken(groups('120363000000000001@g.us')),
    taken(stage.send(bob.jid(), 'second')),
  ]);
  for (const waited of [question, message]) {
    expect(waited).toBeGreaterThanOrEqual(PATIENCE * 0.95);
  }
  await expect(stage.send(bob.jid(), 'third')).rejects.toMatchObject({ kind: 'uncertain' });

  network.faults.clear();
  expect(stage.link.state).toBe('connected');
  expect(await groups(group.jid)).toMatchObject({ subject: 'G' });
  await stage.send(bob.jid(), 'fourth');
});
