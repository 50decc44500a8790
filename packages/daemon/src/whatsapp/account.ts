// Opens the stored account for as long as a connection may need it.
// Invariant: unreadable data is never replaced with something new; only `forget` deletes a session.
import type { Log } from '@relay/core/log';
import { type TransportStore, TransportStoreFault } from '@relay/core/ports/transport';
import type { AuthenticationCreds } from '@whiskeysockets/baileys';
import { lidOfJid, phoneOfJid } from './addresses.ts';
import type { LinkFacts } from './link.ts';
import { type AccountKeys, openAccountKeys } from './signal/account-keys.ts';

export interface OpenAccount {
  readonly store: TransportStore;
  readonly keys: AccountKeys;
}

/** A device is linked once the phone has signed it; requesting a pairing code already sets `me`. */
export const isLinked = ({ account, me }: AuthenticationCreds): boolean =>
  account !== undefined && me !== undefined;

export async function openLinkedAccount(
  openStore: () => Promise<TransportStore>,
  options: { readonly log: Log; readonly onReceived: () => void },
): Promise<OpenAccount> {
  const store = await openStore();
  try {
    const keys = await openAccountKeys(store, options);
    const { credentials } = keys;
    // After an unfinished linking by code, Baileys would log in as an unknown device.
    if (!isLinked(credentials) && credentials.me) {
      delete credentials.me;
      await keys.saveCredentials({ registered: false, pairingCode: undefined });
    }
    return { store, keys };
  } catch (error) {
    await store.close();
    throw error;
  }
}

export async function closeAccount({ keys, store }: OpenAccount): Promise<void> {
  await keys.close();
  await store.close();
}

/** An error that is not caused by the records themselves is temporary. */
export const toWireFault = (error: unknown): TransportStoreFault =>
  error instanceof TransportStoreFault
    ? error
    : new TransportStoreFault('unavailable', 'The store did not answer.', { cause: error });

export function linkedIdentityOf(
  credentials: AuthenticationCreds,
): Pick<LinkFacts, 'phone' | 'lid' | 'name'> {
  if (!isLinked(credentials)) return { phone: null, lid: null, name: null };
  const { id, lid, name } = credentials.me ?? {};
  return { phone: phoneOfJid(id), lid: lidOfJid(lid), name: name ?? null };
}
