// The group methods of Baileys' repository over the keys of the running operation.
// Invariant: a record is stored advanced, or the message was not opened.
import type { SignalKeyStore, SignalRepositoryWithLIDStore } from '@whiskeysockets/baileys';
import { distribution, newSenderKey, open, seal, withDistribution } from './group-cipher.ts';
import type { SenderKeyStates } from './sender-key-record.ts';

type GroupMethods = Pick<
  SignalRepositoryWithLIDStore,
  | 'decryptGroupMessage'
  | 'encryptGroupMessage'
  | 'getSenderKeyDistributionMessage'
  | 'processSenderKeyDistributionMessage'
>;

/** `addressOf` is the repository's `jidToSignalProtocolAddress`. */
export function groupMethods(
  keys: SignalKeyStore,
  addressOf: (jid: string) => string,
): GroupMethods {
  const nameOf = (group: string, jid: string) => `${group}::${addressOf(jid).replace('.', '::')}`;
  const load = async (name: string): Promise<SenderKeyStates> => {
    const { [name]: states } = await keys.get('sender-key', [name]);
    return (states ?? []) as unknown as SenderKeyStates;
  };
  const store = async (name: string, states: SenderKeyStates) => {
    await keys.set({ 'sender-key': { [name]: states as unknown as Uint8Array } });
  };
  const own = async (name: string): Promise<SenderKeyStates> => {
    const states = await load(name);
    if (states.length > 0) return states;
    const made = newSenderKey();
    await store(name, made);
    return made;
  };
  return {
    async decryptGroupMessage({ group, authorJid, msg }) {
      const name = nameOf(group, authorJid);
      const [plain, advanced] = open(await load(name), msg);
      await store(name, advanced);
      return plain;
    },

    async encryptGroupMessage({ group, meId, data }) {
      const name = nameOf(group, meId);
      const states = await own(name);
      const [ciphertext, advanced] = seal(states, data);
      await store(name, advanced);
      return { ciphertext, senderKeyDistributionMessage: distribution(states) };
    },

    getSenderKeyDistributionMessage: async ({ group, meId }) =>
      distribution(await own(nameOf(group, meId))),

    async processSenderKeyDistributionMessage({ item, authorJid }) {
      const message = item.axolotlSenderKeyDistributionMessage;
      if (!item.groupId || !message) throw new Error('A sender key without its group.');
      const name = nameOf(item.groupId, authorJid);
      const states = await load(name);
      const advanced = withDistribution(states, message);
      if (advanced !== states) await store(name, advanced);
    },
  };
}
