// Baileys' repository of sessions, with every change of keys an operation of the account.
// Invariant: a ciphertext is opened once; what was in it is journalled with the keys that opened it. No
// network inside an operation.
import type { WireStore } from '@relay/core/ports/wire-store';
import {
  DEFAULT_CONNECTION_CONFIG,
  isPnUser,
  type SignalKeyStore,
  type SignalRepositoryWithLIDStore,
  type UserFacingSocketConfig,
} from '@whiskeysockets/baileys';
import { addressesOf, type LookUp, lidOf } from './addresses.ts';
import { digest, type Sealed } from './digest.ts';
import { settled } from './durability.ts';
import { groupMethods } from './group-methods.ts';
import type { Life } from './life.ts';
import type { Operations, Rest } from './operation.ts';
import { inboxEntry, type Stanzas } from './received.ts';

export type MakeSignalRepository = NonNullable<UserFacingSocketConfig['makeSignalRepository']>;

export interface RepositoryParts {
  readonly store: WireStore;
  readonly operations: Operations;
  readonly stanzas: Stanzas;
  /** The account's own addresses. */
  readonly own: () => readonly string[];
  readonly life: Life;
  readonly count: (what: 'received' | 'journalHits' | 'undecryptable') => void;
}

export function repositoryMaker(parts: RepositoryParts): MakeSignalRepository {
  const { operations } = parts;
  const make = DEFAULT_CONNECTION_CONFIG.makeSignalRepository;
  return ({ creds }, logger, phonesToLids) => {
    const passThrough = {
      transaction: <T>(work: () => Promise<T>) => work(),
      isInTransaction: () => true,
    };
    const outer = make(
      { creds, keys: { ...operations.outside, ...passThrough } },
      logger,
      phonesToLids,
    );
    const inner = make({ creds, keys: { ...operations.inside, ...passThrough } }, logger);
    // Without its own memory, which would outlive a mapping that changes.
    inner.lidMapping.getLIDForPN = async (jid) =>
      (await lidOf(jid, lookUpIn(operations.inside))) ?? null;
    Object.assign(inner, groupMethods(operations.inside, inner.jidToSignalProtocolAddress));

    const resolve = async (jid: string) => {
      if (isPnUser(jid)) await outer.lidMapping.getLIDForPN(jid);
    };
    const opened = opener(parts);
    return Object.assign(outer, {
      decryptMessage: async (arg) => {
        await resolve(arg.jid);
        const sealed = {
          how: 'direct',
          sender: arg.jid,
          group: '',
          ciphertext: arg.ciphertext,
        } as const;
        return opened(sealed, () => inner.decryptMessage(arg));
      },
      decryptGroupMessage: (arg) => {
        const sealed = {
          how: 'group',
          sender: arg.authorJid,
          group: arg.group,
          ciphertext: arg.msg,
        } as const;
        return opened(sealed, () => inner.decryptGroupMessage(arg));
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
      deleteSession: (jids) => operations.run(() => inner.deleteSession(jids)),
      migrateSession: (from, to) => operations.run(() => inner.migrateSession(from, to)),
    } satisfies Partial<SignalRepositoryWithLIDStore>);
  };
}

/** Decrypts first; only what cannot be opened is looked for among what was opened before. */
function opener({ store, operations, own, stanzas, life, count }: RepositoryParts) {
  const lookUp = lookUpIn(operations.outside);
  const rest = (name: Uint8Array, { ciphertext }: Sealed, plain: Uint8Array): Rest => {
    const stanza = stanzas.of(ciphertext);
    const entry = stanza && inboxEntry(stanza, ciphertext, plain, own());
    if (entry) count('received');
    return { journal: [{ digest: name, plain }], ...(entry && { inbox: [entry] }) };
  };
  const openedBefore = async (sealed: Sealed): Promise<Uint8Array | null> => {
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
  };
  return async (sealed: Sealed, open: () => Promise<Uint8Array>): Promise<Uint8Array> => {
    const name = digest({
      ...sealed,
      sender: (await lidOf(sealed.sender, lookUp)) ?? sealed.sender,
    });
    try {
      return await operations.run(open, (plain) => rest(name, sealed, plain));
    } catch (error) {
      life.assert();
      const plain = await openedBefore(sealed);
      count(plain ? 'journalHits' : 'undecryptable');
      if (plain) return plain;
      throw error;
    }
  };
}

const lookUpIn =
  (keys: SignalKeyStore): LookUp =>
  async (id) =>
    (await keys.get('lid-mapping', [id]))[id];
