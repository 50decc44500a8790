// Encrypts single values with AES-256-GCM: version, nonce, ciphertext, tag. Version 1 is encrypted with the home's key,
// version 2 with a key that is derived from it for one account. The name a value is sealed for is
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
import type { AccountId } from '@relay/contract/ids';
import type { Sealer } from '@relay/core/ports/sealer';

const HOME_VERSION = 1;
const ACCOUNT_VERSION = 2;
const NONCE = 12;
const TAG = 16;
const HEAD = 1 + NONCE;

/** Takes a `KeyObject`: passing raw bytes with each call costs several times the encryption. */
export function aesSealer(key: KeyObject): Sealer {
  const derive = (purpose: string) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', key, '', purpose, 32)));
  const macKey = derive('relay mac 1');
  const home: Keys = { own: key, version: HOME_VERSION, byVersion: new Map([[HOME_VERSION, key]]) };
  const accounts = new Map<AccountId, Sealer>();
  const forAccount = (account: AccountId): Sealer => {
    const known = accounts.get(account);
    if (known !== undefined) return known;
    const own = derive(`relay account ${account}`);
    const byVersion = new Map([...home.byVersion, [ACCOUNT_VERSION, own] as const]);
    const made = sealerWith({ own, version: ACCOUNT_VERSION, byVersion }, { macKey, forAccount });
    accounts.set(account, made);
    return made;
  };
  return sealerWith(home, { macKey, forAccount });
}

interface Keys {
  /** What is sealed from now on is sealed with this key. */
  readonly own: KeyObject;
  readonly version: number;
  readonly byVersion: ReadonlyMap<number, KeyObject>;
}

interface SealerParts extends Pick<Sealer, 'forAccount'> {
  readonly macKey: KeyObject;
}

function sealerWith(
  { own, version, byVersion }: Keys,
  { macKey, forAccount }: SealerParts,
): Sealer {
  const nextNonce = nonces();
  return {
    forAccount,
    mac: (text) => createHmac('sha256', macKey).update(text).digest(),
    seal(name, plain) {
      const nonce = nextNonce();
      const cipher = createCipheriv('aes-256-gcm', own, nonce);
      cipher.setAAD(Buffer.from(name));
      const sealed = Buffer.allocUnsafe(HEAD + plain.length + TAG);
      sealed[0] = version;
      sealed.set(nonce, 1);
      sealed.set(cipher.update(plain), HEAD);
      cipher.final();
      sealed.set(cipher.getAuthTag(), HEAD + plain.length);
      return sealed;
    },
    open(name, sealed) {
      const key = byVersion.get(sealed[0] ?? 0);
      if (key === undefined || sealed.length < HEAD + TAG) throw new Error('not a sealed value');
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
