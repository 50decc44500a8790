// Linking an account that demands its WhatsApp passkey, against a server that verifies every field.
import type { LinkMethod } from '@relay/core/ports/transport';
import type { AccountPasskey, PasskeyFault } from '@relay/simulator/whatsapp/passkey';
import { node, notification } from '@relay/simulator/whatsapp/wire/nodes';
import { eventually, pause, TransportFixture } from '@relay/testing/transport/harness';
import { verifies } from '@relay/testing/verifies';
import { afterEach, describe, expect, test } from 'vitest';
import { type BaileysHarness, baileysHarness } from '../testing/harness.ts';

type Timings = Parameters<typeof baileysHarness>[0];
type Way = 'QR' | 'code';

let harness: BaileysHarness;
let stage: TransportFixture;

async function begin(timings: Timings = {}): Promise<AccountPasskey> {
  harness = await baileysHarness(timings);
  stage = new TransportFixture(harness, true);
  const { passkey } = stage.me;
  if (passkey === null) throw new Error('the account has no passkey');
  return passkey;
}

afterEach(() => stage.end());

async function scanOrType(way: Way): Promise<void> {
  const { me, transport } = stage;
  const method: LinkMethod = way === 'QR' ? { kind: 'qr' } : { kind: 'code', phone: me.phone };
  transport.connect(method);
  if (way === 'QR') await me.scan(await stage.qr());
  else await me.pairCode(await eventually(() => stage.link.pairingCode, 'a code'));
}

const request = () => eventually(() => stage.link.passkey, 'the passkey request');

async function answer(passkey: AccountPasskey): Promise<void> {
  const { attempt, options } = await request();
  stage.transport.answerPasskey({ attempt, assertion: passkey.answer(options) });
}

const outcomes = () => stage.me.passkeyAttempts.map(({ outcome }) => outcome);
const advSecret = () => String(JSON.parse(String(harness.wire.credentials))?.advSecretKey);

const fails = (act: () => void): unknown => {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
};

