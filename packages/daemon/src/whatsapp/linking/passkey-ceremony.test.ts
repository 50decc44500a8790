import { createDecipheriv, createPrivateKey } from 'node:crypto';
import { AccountPasskey } from '@relay/simulator/whatsapp/passkey';
import { proto } from '@whiskeysockets/baileys';
import { describe, expect, test } from 'vitest';
import {
  type CeremonyRandom,
  findAssertionFault,
  PasskeyCeremony,
  parsePasskeyOptions,
} from './passkey-ceremony.ts';

/** Computed with other libraries from the bytes below. */
const KNOWN = {
  payload:
    '0a2b0a207b4e909bbe7ffe44c465a220037d608ee35897d31ef972f07f74892cb0f73f1310011a05334072656612220a2027106f8b7e4d13694eaea202dc1a18cbbdcd5360ab321181155e9a5311c13c67',
  proof: '4472602b05d899fa06b980adf8bd98ed40ddb7f1337d87b91b495b8dc5afb9c5',
  key: '7941d98d115a70b7ae959689923f1cc47b635597f9be7bee4c9ec9ef9bea9d24',
  code: 'PYSL-SH11',
};
const PRIMARY_KEY = '0faa684ed28867b97f4a6a2dee5df8ce974e76b7018e3f22a1c4cf2678570f20';

const OPTIONS = {
  challenge: 'GC6vcJgP-Ov_66yfWgoh1w8m_trR92BnFDhg-e5JEwk',
  timeout: 600_000,
  rpId: 'whatsapp.com',
  allowCredentials: [],
  userVerification: 'required',
  extensions: { uvm: true },
};
const encoded = (options: object) => Buffer.from(JSON.stringify(options));
const options = parsePasskeyOptions(encoded(OPTIONS));
const passkey = new AccountPasskey();

/** The secret, the nonce and the IV, in the order in which they are drawn. */
function fixedRandom(): CeremonyRandom {
  const drawn = [Buffer.alloc(32, 0x55), Buffer.alloc(32, 0x33), Buffer.alloc(12, 0x66)];
  const prefix = Buffer.from('302e020100300506032b656e04220420', 'hex');
  const key = Buffer.concat([prefix, Buffer.alloc(32, 0x11)]);
  return {
    bytes: () => drawn.shift() ?? Buffer.alloc(0),
    privateKey: () => createPrivateKey({ key, format: 'der', type: 'pkcs8' }),
  };
}

const begin = () =>
  new PasskeyCeremony({
    options,
    codeSecret: Buffer.alloc(32, 9),
    deviceType: proto.DeviceProps.PlatformType.CHROME,
    random: fixedRandom(),
  });
const primaryIdentity = (publicKey: Uint8Array, nonce: Uint8Array = Buffer.alloc(32, 0x44)) =>
  proto.PrimaryEphemeralIdentity.encode({ publicKey, nonce }).finish();
const REF = Buffer.from('3@ref');
const ANSWER = passkey.answer(options);
const PRIMARY = primaryIdentity(Buffer.from(PRIMARY_KEY, 'hex'));
const KEYS = { noiseKey: Buffer.alloc(32, 7), identityKey: Buffer.alloc(32, 8) };

