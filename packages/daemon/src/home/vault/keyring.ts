// The key in the keyring of the operating system. Absent, locked away or failing while a home is made, it
// is passed over; for a home whose key is in it, it must answer.
import { setTimeout as sleep } from 'node:timers/promises';
import { RelayError } from '@relay/core/errors';

export interface Keyring {
  /** Null when it answers and has no such key. */
  get(id: string): Promise<string | null>;
  set(id: string, key: string): Promise<void>;
}

const SERVICE = 'relay-agent';
/** A locked keyring may wait for a person who is not there. */
const PATIENCE_MS = 10_000;

/** Null where the optional package has no build for this machine. */
export async function systemKeyring(): Promise<Keyring | null> {
  const found = await import('@napi-rs/keyring').catch(() => null);
  if (found === null) return null;
  // Pinned: without it Linux falls back to a store in the kernel's memory, gone at the next boot.
  const entry = (id: string) =>
    new found.AsyncEntry(SERVICE, id, { linux: { store: 'secret-service' } });
  return {
    get: async (id) => inTime(entry(id).getPassword()),
    set: async (id, key) => inTime(entry(id).setPassword(key)),
  };
}

/** What waits inside the keyring cannot be called back, only left waiting. */
const inTime = <T>(answer: Promise<T>): Promise<T> =>
  Promise.race([
    answer,
    sleep(PATIENCE_MS, undefined, { ref: false }).then(() => {
      throw new Error('the keyring does not answer');
    }),
  ]);

/** True if the key is there now, and can be read again. */
export async function keepInKeyring(
  keyring: Keyring | null,
  id: string,
  key: string,
): Promise<boolean> {
  if (keyring === null) return false;
  try {
    await keyring.set(id, key);
    return (await keyring.get(id)) === key;
  } catch {
    return false;
  }
}

export async function fromKeyring(keyring: Keyring | null, id: string): Promise<string> {
  if (keyring === null) throw new RelayError('vault_keyring_away');
  const key = await keyring.get(id).catch((cause: unknown) => {
    throw new RelayError('vault_keyring_away', {}, { cause });
  });
  if (key === null) {
    throw new RelayError('vault_key_missing', { where: `"${id}" in the system's keyring` });
  }
  return key;
}
