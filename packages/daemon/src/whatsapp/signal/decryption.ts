// Decrypts messages. The plaintext is journalled with the changed keys, because keys decrypt a message only once.
// Invariant: keys, journal and inbox entry are one unit. It decrypts first; only a message that cannot be decrypted is
// looked up in the journal.

import { createHash } from 'node:crypto';
import type { InboxEntry, TransportStore } from '@relay/core/ports/transport';
import {
  areJidsSameUser,
  type BinaryNode,
  jidNormalizedUser,
  proto,
  type SignalKeyStore,
  unpadRandomMax16,
} from '@whiskeysockets/baileys';
import { type LidLookup, listKnownAddresses, resolveLid } from '../addresses.ts';
import { type FaultLatch, waitUntilDurable } from './durability.ts';
import type { Credentials, Operations, UnitExtras } from './operations.ts';

export interface DecryptionParts {
  readonly store: TransportStore;
  readonly credentials: Credentials;
  readonly operations: Operations;
  readonly stanzas: StanzaIndex;
  readonly life: FaultLatch;
  readonly count: (what: 'received' | 'journalHits' | 'undecryptable') => void;
}

type DecryptMessage = (
  sealed: SealedMessage,
  decrypt: () => Promise<Uint8Array>,
) => Promise<Uint8Array>;

export function createDecryptor(parts: DecryptionParts): DecryptMessage {
  const { count, life, operations } = parts;
  const lookUp = lidLookupIn(operations.autocommitKeys);
  return async (sealed, decrypt) => {
    const sender = (await resolveLid(sealed.sender, lookUp)) ?? sealed.sender;
    try {
      return await operations.run(decrypt, (plain) =>
        unitExtrasOf(parts, { ...sealed, sender }, plain),
      );
    } catch (error) {
      life.throwIfFaulted();
      const plain = await findInJournal(parts, sealed, lookUp);
      count(plain ? 'journalHits' : 'undecryptable');
      if (plain) return plain;
      throw error;
    }
  };
}

function unitExtrasOf(
  { count, credentials, stanzas }: DecryptionParts,
  sealed: SealedMessage,
  plain: Uint8Array,
): UnitExtras {
  const name = ciphertextDigest(sealed);
  const journal = [{ digest: name, plain }];
  const stanza = stanzas.of(sealed.ciphertext);
  if (!stanza) return { journal };
  if (isPeer(stanza, credentials.own)) return { journal, ...readSharedKeys(plain, credentials) };
  const entry = toInboxEntry(stanza, sealed.ciphertext, plain, credentials.own);
  if (!entry) return { journal };
  count('received');
  return { journal, inbox: [{ ...entry, digest: name }] };
}

async function findInJournal(
  { life, store }: DecryptionParts,
  sealed: SealedMessage,
  lookUp: LidLookup,
): Promise<Uint8Array | null> {
  try {
    await waitUntilDurable(store, life);
    for (const sender of await listKnownAddresses(sealed.sender, lookUp)) {
      const plain = await store.journal(ciphertextDigest({ ...sealed, sender }));
      if (plain) return Buffer.from(plain);
    }
    return null;
  } catch (error) {
    throw life.trip(error);
  }
}

export const lidLookupIn =
  (keys: SignalKeyStore): LidLookup =>
  async (id) =>
    (await keys.get('lid-mapping', [id]))[id];

// Stores the account's app state keys, which its phone sends once. Baileys stores them only after it has acknowledged
// them; here they are stored together with the message that brought them.

/** Empty unless the account's own phone shared keys with this message. */
function readSharedKeys(
  padded: Uint8Array,
  credentials: Credentials,
): Pick<UnitExtras, 'set' | 'credentials'> {
  const { protocolMessage } = proto.Message.decode(unpadRandomMax16(padded));
  const shared = (protocolMessage?.appStateSyncKeyShare?.keys ?? []).flatMap(
    ({ keyId, keyData }) =>
      keyId?.keyId && keyData
        ? [[Buffer.from(keyId.keyId).toString('base64'), keyData] as const]
        : [],
  );
  const newest = shared.at(-1);
  if (!newest) return {};
  credentials.merge({ myAppStateKeyId: newest[0] });
  return {
    set: { 'app-state-sync-key': Object.fromEntries(shared) },
    credentials: credentials.encode(),
  };
}

// The digest of a ciphertext in the journal.
// Invariant: it contains the sender, or one contact could get another's message answered as their own.

interface SealedMessage {
  readonly how: 'direct' | 'group';
  readonly sender: string;
  /** Empty for a direct message. */
  readonly group: string;
  readonly ciphertext: Uint8Array;
}

function ciphertextDigest({ how, sender, group, ciphertext }: SealedMessage): Uint8Array {
  return createHash('sha256').update(`${how}\0${sender}\0${group}\0`).update(ciphertext).digest();
}

// Builds the inbox entry of a received message: the stanza's attributes, our own addresses at that time, and the
// content.
// Invariant: one entry per stanza, made from the part that carries the content.

/** Finds a stanza by its ciphertext, from its arrival until Baileys drops it. */
export class StanzaIndex {
  readonly #byCiphertext = new WeakMap<Uint8Array, BinaryNode>();

  note(stanza: BinaryNode): void {
    for (const { content } of parts(stanza)) {
      if (content instanceof Uint8Array) this.#byCiphertext.set(content, stanza);
    }
  }

  of(ciphertext: Uint8Array): BinaryNode | undefined {
    return this.#byCiphertext.get(ciphertext);
  }
}

/** Null for a part that only brings keys. */
function toInboxEntry(
  stanza: BinaryNode,
  ciphertext: Uint8Array,
  padded: Uint8Array,
  /** The account's own addresses: without them it could not be told later who wrote a group message. */
  own: readonly string[],
): InboxEntry | null {
  const { attrs } = stanza;
  if (parts(stanza).at(-1)?.content !== ciphertext) return null;
  return {
    chat: jidNormalizedUser(attrs.recipient ?? attrs.from),
    sender: jidNormalizedUser(attrs.participant ?? attrs.from),
    id: attrs.id ?? '',
    stanza: Buffer.from(JSON.stringify({ ...attrs, own })),
    content: unpadRandomMax16(padded),
  };
}

/** A message between the account's own devices. From anybody else it is an ordinary message, whatever it claims. */
function isPeer({ attrs }: BinaryNode, own: readonly string[]): boolean {
  return attrs.category === 'peer' && own.some((jid) => areJidsSameUser(jid, attrs.from));
}

function parts({ content }: BinaryNode): BinaryNode[] {
  return Array.isArray(content) ? content.filter(({ tag }) => tag === 'enc') : [];
}
