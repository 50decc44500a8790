// Encrypts single values with AES-256-GCM: version, nonce, ciphertext, tag. The name a value is sealed for is
// authenticated with it and not stored. A nonce is random and never used twice. MACs are HMAC-SHA-256 with a separate
// key, derived from the same one.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomFillSync,
} from 'node:crypto';
import type { Sealer } from '@relay/core/ports/sealer';

const VERSION = 1;
const NONCE = 12;
const TAG = 16;
const HEAD = 1 + NONCE;

/** Takes a `KeyObject`: passing raw bytes with each call costs several times the encryption. */
export function aesSealer(key: KeyObject): Sealer {
  const nextNonce = nonces();
  const macKey = createSecretKey(Buffer.from(hkdfSync('sha256', key, '', 'relay mac 1', 32)));
  return {
    mac: (text) => createHmac('sha256', macKey).update(text).digest(),
    seal(name, plain) {
      const nonce = nextNonce();
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      cipher.setAAD(Buffer.from(name));
      const sealed = Buffer.allocUnsafe(HEAD + plain.length + TAG);
      sealed[0] = VERSION;
      sealed.set(nonce, 1);
      sealed.set(cipher.update(plain), HEAD);
      cipher.final();
      sealed.set(cipher.getAuthTag(), HEAD + plain.length);
      return sealed;
    },
    open(name, sealed) {
      if (sealed[0] !== VERSION || sealed.length < HEAD + TAG)
        throw new Error('not a sealed value');
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, HEAD), {
        authTagLength: TAG,
      });
      decipher.setAAD(Buffer.from(name));
      decipher.setAuthTag(sealed.subarray(sealed.length - TAG));
      const plain = decipher.update(sealed.subarray(HEAD, sealed.length - TAG));
      decipher.final();
      return plain;
    },
  };
}

/** Random bytes need a system call, so they are drawn for many nonces at a time. */
function nonces(): () => Uint8Array {
  const pool = new Uint8Array(NONCE * 128);
  let next = pool.length;
  return () => {
    if (next === pool.length) {
      randomFillSync(pool);
      next = 0;
    }
    next += NONCE;
    return pool.slice(next - NONCE, next);
  };
}
