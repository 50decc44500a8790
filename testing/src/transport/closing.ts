// The contract's part on closes: each code has one policy, one state and one sentence, and no loop.
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
    /** The server ends the connection with a code and answers every login with it, too. */
    const closeFor = (code: number) => {
      stage.harness.network.faults.set({ refuseLogin: code });
      stage.me.disconnect(code);
    };

    test('a line that breaks is made anew', async () => {
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

    test('515 is followed by a new connection at once', async () => {
      verifies('000-RECONNECT');
      stage.me.disconnect(515);
      await eventually(() => stage.states.includes('restarting'), 'the restart');
      await stage.reaches('connected');
      expect(stage.states).toEqual(['restarting', 'syncing', 'connected']);
    });

    test('515 for ever is not answered for ever at once', async () => {
      const before = attempts();
      closeFor(515);
      await eventually(() => stage.states.includes('reconnecting'), 'the back-off');
      expect(attempts() - before).toBeLessThanOrEqual(4);
      stage.harness.network.faults.clear();
      await stage.reaches('connected');
    });

    test.each([408, 428, 503])(
      '%i is tried again, ever more slowly, until it works',
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
    ] as const)('%i is tried five times, then it is %s', async (code, state) => {
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
      [403, 'banned', 'WhatsApp refuses this account.'],
      [405, 'client_outdated', 'WhatsApp no longer accepts this version of Relay.'],
      [411, 'device_mismatch', 'WhatsApp does not accept this account as a linked device.'],
      [440, 'replaced', 'Another program took over this link.'],
    ] as const)('%i stops at once: %s', async (code, state, sentence) => {
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

    test('unlinked on the phone: no attempt, data kept, and linking again works', async () => {
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

    test('two at once: the older one lets go and does not fight', async () => {
      verifies('000-ONE-CONNECTION');
      const other = stage.harness.open();
      other.connect();
      await eventually(() => other.link.state === 'connected', 'the other');
      // By the store's word, or else by the server's.
      expect(['taken_over', 'replaced']).toContain(stage.link.state);
      await stage.staysAway();
      expect(other.link.state).toBe('connected');
      await other.close();
    });

    test('a person need not wait for the next attempt', async () => {
      closeFor(503);
      await stage.reaches('unreachable');
      stage.harness.network.faults.clear();
      stage.transport.connect();
      await stage.reaches('connected');
    });

    test('closing the transport ends everything', async () => {
      closeFor(503);
      await eventually(() => stage.states.includes('reconnecting'), 'the close');
      await stage.transport.close();
      expect(stage.link).toMatchObject({ state: 'disconnected', retryAt: null });
      await stage.staysAway();
    });
  });
}
