// Transport contract for linking and unlinking: by QR and by code, in order, and never endlessly.
import { whatsappStatusOf } from '@relay/contract/connection/states';
import { afterEach, describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { eventually, type HarnessOptions, type MakeHarness, TransportFixture } from './harness.ts';

export function linking(make: MakeHarness): void {
  describe('linking', () => {
    let stage: TransportFixture;
    const begin = async (passkey = false, wish: HarnessOptions = {}) => {
      stage = new TransportFixture(await make(wish), passkey);
      return stage;
    };
    afterEach(() => stage.end());

    test('links by QR through each state in order, and knows the account at the end', async () => {
      verifies(
        '000-STATUS-LIFECYCLE',
        '000-STATUS-DISCONNECTED',
        '000-STATUS-CONNECTING',
        '000-STATUS-CONNECTED',
        '000-CONNECT-ASYNC',
        '000-AUTH-FRESH',
      );
      const { me, transport } = await begin();
      expect(stage.link).toMatchObject({ state: 'disconnected', phone: null, qr: null });
      transport.connect();
      expect(stage.link.state).toBe('connecting');
      await me.scan(await stage.qr());
      await stage.reaches('connected');
      expect(stage.states).toEqual([
        'connecting',
        'qr_ready',
        'scanned',
        'restarting',
        'syncing',
        'connected',
      ]);
      expect(stage.link).toMatchObject({
        phone: me.phone,
        lid: me.lid,
        qr: null,
        pairingCode: null,
        retryAt: null,
      });
    });

    test('links by the code that is typed on the phone', async () => {
      const { me, transport } = await begin();
      transport.connect({ kind: 'code', phone: me.phone });
      const code = await eventually(() => stage.link.pairingCode, 'a code');
      expect(stage.link.qr).toBeNull();
      await me.pairCode(code);
      await stage.reaches('connected');
      expect(stage.states).toEqual([
        'connecting',
        'pairing_code_ready',
        'scanned',
        'restarting',
        'syncing',
        'connected',
      ]);
      expect(stage.link.phone).toBe(me.phone);
    });

    test('ignores a second connect while connecting or connected', async () => {
      verifies('000-CONNECT-NOOP', '000-ONE-CONNECTION');
      const { me, transport, harness } = await begin();
      transport.connect();
      transport.connect();
      const qr = await stage.qr();
      transport.connect();
      expect(harness.network.connections).toBe(1);
      await me.scan(qr);
      await stage.reaches('connected');
      transport.connect();
      await stage.staysAway();
      expect(harness.network.connections).toBe(2);
      expect(me.companions.size).toBe(1);
    });

    test('ends the attempt when its codes are not used, and waits for a person to start the next', async () => {
      const { me, transport } = await begin(false, { shortCodes: true });
      transport.connect({ kind: 'code', phone: me.phone });
      await stage.reaches('link_expired');
      await stage.staysAway();
      expect(whatsappStatusOf(stage.link.state)).toBe('disconnected');
      transport.connect();
      await stage.qr();
      await stage.reaches('link_expired');
    });

    test.each(['qr', 'code'] as const)(
      'shows a passkey request and waits for the owner, by %s',
      async (kind) => {
        const { me, transport, harness } = await begin(true);
        transport.connect(kind === 'qr' ? { kind } : { kind, phone: me.phone });
        if (kind === 'qr') await me.scan(await stage.qr());
        else await me.pairCode(await eventually(() => stage.link.pairingCode, 'a code'));
        await stage.reaches('passkey_requested');
        expect(stage.link).toMatchObject({ qr: null, pairingCode: null });
        await stage.staysAway();
        expect(harness.network.connections).toBe(1);
      },
    );

    test('does not show codes when it resumes an account that is not linked', async () => {
      const { harness, transport } = await begin();
      transport.resume();
      await stage.reaches('disconnected');
      expect(stage.states).toEqual(['connecting', 'disconnected']);
      await stage.staysAway();
      expect(harness.network.connections).toBe(0);
      await stage.pair();
    });

    test('accepts a connect while it is still looking up whether a link exists', async () => {
      const { me, transport } = await begin();
      transport.resume();
      transport.connect();
      await me.scan(await stage.qr());
      await stage.reaches('connected');
    });

    test.each(['connect', 'resume'] as const)('needs no code after a restart: %s', async (how) => {
      const { me } = await begin();
      await stage.pair();
      await stage.restart();
      stage.transport[how]();
      await stage.reaches('connected');
      expect(stage.states).toEqual(['connecting', 'syncing', 'connected']);
      expect(stage.link.phone).toBe(me.phone);
    });

    test('keeps the session after a disconnect', async () => {
      verifies('000-DISCONNECT-KEEP');
      const { harness, me, transport } = await begin();
      await stage.pair();
      await transport.disconnect({ forget: false });
      expect(stage.link).toMatchObject({ state: 'disconnected', phone: me.phone, retryAt: null });
      expect(harness.hasSession()).toBe(true);
      await stage.staysAway();
      expect(me.companions.size).toBe(1);
      transport.connect();
      await stage.reaches('connected');
      expect(me.companions.size).toBe(1);
    });

    test('unlinks the device and drops its session after a disconnect for good', async () => {
      verifies('000-DISCONNECT-CLEAR');
      const { harness, me, transport } = await begin();
      await stage.pair();
      await transport.disconnect({ forget: true });
      await eventually(() => me.companions.size === 0, 'the device to be gone');
      expect(harness.hasSession()).toBe(false);
      expect(stage.link).toMatchObject({ state: 'disconnected', phone: null, lid: null });
      await stage.pair();
      expect(me.companions.size).toBe(1);
    });

    test('can disconnect for good while offline', async () => {
      const { harness, transport } = await begin();
      await stage.pair();
      await transport.disconnect({ forget: false });
      await transport.disconnect({ forget: true });
      expect(harness.hasSession()).toBe(false);
      await stage.pair();
    });

    test('ends linking after a disconnect while codes are shown', async () => {
      const { transport } = await begin();
      transport.connect();
      await stage.qr();
      await transport.disconnect({ forget: false });
      expect(stage.link).toMatchObject({ state: 'disconnected', qr: null });
      await stage.staysAway();
    });
  });
}
