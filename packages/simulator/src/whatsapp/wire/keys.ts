// Keys, signatures and numbers as bytes. Invariant: signatures are verified here; Baileys' own `Curve.verify` accepts
// any.
import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import { generateSignalPubKey, type KeyPair } from '@whiskeysockets/baileys';
import { calculateSignature, verifySignature } from 'whatsapp-rust-bridge';

const PKCS8_X25519 = Buffer.from('302e020100300506032b656e04220420', 'hex');

/** The 32 bytes derived from a label of the simulator: not secret, and the same in every process. */
export function seedFromLabel(label: string): Buffer {
  return createHash('sha256').update(`relay simulator/${label}`).digest();
}

/** A key pair that anybody can derive: it must never protect anything but a test. */
export function keyPairFromLabel(label: string): KeyPair {
  const secret = seedFromLabel(label);
  secret.writeUInt8(secret.readUInt8(0) & 248, 0);
  secret.writeUInt8((secret.readUInt8(31) & 127) | 64, 31);
  const key = createPrivateKey({
    key: Buffer.concat([PKCS8_X25519, secret]),
    format: 'der',
    type: 'pkcs8',
  });
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return { private: secret, public: Buffer.from(spki.subarray(-32)) };
}

/** A public key with Signal's type byte, as the Buffer that libsignal requires. */
export function signalKey(key: Uint8Array): Buffer {
  return Buffer.from(generateSignalPubKey(Buffer.from(key)));
}

/** Replaces Baileys' `Curve.sign`, whose JavaScript takes most of the time of a link. */
export const signWithKey = (privateKey: Uint8Array, message: Uint8Array): Buffer =>
  Buffer.from(calculateSignature(privateKey, message));

export function isSignatureValid(
  key: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  try {
    return verifySignature(signalKey(key), message, signature);
  } catch {
    return false;
  }
}

export function uintFromBytes(bytes: Uint8Array): number {
  return Buffer.from(bytes).readUIntBE(0, bytes.length);
}

/** A number as `size` big-endian bytes. */
export function uintToBytes(value: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  bytes.writeUIntBE(value, 0, size);
  return bytes;
}
