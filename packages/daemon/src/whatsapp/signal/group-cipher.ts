// Encrypts and decrypts group messages with WhatsApp's sender keys, signed and verified natively (in JavaScript one
// takes 15 ms).
// Invariant: records are never changed; each function returns the next record.
import { randomBytes, randomInt } from 'node:crypto';
import {
  proto,
  type SignalKeyStore,
  type SignalRepositoryWithLIDStore,
} from '@whiskeysockets/baileys';
import type { SenderKeyState, SenderKeyStates } from './key-records.ts';
import {
  calculateMAC,
  calculateSignature,
  decrypt,
  deriveSecrets,
  encrypt,
  generateKeyPair,
  verifySignature,
} from './libsignal-patches.ts';

const VERSION = Buffer.from([0x33]);
const SIGNATURE_BYTES = 64;
const MAX_STATES = 5;
const MAX_SKIPPED = 2000;
const MESSAGE_KEY = Buffer.from([1]);
const CHAIN_KEY = Buffer.from([2]);
const NO_SALT = Buffer.alloc(32);
const GROUP = Buffer.from('WhisperGroup');

type Step = SenderKeyState['chain'];

export function newSenderKey(): SenderKeyStates {
  const { pubKey, privKey } = generateKeyPair();
  return [
    {
      id: randomInt(2 ** 31 - 1),
      chain: { iteration: 0, seed: randomBytes(32) },
      signing: { public: pubKey, private: privKey },
      skipped: [],
    },
  ];
}

/** What members need to read the messages that follow. */
export function encodeDistribution(states: SenderKeyStates): Uint8Array {
  const { id, chain, signing } = newest(states);
  const body = proto.SenderKeyDistributionMessage.encode({
    id,
    iteration: chain.iteration,
    chainKey: chain.seed,
    signingKey: signing.public,
  }).finish();
  return Buffer.concat([VERSION, body]);
}

/** A key that we already have keeps its position: distribution messages are repeated and redelivered. */
export function applyDistribution(states: SenderKeyStates, message: Uint8Array): SenderKeyStates {
  const read = proto.SenderKeyDistributionMessage.decode(message.subarray(VERSION.length));
  const signingKey = Buffer.from(read.signingKey ?? []);
  const id = read.id ?? 0;
  if (find(states, id)?.signing.public.equals(signingKey)) return states;
  const state: SenderKeyState = {
    id,
    chain: { iteration: read.iteration ?? 0, seed: Buffer.from(read.chainKey ?? []) },
    signing: { public: signingKey, private: Buffer.alloc(0) },
    skipped: [],
  };
  return [...states, state].slice(-MAX_STATES);
}

export function sealGroupMessage(
  states: SenderKeyStates,
  plain: Uint8Array,
): [Uint8Array, SenderKeyStates] {
  const state = newest(states);
  const { iv, key } = messageKey(seedOf(state.chain));
  const body = proto.SenderKeyMessage.encode({
    id: state.id,
    iteration: state.chain.iteration,
    ciphertext: encrypt(key, Buffer.from(plain), iv),
  }).finish();
  const signed = Buffer.concat([VERSION, body]);
  const message = Buffer.concat([signed, calculateSignature(state.signing.private, signed)]);
  return [message, replace(states, state, { ...state, chain: next(state.chain) })];
}

export function openGroupMessage(
  states: SenderKeyStates,
  message: Uint8Array,
): [Uint8Array, SenderKeyStates] {
  const signed = message.subarray(0, -SIGNATURE_BYTES);
  const read = proto.SenderKeyMessage.decode(signed.subarray(VERSION.length));
  const state = find(states, read.id ?? 0);
  if (!state) throw new Error('No session found to decrypt message');
  if (!verifySignature(state.signing.public, signed, message.subarray(-SIGNATURE_BYTES))) {
    throw new Error('Invalid signature!');
  }
  const [seed, advanced] = advance(state, read.iteration ?? 0);
  const { iv, key } = messageKey(seed);
  return [decrypt(key, Buffer.from(read.ciphertext ?? []), iv), replace(states, state, advanced)];
}

/** The seed of that message, and the state without it. */
function advance(state: SenderKeyState, iteration: number): [Buffer, SenderKeyState] {
  let { chain } = state;
  if (chain.iteration > iteration) {
    const found = state.skipped.find((step) => step.iteration === iteration);
    if (!found) {
      throw new Error(`Received message with old counter: ${chain.iteration}, ${iteration}`);
    }
    return [found.seed, { ...state, skipped: state.skipped.filter((step) => step !== found) }];
  }
  if (iteration - chain.iteration > MAX_SKIPPED) {
    throw new Error('Over 2000 messages into the future!');
  }
  const skipped = [...state.skipped];
  for (; chain.iteration < iteration; chain = next(chain)) {
    skipped.push({ iteration: chain.iteration, seed: seedOf(chain) });
  }
  return [seedOf(chain), { ...state, chain: next(chain), skipped: skipped.slice(-MAX_SKIPPED) }];
}

const seedOf = ({ seed }: Step): Buffer => calculateMAC(seed, MESSAGE_KEY);

const next = ({ iteration, seed }: Step): Step => ({
  iteration: iteration + 1,
  seed: calculateMAC(seed, CHAIN_KEY),
});

function messageKey(seed: Buffer): { iv: Buffer; key: Buffer } {
  const bytes = Buffer.concat(deriveSecrets(seed, NO_SALT, GROUP, 2));
  return { iv: bytes.subarray(0, 16), key: bytes.subarray(16, 48) };
}

const find = (states: SenderKeyStates, id: number) => states.find((state) => state.id === id);

function newest(states: SenderKeyStates): SenderKeyState {
  const state = states.at(-1);
  if (!state) throw new Error('No session to encrypt message');
  return state;
}

function replace(states: SenderKeyStates, old: SenderKeyState, by: SenderKeyState) {
  return states.map((state) => (state === old ? by : state));
}

// The group methods of Baileys' repository, using the keys of the running operation.
// Invariant: either the advanced record is stored, or the message was not decrypted.

type GroupMethods = Pick<
  SignalRepositoryWithLIDStore,
  | 'decryptGroupMessage'
  | 'encryptGroupMessage'
  | 'getSenderKeyDistributionMessage'
  | 'processSenderKeyDistributionMessage'
>;

/** `addressOf` is the repository's `jidToSignalProtocolAddress`. */
export function createGroupMethods(
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
      const [plain, advanced] = openGroupMessage(await load(name), msg);
      await store(name, advanced);
      return plain;
    },

    async encryptGroupMessage({ group, meId, data }) {
      const name = nameOf(group, meId);
      const states = await own(name);
      const [ciphertext, advanced] = sealGroupMessage(states, data);
      await store(name, advanced);
      return { ciphertext, senderKeyDistributionMessage: encodeDistribution(states) };
    },

    getSenderKeyDistributionMessage: async ({ group, meId }) =>
      encodeDistribution(await own(nameOf(group, meId))),

    async processSenderKeyDistributionMessage({ item, authorJid }) {
      const message = item.axolotlSenderKeyDistributionMessage;
      if (!item.groupId || !message) throw new Error('A sender key without its group.');
      const name = nameOf(item.groupId, authorJid);
      const states = await load(name);
      const advanced = applyDistribution(states, message);
      if (advanced !== states) await store(name, advanced);
    },
  };
}
