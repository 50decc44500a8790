// Baileys' session repository: encrypts and decrypts messages, and makes every change of keys an operation of the
// account.
// Invariant: no operation waits for the network; addresses are resolved before it begins.

import { createHash } from 'node:crypto';
import type { InboxEntry, TransportStore } from '@relay/core/ports/transport';
import {
  areJidsSameUser,
  type BinaryNode,
  DEFAULT_CONNECTION_CONFIG,
  isLidUser,
  isPnUser,
  jidNormalizedUser,
  proto,
  type SignalKeyStore,
  type SignalRepositoryWithLIDStore,
  transferDevice,
  type UserFacingSocketConfig,
  unpadRandomMax16,
} from '@whiskeysockets/baileys';
import { SessionRecord } from 'libsignal';
import { type LidLookup, listKnownAddresses, resolveLid } from '../addresses.ts';
import { type FaultLatch, waitUntilDurable } from './durability.ts';
import { createGroupMethods } from './group-cipher.ts';
import type { Credentials, Operations, UnitExtras } from './operations.ts';

interface DecryptionParts {
  readonly store: TransportStore;
  readonly credentials: Credentials;
  readonly operations: Operations;
  readonly stanzas: StanzaIndex;
  readonly life: FaultLatch;
  readonly count: (what: 'received' | 'journalHits' | 'undecryptable') => void;
}

type MakeSignalRepository = NonNullable<UserFacingSocketConfig['makeSignalRepository']>;

export function createRepositoryMaker(parts: DecryptionParts): MakeSignalRepository {
  const { operations } = parts;
  const make = DEFAULT_CONNECTION_CONFIG.makeSignalRepository;
  return ({ creds }, logger, phonesToLids) => {
    const passThrough = {
      transaction: <T>(work: () => Promise<T>) => work(),
      isInTransaction: () => true,
    };
    const outer = make(
      { creds, keys: { ...operations.autocommitKeys, ...passThrough } },
      logger,
      phonesToLids,
    );
    const inner = make({ creds, keys: { ...operations.transactionKeys, ...passThrough } }, logger);
    // Bypasses Baileys' own cache, which would outlive a changed mapping.
    inner.lidMapping.getLIDForPN = async (jid) =>
      (await resolveLid(jid, lidLookupIn(operations.transactionKeys))) ?? null;
    Object.assign(
      inner,
      createGroupMethods(operations.transactionKeys, inner.jidToSignalProtocolAddress),
    );

    const resolve = async (jid: string) => {
      if (isPnUser(jid)) await outer.lidMapping.getLIDForPN(jid);
    };
    const { adopt, move } = createPhoneSessions(
      operations.transactionKeys,
      inner.jidToSignalProtocolAddress,
    );
    const decrypt: typeof inner.decryptMessage = async (arg) => {
      try {
        return await inner.decryptMessage(arg);
      } catch (error) {
        if (!(await adopt(arg.jid))) throw error;
        return inner.decryptMessage(arg);
      }
    };
    const open = createDecryptor(parts);
    return Object.assign(outer, {
      decryptMessage: async (arg) => {
        await resolve(arg.jid);
        const sealed = {
          how: 'direct',
          sender: arg.jid,
          group: '',
          ciphertext: arg.ciphertext,
        } as const;
        return open(sealed, () => decrypt(arg));
      },
      decryptGroupMessage: (arg) => {
        const sealed = {
          how: 'group',
          sender: arg.authorJid,
          group: arg.group,
          ciphertext: arg.msg,
        } as const;
        return open(sealed, () => inner.decryptGroupMessage(arg));
      },
      encryptMessage: async (arg) => {
        await resolve(arg.jid);
        return operations.run(() => inner.encryptMessage(arg));
      },
      injectE2ESession: async (arg) => {
        await resolve(arg.jid);
        return operations.run(() => inner.injectE2ESession(arg));
      },
      encryptGroupMessage: (arg) => operations.run(() => inner.encryptGroupMessage(arg)),
      getSenderKeyDistributionMessage: (arg) =>
        operations.run(() => inner.getSenderKeyDistributionMessage(arg)),
      processSenderKeyDistributionMessage: (arg) =>
        operations.run(() => inner.processSenderKeyDistributionMessage(arg)),
      close: () => {
        inner.close?.();
        outer.lidMapping.close();
      },
      deleteSession: (jids) => operations.run(() => inner.deleteSession(jids)),
      migrateSession: async (from, to) => {
        const migrated = (await operations.run(() => move(from, to))) ? 1 : 0;
        return { migrated, skipped: 1 - migrated, total: 1 };
      },
    } satisfies Partial<SignalRepositoryWithLIDStore>);
  };
}

