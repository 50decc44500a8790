// Opens ciphertexts. What was in one is journalled with the keys that opened it, because they open it once.
// Invariant: keys, journal and inbox entry are one unit. Decrypts first; only what cannot be opened is
// looked for among what was opened before.
import type { WireStore } from '@relay/core/ports/wire-store';
import type { SignalKeyStore } from '@whiskeysockets/baileys';
import { addressesOf, type LookUp, lidOf } from './addresses.ts';
import { sharedKeys } from './app-state-keys.ts';
import type { Credentials } from './credentials.ts';
import { digest, type Sealed } from './digest.ts';
import { settled } from './durability.ts';
import type { Life } from './life.ts';
import type { Operations, Rest } from './operation.ts';
import { inboxEntry, isPeer, type Stanzas } from './received.ts';

export interface OpeningParts {
  readonly store: WireStore;
  readonly credentials: Credentials;
  readonly operations: Operations;
  readonly stanzas: Stanzas;
  readonly life: Life;
  readonly count: (what: 'received' | 'journalHits' | 'undecryptable') => void;
}

export type Open = (sealed: Sealed, decrypt: () => Promise<Uint8Array>) => Promise<Uint8Array>;

export function opening(parts: OpeningParts): Open {
  const { count, life, operations } = parts;
  const lookUp = lookUpIn(operations.outside);
  return async (sealed, decrypt) => {
    const sender = (await lidOf(sealed.sender, lookUp)) ?? sealed.sender;
    try {
      return await operations.run(decrypt, (plain) =>
        restOfUnit(parts, { ...sealed, sender }, plain),
      );
    } catch (error) {
      life.assert();
      const plain = await openedBefore(parts, sealed, lookUp);
      count(plain ? 'journalHits' : 'undecryptable');
      if (plain) return plain;
      throw error;
    }
  };
}

function restOfUnit(
  { count, credentials, stanzas }: OpeningParts,
  sealed: Sealed,
  plain: Uint8Array,
): Rest {
  const name = digest(sealed);
  const journal = [{ digest: name, plain }];
  const stanza = stanzas.of(sealed.ciphertext);
  if (!stanza) return { journal };
  if (isPeer(stanza, credentials.own)) return { journal, ...sharedKeys(plain, credentials) };
  const entry = inboxEntry(stanza, sealed.ciphertext, plain, credentials.own);
  if (!entry) return { journal };
  count('received');
  return { journal, inbox: [{ ...entry, digest: name }] };
}

async function openedBefore(
  { life, store }: OpeningParts,
  sealed: Sealed,
  lookUp: LookUp,
): Promise<Uint8Array | null> {
  try {
    await settled(store, life);
    for (const sender of await addressesOf(sealed.sender, lookUp)) {
      const plain = await store.journal(digest({ ...sealed, sender }));
      if (plain) return Buffer.from(plain);
    }
    return null;
  } catch (error) {
    throw life.end(error);
  }
}

export const lookUpIn =
  (keys: SignalKeyStore): LookUp =>
  async (id) =>
    (await keys.get('lid-mapping', [id]))[id];
