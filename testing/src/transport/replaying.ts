// The contract's part on downtime: what waited comes in its order, all of it, and its end is told.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually, type MakeHarness, TransportFixture } from './harness.ts';

export function replaying(make: MakeHarness): void {
  describe('after a downtime', () => {
    let stage: TransportFixture;
    beforeEach(async () => {
      stage = await new TransportFixture(await make()).pair();
      await stage.transport.disconnect({ forget: false });
      await eventually(() => !stage.me.companions.get(1)?.link, 'the server to notice');
      stage.events = [];
    });
    afterEach(() => stage.end());

    test.each([
      ['in one go', 25, false],
      ['in batches that must be asked for', 250, true],
    ] as const)('what waited comes in order, %s', async (_, count, offlineBatches) => {
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

    test('nothing waited, and that is told as well', async () => {
      stage.transport.connect();
      expect((await eventually(() => stage.of('replayed')[0], 'the end')).count).toBe(0);
      await stage.reaches('connected');
    });

    test('receipts that waited are told', async () => {
      const { bob, me, transport } = stage;
      transport.connect();
      await stage.reaches('connected');
      bob.switchOff();
      const id = await stage.send(bob.jid(), 'read me later');
      await transport.disconnect({ forget: false });
      await eventually(() => !me.companions.get(1)?.link, 'the server to notice');
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
