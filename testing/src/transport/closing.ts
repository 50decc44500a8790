// Transport contract for closed connections: each close code has one policy, one state and one sentence, and never an
// endless loop.
import { connectionSentence, whatsappStatusOf } from '@relay/contract/connection/states';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { eventually, type MakeHarness, TransportFixture } from './harness.ts';

export function closing(make: MakeHarness): void {
  describe('when the connection closes', () => {
    let stage: TransportFixture;
    beforeEach(async () => {
      stage = await new TransportFixture(await make()).pair();
      stage.events = [];
    });
    afterEach(() => stage.end());

    const attempts = () => stage.harness.network.connections;
    /** The server closes the connection with a code and also answers every login with it. */
    const closeFor = (code: number) => {
      stage.harness.network.faults.set({ refuseLogin: code });
      stage.me.disconnect(code);
    };

    test('reconnects after a broken connection', async () => {
      verifies('000-RECONNECT', '000-STATUS-LIFECYCLE');
      const { bob, me } = stage;
      me.disconnect();
      await eventually(() => stage.states.includes('reconnecting'), 'the close');
      await stage.reaches('connected');
      expect(stage.states).toEqual(['reconnecting', 'syncing', 'connected']);
      expect(whatsappStatusOf('reconnecting')).toBe('connecting');
      expect(stage.link.health.flaps).toBe(1);
      await stage.send(bob.jid(), 'after');
    });

    test('reconnects at once after a 515', async () => {
      verifies('000-RECONNECT');
      stage.me.disconnect(515);
      await eventually(() => stage.states.includes('restarting'), 'the restart');
      await stage.reaches('connected');
      expect(stage.states).toEqual(['restarting', 'syncing', 'connected']);
    });

    test('slows down when 515 is repeated forever', async () => {
      const before = attempts();
      closeFor(515);
      await eventually(() => stage.states.includes('reconnecting'), 'the back-off');
      expect(attempts() - before).toBeLessThanOrEqual(4);
      stage.harness.network.faults.clear();
      await stage.reaches('connected');
    });

    test.each([408, 428, 503])(
      'retries after %i with growing delays until it succeeds',
      async (code) => {
        verifies('000-RECONNECT');
        const before = attempts();
        closeFor(code);
        await stage.reaches('unreachable');
        expect(stage.states).toEqual(['reconnecting', 'unreachable']);
        expect(attempts() - before).toBe(5);
        expect(stage.link.retryAt).not.toBeNull();
        stage.harness.network.faults.clear();
        await stage.reaches('connected');
      },
    );

    test.each([
      [500, 'session_refused'],
      [599, 'closed_unexplained'],
    ] as const)('retries five times after %i, then is %s', async (code, state) => {
      verifies('000-RECONNECT');
      const before = attempts();
      closeFor(code);
      await stage.reaches(state);
      expect(attempts() - before).toBe(5);
      await stage.staysAway();
      expect(stage.harness.hasSession()).toBe(true);
      stage.harness.network.faults.clear();
      stage.transport.connect();
      await stage.reaches('connected');
    });

    test.each([
      [403, 'banned', 'WhatsApp refused this account.'],
      [405, 'client_outdated', 'WhatsApp no longer accepts this version of Relay.'],
      [411, 'device_mismatch', 'WhatsApp does not accept this account as a linked device.'],
      [440, 'replaced', 'Another program uses this link, so Relay has disconnected.'],
    ] as const)('stops at once after %i: %s', async (code, state, sentence) => {
      const before = attempts();
      closeFor(code);
      await stage.reaches(state);
      expect(stage.states).toEqual([state]);
      expect(whatsappStatusOf(stage.link.state)).toBe('disconnected');
      expect(connectionSentence(stage.link.state).startsWith(sentence)).toBe(true);
      await stage.staysAway();
      expect(attempts()).toBe(before);
      expect(stage.harness.hasSession()).toBe(true);
      stage.harness.network.faults.clear();
      stage.transport.connect();
      await stage.reaches('connected');
    });

    test('keeps the data and does not retry after an unlink on the phone, and can be linked again', async () => {
      verifies('000-RECONNECT-LOGOUT', '000-STATUS-DISCONNECTED');
      const { bob, harness, me } = stage;
      await stage.arrival(await bob.send(me, 'keep me'));
      const before = attempts();
      me.unlink(1);
      await stage.reaches('logged_out');
      expect(stage.states).toEqual(['logged_out']);
      await stage.staysAway();
      expect(attempts()).toBe(before);
      await stage.pair();
      expect(me.companions.size).toBe(1);
      expect(harness.received().map(({ body }) => body)).toContain('keep me');
      await stage.send(bob.jid(), 'back again');
    });

    test('closes the older of two connections without reconnecting', async () => {
      verifies('000-ONE-CONNECTION');
      const other = stage.harness.open();
      other.connect();
      await eventually(() => other.link.state === 'connected', 'the other');
      // The store or the server reports it, whichever comes first.
      expect(['taken_over', 'replaced']).toContain(stage.link.state);
      await stage.staysAway();
      expect(other.link.state).toBe('connected');
      await other.close();
    });

    test('connects at once when a person asks, without waiting for the next attempt', async () => {
      closeFor(503);
      await stage.reaches('unreachable');
      stage.harness.network.faults.clear();
      stage.transport.connect();
      await stage.reaches('connected');
    });

    test('ends everything when the transport is closed', async () => {
      closeFor(503);
      await eventually(() => stage.states.includes('reconnecting'), 'the close');
      await stage.transport.close();
      expect(stage.link).toMatchObject({ state: 'disconnected', retryAt: null });
      await stage.staysAway();
    });
  });
}
