// Baileys' session repository, in which every change of keys is an operation of the account.
// Invariant: no operation waits for the network; addresses are resolved before it begins.
import {
  DEFAULT_CONNECTION_CONFIG,
  isLidUser,
  isPnUser,
  type SignalKeyStore,
  type SignalRepositoryWithLIDStore,
  transferDevice,
  type UserFacingSocketConfig,
} from '@whiskeysockets/baileys';
import { SessionRecord } from 'libsignal';
import { listKnownAddresses, resolveLid } from '../addresses.ts';
import { createDecryptor, type DecryptionParts, lidLookupIn } from './decryption.ts';
import { createGroupMethods } from './group-cipher.ts';

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
