// Transport contract after downtime: queued messages come complete and in order, and their end is reported.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually, type MakeHarness, TransportFixture } from './harness.ts';

export function replaying(make: MakeHarness): void {
  describe('after a downtime', () => {
    let stage: TransportFixture;
    beforeEach(async () => {
      stage = await new TransportFixture(await make()).pair();
      await stage.transport.disconnect({ forget: false });
      await eventually(() => !stage.me.companions.get(1)?.connection, 'the server to notice');
      stage.events = [];
    });
    afterEach(() => stage.end());

    test.each([
      ['in one go', 25, false],
      ['in batches that must be asked for', 250, true],
    ] as const)('receives queued messages in order, %s', async (_, count, offlineBatches) => {
      const { bob, harness, me, transport } = stage;
      const ids: string[] = [];
      for (let i = 0; i < count; i += 1) ids.push(await bob.send(me, `waited ${i}`));
      harness.network.faults.set({ offlineBatches });
      transport.connect();
      const replayed = await eventually(() => stage.of('replayed')[0], 'the end of the replay');
      expect(replayed.count).toBe(count);
      const messages = harness.received();
      expect(messages.map(({ id }) => id)).toEqual(ids);
      expect(messages.every(({ late }) => late)).toBe(true);
      expect(stage.link.replaying).toBeNull();
      const waiting = stage.of('link').map(({ link }) => link.replaying ?? 0);
      expect(Math.max(...waiting)).toBeGreaterThanOrEqual(count);
      await stage.reaches('connected');
    });

    test('reports the end of the queue when nothing was queued', async () => {
      stage.transport.connect();
      expect((await eventually(() => stage.of('replayed')[0], 'the end')).count).toBe(0);
      await stage.reaches('connected');
    });

    test('reports queued receipts', async () => {
      const { bob, me, transport } = stage;
      transport.connect();
      await stage.reaches('connected');
      bob.switchOff();
      const id = await stage.send(bob.jid(), 'read me later');
      await transport.disconnect({ forget: false });
      await eventually(() => !me.companions.get(1)?.connection, 'the server to notice');
      bob.switchOn();
      await eventually(() => bob.messages().some((message) => message.id === id), 'bob');
      transport.connect();
      await eventually(
        () => stage.of('receipt').some((event) => event.id === id && event.status === 'delivered'),
        'the receipt',
      );
    });
  });
}
