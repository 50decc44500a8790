// Challenges for passkeys: each is good for one purpose, for two minutes, once. A challenge is a random number and an
// expiry with a MAC, so asking for one stores nothing and nobody can fill the memory; only spent ones are remembered,
// until they expire. A new daemon has a new key, so challenges end with it.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const CHALLENGE_MS = 2 * 60_000;
const RANDOM_BYTES = 16;
const EXPIRY_BYTES = 6;
const HEAD_BYTES = RANDOM_BYTES + EXPIRY_BYTES;

export interface Challenges {
  issue(purpose: string): Uint8Array<ArrayBuffer>;
  /** `challenge` is base64url, as browsers return it. */
  isValid(challenge: string, purpose: string): boolean;
  /** True once for each challenge. */
  spend(challenge: string): boolean;
}

export function createChallenges(now: () => Date): Challenges {
  const key = randomBytes(32);
  const spent = new Map<string, number>();
  const macOf = (head: Uint8Array, purpose: string) =>
    createHmac('sha256', key).update(head).update(purpose).digest();
  const expiryOf = (bytes: Buffer) => bytes.readUIntBE(RANDOM_BYTES, EXPIRY_BYTES);
  return {
    issue(purpose) {
      const head = Buffer.alloc(HEAD_BYTES);
      randomBytes(RANDOM_BYTES).copy(head);
      head.writeUIntBE(now().getTime() + CHALLENGE_MS, RANDOM_BYTES, EXPIRY_BYTES);
      return Uint8Array.from([...head, ...macOf(head, purpose)]);
    },
    isValid(challenge, purpose) {
      const bytes = Buffer.from(challenge, 'base64url');
      const mac = bytes.subarray(HEAD_BYTES);
      const expected = macOf(bytes.subarray(0, HEAD_BYTES), purpose);
      if (mac.length !== expected.length || !timingSafeEqual(mac, expected)) return false;
      return expiryOf(bytes) > now().getTime() && !spent.has(bytes.toString('hex'));
    },
    spend(challenge) {
      const at = now().getTime();
      for (const [old, expiry] of spent) if (expiry <= at) spent.delete(old);
      const bytes = Buffer.from(challenge, 'base64url');
      const name = bytes.toString('hex');
      if (spent.has(name)) return false;
      spent.set(name, expiryOf(bytes));
      return true;
    },
  };
}
