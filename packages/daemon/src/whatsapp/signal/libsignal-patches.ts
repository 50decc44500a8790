// Replaces the primitives of libsignal with native ones.
// Invariant: the same results and the same errors as the functions they replace.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
} from 'node:crypto';
import { Curve } from '@whiskeysockets/baileys';
import * as libsignal from 'libsignal';
import { SessionCipher } from 'libsignal';
import * as bridge from 'whatsapp-rust-bridge';

const KEY_TYPE = 5;
const FIRST = Buffer.from([1]);

/** Node needs about 20 µs to recognize a Buffer as a key, and nothing for a KeyObject. */
const keyOf = (bytes: Uint8Array): KeyObject => createSecretKey(buffer(bytes));

const hmac = (key: KeyObject, ...parts: readonly Uint8Array[]): Buffer => {
  const mac = createHmac('sha256', key);
  for (const part of parts) mac.update(part);
  return mac.digest();
};

export const calculateMAC = (key: Uint8Array, data: Uint8Array): Buffer =>
  hmac(keyOf(key), buffer(data));

/** HKDF with SHA-256, with as many blocks as requested. */
export function deriveSecrets(
  input: Uint8Array,
  salt: Uint8Array,
  info: Uint8Array,
  chunks = 3,
): Buffer[] {
  if (buffer(salt).byteLength !== 32) throw new Error('Got salt of incorrect length');
  const key = keyOf(calculateMAC(salt, input));
  const blocks = [hmac(key, buffer(info), FIRST)];
  while (blocks.length < chunks) {
    blocks.push(hmac(key, blocks.at(-1) ?? FIRST, info, Buffer.from([blocks.length + 1])));
  }
  return blocks;
}

export function encrypt(key: Uint8Array, data: Uint8Array, iv: Uint8Array): Buffer {
  const cipher = createCipheriv('aes-256-cbc', keyOf(key), buffer(iv));
  return Buffer.concat([cipher.update(buffer(data)), cipher.final()]);
}

export function decrypt(key: Uint8Array, data: Uint8Array, iv: Uint8Array): Buffer {
  const decipher = createDecipheriv('aes-256-cbc', keyOf(key), buffer(iv));
  return Buffer.concat([decipher.update(buffer(data)), decipher.final()]);
}

function verifyMAC(data: Uint8Array, key: Uint8Array, mac: Buffer, length: number): void {
  const expected = calculateMAC(key, data).subarray(0, length);
  if (mac.length !== length || expected.length !== length) throw new Error('Bad MAC length');
  if (!mac.equals(expected)) throw new Error('Bad MAC');
}

/**
 * False for a signature of another key; throws for what cannot be a key or a signature. `trusted` skips the check, as
 * libsignal does for the bundles of a server.
 */
export function verifySignature(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
  trusted = false,
): boolean {
  const key = withType(publicKey);
  if (!message) throw new Error('Invalid message');
  if (signature?.byteLength !== 64) throw new Error('Invalid signature');
  return trusted || bridge.verifySignature(key, message, signature);
}

export function calculateSignature(privateKey: Uint8Array, message: Uint8Array): Buffer {
  if (buffer(privateKey).byteLength !== 32) throw new Error('Incorrect private key length');
  if (!message) throw new Error('Invalid message');
  return Buffer.from(bridge.calculateSignature(privateKey, message));
}

export function calculateAgreement(publicKey: Uint8Array, privateKey: Uint8Array): Buffer {
  if (buffer(privateKey).byteLength !== 32) throw new Error('Incorrect private key length');
  return Buffer.from(bridge.calculateAgreement(withType(publicKey), privateKey));
}

export function generateKeyPair(): { pubKey: Buffer; privKey: Buffer } {
  const { pubKey, privKey } = bridge.generateKeyPair();
  return { pubKey: Buffer.from(pubKey), privKey: Buffer.from(privKey) };
}

/**
 * Whether the key made the signature. Baileys' own check accepts any signature, even that of a server's certificate.
 */
function signatureHolds(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  try {
    return verifySignature(Buffer.from(publicKey), message, signature);
  } catch {
    return false;
  }
}

/** Both libraries look up their functions at every call, so replacing them affects all of their code. */
export function useNativeCrypto(): void {
  const { crypto, curve } = libsignal as unknown as Record<'crypto' | 'curve', object>;
  Object.assign(crypto, { calculateMAC, deriveSecrets, encrypt, decrypt, verifyMAC });
  Object.assign(curve, {
    calculateAgreement,
    calculateSignature,
    generateKeyPair,
    verifySignature,
  });
  Object.assign(Curve, { sign: calculateSignature, verify: signatureHolds });
}

function withType(key: Uint8Array): Uint8Array {
  buffer(key);
  if (key.byteLength === 33 && key[0] === KEY_TYPE) return key;
  if (key.byteLength === 32) return Buffer.concat([Buffer.from([KEY_TYPE]), key]);
  throw new Error('Invalid public key');
}

function buffer(value: Uint8Array): Uint8Array {
  if (!(value instanceof Buffer)) throw new TypeError('Expected Buffer');
  return value;
}

// Keeps libsignal from printing: it writes whole sessions, private keys included, to the console.
// Invariant: exactly libsignal's own lines are dropped; all other output passes.

const LIBSIGNAL =
  /^(Closing (open )?session|Opening session|Removing old closed session|Session already|Decrypted message with closed session|Failed to decrypt message with any|Session error:|Migrating session|V1 session storage migration|Unhandled bucket type|WARNING: Expected pubkey of length 33)/;

let silenced = false;

export function silenceLibsignal(): void {
  if (silenced) return;
  silenced = true;
  // Test runners install a console of their own, so it is looked up now and not imported.
  const output = globalThis.console;
  for (const method of ['info', 'warn', 'error'] as const) {
    const print = output[method].bind(output);
    output[method] = (...args: unknown[]) => {
      if (typeof args[0] === 'string' && LIBSIGNAL.test(args[0])) return;
      print(...args);
    };
  }
}

// Tries a message on a contact's sessions one after the other. libsignal advances the ratchet of each session before it
// knows whether the message belongs to it, then stores them all.
// Invariant: a session that did not decrypt the message is restored, so that it still decrypts its own messages.

interface Session {
  readonly constructor: { deserialize(serialized: unknown): Session };
  serialize(): unknown;
}

interface Cipher {
  decryptWithSessions(message: Buffer, sessions: readonly Session[]): Promise<unknown>;
}

const cipher = SessionCipher.prototype as unknown as Cipher;
const { decryptWithSessions } = cipher;

async function tryEach(this: Cipher, message: Buffer, sessions: readonly Session[]) {
  // A single session is stored only if it decrypts the message.
  if (sessions.length < 2) return decryptWithSessions.call(this, message, sessions);
  let failure: unknown;
  for (const session of sessions) {
    const before = session.serialize();
    try {
      return await decryptWithSessions.call(this, message, [session]);
    } catch (error) {
      failure = error;
      Object.assign(session, session.constructor.deserialize(before));
    }
  }
  throw failure;
}

/** libsignal looks up the method at every call, so replacing it affects Baileys' ciphers too. */
export function restoreFailedSessions(): void {
  cipher.decryptWithSessions = tryEach;
}