// Decrypts messages. The plaintext is journalled with the changed keys, because keys decrypt a message only once.
// Invariant: keys, journal and inbox entry are one unit. It decrypts first; only a message that cannot be decrypted is
// looked up in the journal. What went to the inbox is empty there: Baileys acknowledges it and acts on nothing in it.

type DecryptMessage = (
  sealed: SealedMessage,
  decrypt: () => Promise<Uint8Array>,
) => Promise<Uint8Array>;

function createDecryptor(parts: DecryptionParts): DecryptMessage {
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
  const digest = ciphertextDigest(sealed);
  const journal = [{ digest, plain }];
  const stanza = stanzas.of(sealed.ciphertext);
  if (!stanza) return { journal };
  if (isPeer(stanza, credentials.own)) return { journal, ...readSharedKeys(plain, credentials) };
  const entry = toInboxEntry(stanza, sealed.ciphertext, plain, credentials.own);
  if (!entry) return { journal };
  count('received');
  return { journal: [{ digest, plain: null }], inbox: [entry] };
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

const lidLookupIn =
  (keys: SignalKeyStore): LidLookup =>
  async (id) =>
    (await keys.get('lid-mapping', [id]))[id];

// Adopts sessions that a contact began under their number, once WhatsApp names the contact by their LID. Baileys looks
// for a session under the LID alone. It moves sessions only of contacts whose devices it has asked for, and a moved
// session replaces the one that the LID has; in both cases messages can no longer be decrypted.
// Invariant: no session is dropped. Runs inside an operation.

interface Sessions {
  sessions: Record<string, { readonly indexInfo: { closed: number } }>;
  haveOpenSession(): boolean;
  serialize(): Uint8Array;
}

/** `addressOf` is the repository's `jidToSignalProtocolAddress`. */
function createPhoneSessions(keys: SignalKeyStore, addressOf: (jid: string) => string) {
  /** Adds the sessions of a device under its number to those under its LID. False if there are none. */
  async function move(phone: string, lid: string): Promise<boolean> {
    if (!isPnUser(phone) || !isLidUser(lid)) return false;
    const [from, to] = [addressOf(phone), addressOf(transferDevice(phone, lid))];
    const { [from]: begun, [to]: known } = await keys.get('session', [from, to]);
    if (!begun) return false;
    await keys.set({ session: { [to]: joined(begun, known), [from]: null } });
    return true;
  }

  /** The same for a device whose number is known by now. */
  async function adopt(lid: string): Promise<boolean> {
    const known = await listKnownAddresses(lid, lidLookupIn(keys));
    const phone = known.find((jid) => isPnUser(jid));
    return phone !== undefined && move(phone, lid);
  }

  return { move, adopt };
}

function joined(begun: Uint8Array, known: Uint8Array | undefined): Uint8Array {
  if (!known) return begun;
  const older = SessionRecord.deserialize(begun) as unknown as Sessions;
  const record = SessionRecord.deserialize(known) as unknown as Sessions;
  // Only one session is used for sending; closed ones still decrypt.
  if (record.haveOpenSession()) {
    for (const { indexInfo } of Object.values(older.sessions)) {
      if (indexInfo.closed === -1) indexInfo.closed = Date.now();
    }
  }
  record.sessions = { ...older.sessions, ...record.sessions };
  return record.serialize();
}

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
  /** The account's own addresses: they are needed later to know who wrote a group message. */
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
