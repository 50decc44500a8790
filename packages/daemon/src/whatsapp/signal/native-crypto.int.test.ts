// Tests the native primitives against libsignal's own, on random and on malformed input.

import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { Curve } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import * as native from './libsignal-patches.ts';

const load = createRequire(import.meta.url);

/** Loads a module of libsignal unpatched: other tests of this process may have installed the native functions. */
function untouched(id: string): typeof native {
  const path = load.resolve(id);
  const used = load.cache[path];
  delete load.cache[path];
  const module: typeof native = load(path);
  load.cache[path] = used;
  return module;
}
const curve = untouched('libsignal/src/curve.js');
const crypto = untouched('libsignal/src/crypto.js');

// PROPERTY_RUNS requests the long run.
const [VECTORS, ROUNDS] = process.env.PROPERTY_RUNS ? [1_200, 500] : [150, 50];

type Vector = [publicKey: Buffer, message: Buffer, signature: Buffer];

/** From a valid signature to what somebody might send instead. */
const CLASSES: Record<string, (vector: Vector) => Vector> = {
  'as signed': (vector) => vector,
  'another message': ([key, message, signature]) => [
    key,
    Buffer.concat([message, message]),
    signature,
  ],
  'another key': ([, message, signature]) => [native.generateKeyPair().pubKey, message, signature],
  'a flipped bit in R': ([key, message, signature]) => [key, message, flipped(signature, 3)],
  'a flipped bit in s': ([key, message, signature]) => [key, message, flipped(signature, 40)],
  'the sign bit flipped': ([key, message, signature]) => [
    key,
    message,
    withByte(signature, 63, 0x80),
  ],
  'high bits of s': ([key, message, signature]) => [key, message, withByte(signature, 63, 0x60)],
  'random bytes': ([key, message]) => [key, message, randomBytes(64)],
  'all zero': ([key, message]) => [key, message, Buffer.alloc(64)],
  'a random key': ([, message, signature]) => [
    Buffer.concat([Buffer.from([5]), randomBytes(32)]),
    message,
    signature,
  ],
  'the zero key': ([, message, signature]) => [
    Buffer.concat([Buffer.from([5]), Buffer.alloc(32)]),
    message,
    signature,
  ],
  'a short signature': ([key, message, signature]) => [key, message, signature.subarray(1)],
  'a long signature': ([key, message, signature]) => [
    key,
    message,
    Buffer.concat([signature, signature]),
  ],
  'a short key': ([key, message, signature]) => [key.subarray(2), message, signature],
  'a key of another type': ([key, message, signature]) => [
    withByte(key, 0, 0xff),
    message,
    signature,
  ],
};

function flipped(bytes: Buffer, at: number): Buffer {
  return withByte(bytes, at, 1 << (bytes.readUInt8(at) & 7));
}

function withByte(bytes: Buffer, at: number, mask: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(at) ^ mask, at);
  return copy;
}

const outcome = (work: () => unknown): unknown => {
  try {
    return work();
  } catch {
    return 'refused';
  }
};

describe('signatures', () => {
  const classes = Object.entries(CLASSES);
  const each = Math.ceil(VECTORS / classes.length);

  it.each(classes)(
    `are accepted and refused exactly as by libsignal: %s`,
    { timeout: 60_000 },
    (_name, change) => {
      for (let round = 0; round < each; round++) {
        const { pubKey, privKey } = native.generateKeyPair();
        const message = randomBytes(1 + (round % 200));
        const signature = native.calculateSignature(privKey, message);
        const vector = change([pubKey, message, signature]);
        expect(outcome(() => native.verifySignature(...vector))).toBe(
          outcome(() => curve.verifySignature(...vector)),
        );
      }
    },
  );

  it('of each implementation are valid for the other', { timeout: 60_000 }, () => {
    for (let round = 0; round < 30; round++) {
      const { pubKey, privKey } = (round % 2 ? native : curve).generateKeyPair();
      const message = randomBytes(round * 7 + 1);
      expect(
        curve.verifySignature(pubKey, message, native.calculateSignature(privKey, message)),
      ).toBe(true);
      expect(
        native.verifySignature(pubKey, message, curve.calculateSignature(privKey, message)),
      ).toBe(true);
    }
  });
});

it('Baileys refuses a forged signature once the native functions are in place', () => {
  const { pubKey, privKey } = native.generateKeyPair();
  const message = randomBytes(40);
  const signature = native.calculateSignature(privKey, message);
  native.useNativeCrypto();
  expect(Curve.verify(pubKey, message, signature)).toBe(true);
  expect(Curve.verify(pubKey.subarray(1), message, Curve.sign(privKey, message))).toBe(true);
  expect(Curve.verify(pubKey, message, flipped(signature, 3))).toBe(false);
  expect(Curve.verify(native.generateKeyPair().pubKey, message, signature)).toBe(false);
});

describe('agreements and symmetric primitives', () => {
  it('give the same results as libsignal', () => {
    for (let round = 0; round < ROUNDS; round++) {
      const ours = native.generateKeyPair();
      const theirs = curve.generateKeyPair();
      const agreed = curve.calculateAgreement(theirs.pubKey, ours.privKey);
      expect(native.calculateAgreement(theirs.pubKey, ours.privKey).equals(agreed)).toBe(true);
      expect(native.calculateAgreement(ours.pubKey, theirs.privKey).equals(agreed)).toBe(true);

      const [key, data, iv, salt] = [32, round, 16, 32].map((size) => randomBytes(size)) as [
        Buffer,
        Buffer,
        Buffer,
        Buffer,
      ];
      expect(native.calculateMAC(key, data)).toEqual(crypto.calculateMAC(key, data));
      const sealed = native.encrypt(key, data, iv);
      expect(sealed).toEqual(crypto.encrypt(key, data, iv));
      expect(native.decrypt(key, sealed, iv)).toEqual(data);
      for (const chunks of [1, 2, 3]) {
        const info = Buffer.from('WhisperMessageKeys');
        expect(native.deriveSecrets(data, salt, info, chunks)).toEqual(
          crypto.deriveSecrets(data, salt, info, chunks),
        );
      }
    }
  });

  it.each([
    ['a short key', randomBytes(31)],
    ['a key of another type', Buffer.concat([Buffer.from([6]), randomBytes(32)])],
    ['no key', Buffer.alloc(0)],
  ])('refuse %s as libsignal does', (_name, key) => {
    const { privKey } = native.generateKeyPair();
    expect(outcome(() => curve.calculateAgreement(key, privKey))).toBe('refused');
    expect(outcome(() => native.calculateAgreement(key, privKey))).toBe('refused');
  });
});