describe('the ceremony of linking with a WhatsApp passkey', () => {
  test('computes payload, proof, code and key as known', () => {
    const ceremony = begin();
    const prologue = ceremony.answer(ANSWER, REF);
    expect(prologue.payload.toString('hex')).toBe(KNOWN.payload);
    expect(prologue.handoffProof.toString('hex')).toBe(KNOWN.proof);
    expect(prologue.credentialId).toEqual(passkey.id);
    expect(JSON.parse(String(prologue.assertion))).toEqual(ANSWER);

    const { code, companionNonce } = ceremony.reveal(PRIMARY);
    expect([code, companionNonce]).toEqual([KNOWN.code, Buffer.alloc(32, 0x33)]);

    const { encryptedPayload, iv } = proto.EncryptedPairingRequest.decode(ceremony.seal(KEYS));
    const sealed = Buffer.from(encryptedPayload ?? []);
    const decipher = createDecipheriv(
      'aes-256-gcm',
      Buffer.from(KNOWN.key, 'hex'),
      iv ?? KEYS.noiseKey,
    );
    decipher.setAuthTag(sealed.subarray(-16));
    const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
    const request = proto.PairingRequest.decode(plain);
    expect([request.companionPublicKey, request.companionIdentityKey, request.advSecret]).toEqual(
      [7, 8, 0x55].map((byte) => Buffer.alloc(32, byte)),
    );
    expect(ceremony.advSecret).toEqual(Buffer.alloc(32, 0x55));
  });

  test('sends only the fields that WhatsApp knows, whatever the browser adds', () => {
    const added = { ...ANSWER, authenticatorAttachment: 'platform', clientExtensionResults: {} };
    const { userHandle: _, ...response } = added.response;
    const sent = JSON.parse(String(begin().answer({ ...added, response }, REF).assertion));
    expect(sent).toEqual({ ...ANSWER, response: { ...ANSWER.response, userHandle: null } });
  });

  test('takes each step once and in order', () => {
    expect(() => begin().reveal(PRIMARY)).toThrow('out of order');
    expect(() => begin().seal(KEYS)).toThrow('out of order');
    const ceremony = begin();
    ceremony.answer(ANSWER, REF);
    expect(() => ceremony.answer(ANSWER, REF)).toThrow('out of order');
    ceremony.reveal(PRIMARY);
    expect(() => ceremony.reveal(PRIMARY)).toThrow('out of order');
    ceremony.seal(KEYS);
    expect(() => ceremony.seal(KEYS)).toThrow('out of order');
  });

  test.each<[string, Uint8Array]>([
    ['a short key', primaryIdentity(Buffer.alloc(31, 1))],
    ['a key that makes every secret the same', primaryIdentity(Buffer.alloc(32))],
    ['a short nonce', primaryIdentity(Buffer.from(PRIMARY_KEY, 'hex'), Buffer.alloc(5))],
    ['nothing', Buffer.alloc(0)],
    ['bytes that are no message', Buffer.from('ffffffff', 'hex')],
  ])('refuses a phone with %s', (_, identity) => {
    const ceremony = begin();
    ceremony.answer(ANSWER, REF);
    expect(() => ceremony.reveal(identity)).toThrow('the phone’s');
  });

  test.each<[string, Uint8Array]>([
    ['another site', encoded({ ...OPTIONS, rpId: 'evil.example' })],
    ['no check of the person', encoded({ ...OPTIONS, userVerification: 'preferred' })],
    ['no challenge', encoded({ ...OPTIONS, challenge: '' })],
    ['a list that is none', encoded({ ...OPTIONS, allowCredentials: 'all' })],
    ['no JSON', Buffer.from('{')],
    ['bytes that are no text', Buffer.from([0xff, 0xfe])],
    ['too much', encoded({ ...OPTIONS, more: 'x'.repeat(9_000) })],
  ])('refuses a request with %s', (_, request) => {
    expect(() => parsePasskeyOptions(request)).toThrow('the passkey request');
  });

  test('finds what is wrong with an answer before anything is sent', () => {
    const fault = (answer: object) => findAssertionFault({ ...ANSWER, ...answer }, options);
    const response = (changed: object) => fault({ response: { ...ANSWER.response, ...changed } });
    const client = (changed: object) =>
      response({
        clientDataJSON: Buffer.from(
          JSON.stringify({
            ...JSON.parse(Buffer.from(ANSWER.response.clientDataJSON, 'base64url').toString()),
            ...changed,
          }),
        ).toString('base64url'),
      });
    expect(findAssertionFault(ANSWER, options)).toBeNull();
    expect(fault({ id: 'b3RoZXI' })).toBe('it names two passkeys');
    expect(client({ type: 'webauthn.create' })).toBe('it is not the use of a passkey');
    expect(client({ crossOrigin: true })).toBe('it was made inside another page');
    expect(response({ clientDataJSON: 'e30' })).toBe('it is not complete');
    expect(response({ authenticatorData: 'AAAA' })).toBe('it is not complete');
    const only = {
      ...options,
      allowCredentials: [{ type: 'public-key' as const, id: 'x'.repeat(22) }],
    };
    expect(findAssertionFault(ANSWER, only)).toBe('it is not a passkey of this account');
  });
});
