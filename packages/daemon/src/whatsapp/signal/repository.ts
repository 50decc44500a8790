// Baileys' repository of sessions, with every change of keys an operation of the account.
// Invariant: no operation waits for the network; addresses are resolved before it begins.
import {
  DEFAULT_CONNECTION_CONFIG,
  isPnUser,
  type SignalRepositoryWithLIDStore,
  type UserFacingSocketConfig,
} from '@whiskeysockets/baileys';
import { lidOf } from './addresses.ts';
import { groupMethods } from './group-methods.ts';
import { lookUpIn, type OpeningParts, opening } from './opening.ts';
import { phoneSessions } from './phone-sessions.ts';

export type MakeSignalRepository = NonNullable<UserFacingSocketConfig['makeSignalRepository']>;

export function repositoryMaker(parts: OpeningParts): MakeSignalRepository {
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
    const { adopt, move } = phoneSessions(operations.inside, inner.jidToSignalProtocolAddress);
    const decrypt: typeof inner.decryptMessage = async (arg) => {
      try {
        return await inner.decryptMessage(arg);
      } catch (error) {
        if (!(await adopt(arg.jid))) throw error;
        return inner.decryptMessage(arg);
      }
    };
    const open = opening(parts);
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