describe('linking with WhatsApp’s passkey', () => {
  test.each(['QR', 'code'] as const)('links by %s, and reconnects after a restart', async (way) => {
    verifies('SETUP-PASSKEY');
    const passkey = await begin();
    await scanOrType(way);
    expect(await request()).toMatchObject({
      phone: way === 'QR' ? null : stage.me.phone,
      options: { rpId: 'whatsapp.com', userVerification: 'required' },
      code: null,
    });
    expect(stage.link).toMatchObject({ state: 'passkey_requested', qr: null, pairingCode: null });
    await answer(passkey);
    await stage.reaches('connected');
    expect(stage.states.slice(-6)).toEqual([
      'passkey_requested',
      'passkey_sent',
      'scanned',
      'restarting',
      'syncing',
      'connected',
    ]);
    const codes = stage.events.flatMap((event) =>
      event.type === 'link' && event.link.passkey?.code ? [event.link.passkey.code] : [],
    );
    expect(codes[0]).toBe(stage.me.passkeyAttempts[0]?.code);
    await eventually(() => outcomes()[0] === 'linked', 'the phone');
    expect(stage.link.passkey).toBeNull();
    expect(stage.me.companions.size).toBe(1);

    await stage.restart();
    stage.transport.resume();
    await stage.reaches('connected');
    await stage.arrival(await stage.bob.send(stage.me, 'after the restart'));
    expect(outcomes()).toEqual(['linked']);
  });

  test.each(['QR', 'code'] as const)(
    'stores the new secret before it acknowledges the request (%s)',
    async (way) => {
      await begin();
      const isRequest = ({ attrs }: { attrs: Record<string, string> }) =>
        attrs.type === 'passkey_prologue_request';
      let before = '';
      harness.network.events.on('stanza', ({ direction, stanza }) => {
        if (direction !== 'out' || !isRequest(stanza)) return;
        before = advSecret();
        harness.wire.hold();
      });
      await scanOrType(way);
      const acks = () =>
        harness.network.stanzas.filter(
          ({ direction, stanza }) => direction === 'in' && isRequest(stanza),
        ).length;
      await pause(300);
      expect(acks()).toBe(0);
      expect(stage.link.passkey).toBeNull();
      expect(advSecret()).toBe(before);
      harness.wire.release();
      await request();
      await eventually(() => acks() === 1, 'the acknowledgement');
      expect(advSecret()).not.toBe(before);
    },
  );

  test.each([
    [
      'made at another site',
      { origin: 'https://web.whatsapp.com.evil.example' },
      'not in WhatsApp Web',
    ],
    ['of another site', { rpId: 'evil.example' }, 'a passkey of another site'],
    ['for another request', { challenge: 'A'.repeat(43) }, 'answers another request'],
    ['without a check of the person', { isVerified: false }, 'did not check who you are'],
  ])(
    'refuses an answer %s, sends nothing, and still takes the right one',
    async (_, faults, why) => {
      const passkey = await begin();
      await scanOrType('QR');
      const { attempt, options } = await request();
      const assertion = passkey.answer(options, faults);
      const error = fails(() => stage.transport.answerPasskey({ attempt, assertion }));
      expect(error).toMatchObject({ code: 'link_passkey_invalid' });
      expect(String(error)).toContain(why);
      expect(stage.link.state).toBe('passkey_requested');
      await answer(passkey);
      await stage.reaches('connected');
    },
  );

  test('takes an answer once, only for its own attempt, and none when nobody asked', async () => {
    const passkey = await begin({ passkeyMs: 700 });
    const none = { attempt: crypto.randomUUID(), assertion: passkey.answer({ challenge: 'x' }) };
    expect(fails(() => stage.transport.answerPasskey(none))).toMatchObject({
      code: 'link_passkey_not_asked',
    });
    await scanOrType('QR');
    const first = await request();
    await stage.reaches('passkey_required');
    await stage.staysAway();
    await scanOrType('QR');
    const { attempt, options } = await request();
    const old = { attempt: first.attempt, assertion: passkey.answer(first.options) };
    expect(fails(() => stage.transport.answerPasskey(old))).toMatchObject({
      code: 'link_passkey_outdated',
    });
    const right = { attempt, assertion: passkey.answer(options) };
    stage.transport.answerPasskey(right);
    expect(fails(() => stage.transport.answerPasskey(right))).toMatchObject({
      code: 'link_passkey_outdated',
    });
    await stage.reaches('connected');
    expect(outcomes()).toEqual(['the companion left', 'linked']);
  });

  test.each<[PasskeyFault, boolean, string]>([
    ['malformed_request', false, 'passkey_failed'],
    ['second_request', false, 'passkey_failed'],
    ['early_continuation', false, 'passkey_failed'],
    ['expired_challenge', true, 'passkey_refused'],
    ['no_continuation', true, 'passkey_failed'],
    ['malformed_continuation', true, 'passkey_failed'],
    ['zero_key', true, 'passkey_failed'],
    ['cut_after_prologue', true, 'passkey_failed'],
    ['old_secret', true, 'passkey_failed'],
  ])(
    'ends after %s in one state, does not try again, and can link again',
    async (fault, isAsked, state) => {
      verifies('SETUP-PASSKEY-FAULTS');
      const passkey = await begin({ passkeyStepMs: 1_500 });
      harness.network.faults.set({ passkey: fault });
      await scanOrType('QR');
      if (isAsked) await answer(passkey);
      await eventually(
        () => stage.link.state === state,
        () => `${state} (it is ${stage.link.state})`,
      );
      expect(stage.link.passkey).toBeNull();
      await stage.staysAway();
      expect(outcomes()).toHaveLength(1);
      expect(outcomes()).not.toContain('linked');
      expect(stage.me.companions.size).toBe(0);
      harness.network.faults.clear();
      await scanOrType('QR');
      await answer(passkey);
      await stage.reaches('connected');
      await eventually(() => outcomes()[1] === 'linked', 'the phone');
    },
  );

  test('ignores a request that is not the server’s, and any once the device is linked', async () => {
    const passkey = await begin();
    harness.network.faults.set({ passkey: 'foreign_request' });
    await scanOrType('QR');
    await answer(passkey);
    await stage.reaches('connected');
    const before = advSecret();
    stage.me.companions.get(1)?.deliver({
      stanza: notification('passkey_prologue_request', [
        node('passkey_request_options', {}, Buffer.from('{}')),
      ]),
    });
    await stage.arrival(await stage.bob.send(stage.me, 'after it'));
    expect(stage.link).toMatchObject({ state: 'connected', passkey: null });
    expect(advSecret()).toBe(before);
  });

  test('outlives WhatsApp’s series of codes while the owner looks for the passkey', async () => {
    const passkey = await begin({ qrMs: 800 });
    await scanOrType('QR');
    await request();
    await pause(6_000);
    expect(stage.link.state).toBe('passkey_requested');
    await answer(passkey);
    await stage.reaches('connected');
  });

  test('starts again after a restart in the middle: nothing is half linked', async () => {
    const passkey = await begin();
    await scanOrType('QR');
    await request();
    await stage.restart();
    stage.transport.resume();
    await stage.reaches('disconnected');
    expect(stage.link).toMatchObject({ phone: null, passkey: null });
    await scanOrType('code');
    await answer(passkey);
    await stage.reaches('connected');
    expect(stage.me.companions.size).toBe(1);
  });
});
