// The Signal state of one simulated handset: identity, pre-keys, sessions and sender keys, in memory. Invariant:
// callers run one operation at a time (the handset's queue); libsignal keeps the ratchets.
import { randomInt } from 'node:crypto';
import { Curve } from '@whiskeysockets/baileys';
import { GroupCipher } from '@whiskeysockets/baileys/lib/Signal/Group/group_cipher.js';
import { GroupSessionBuilder } from '@whiskeysockets/baileys/lib/Signal/Group/group-session-builder.js';
import { SenderKeyDistributionMessage } from '@whiskeysockets/baileys/lib/Signal/Group/sender-key-distribution-message.js';
import { SenderKeyMessage } from '@whiskeysockets/baileys/lib/Signal/Group/sender-key-message.js';
import { SenderKeyName } from '@whiskeysockets/baileys/lib/Signal/Group/sender-key-name.js';
import { SenderKeyRecord } from '@whiskeysockets/baileys/lib/Signal/Group/sender-key-record.js';
import {
  ProtocolAddress,
  SessionBuilder,
  SessionCipher,
  SessionRecord,
  type SignalStorage,
} from 'libsignal';
import { isSignatureValid, signalKey, signWithKey } from '../wire/keys.ts';
import { type Bundle, forLibsignal } from './bundle.ts';

/** A device as Signal names it: one name for the person, however the stanza addresses them. */
export interface SignalAddress {
  person: string;
  device: number;
}

export interface Ciphertext {
  type: 'pkmsg' | 'msg';
  bytes: Buffer;
}

interface SecretKey {
  privKey: Buffer;
  pubKey: Buffer;
}

const PRE_KEY_MESSAGE = 3;
const SIGNED_PRE_KEY = 1;

function protocolAddress({ person, device }: SignalAddress): ProtocolAddress {
  return new ProtocolAddress(person, device);
}

export class SignalEndpoint {
  readonly identity = Curve.generateKeyPair();
  readonly registrationId = randomInt(1, 16_384);
  readonly #signedPreKey = Curve.generateKeyPair();
  readonly #preKeys = new Map<number, SecretKey>();
  readonly #sessions = new Map<string, Uint8Array>();
  readonly #senderKeys = new Map<string, Buffer>();
  #nextPreKey = 1;

  readonly #storage: SignalStorage = {
    loadSession: async (id) => {
      const session = this.#sessions.get(id);
      return session && SessionRecord.deserialize(session);
    },
    storeSession: async (id, session) => {
      this.#sessions.set(id, session.serialize());
    },
    isTrustedIdentity: () => true,
    loadPreKey: async (id) => this.#preKeys.get(Number(id)),
    removePreKey: (id) => {
      this.#preKeys.delete(Number(id));
    },
    loadSignedPreKey: () => secret(this.#signedPreKey),
    getOurRegistrationId: () => this.registrationId,
    getOurIdentity: () => secret(this.identity),
  };

  readonly #senderKeyStore = {
    loadSenderKey: async (name: SenderKeyName) => {
      const record = this.#senderKeys.get(name.toString());
      return record ? SenderKeyRecord.deserialize(record) : new SenderKeyRecord();
    },
    storeSenderKey: async (name: SenderKeyName, record: SenderKeyRecord) => {
      this.#senderKeys.set(name.toString(), Buffer.from(JSON.stringify(record.serialize())));
    },
  };

  /** Public keys for starting a session, with a one-time key that is used once. */
  bundle(): Bundle {
    const id = this.#nextPreKey++;
    const pair = Curve.generateKeyPair();
    this.#preKeys.set(id, secret(pair));
    return {
      registrationId: this.registrationId,
      identity: this.identity.public,
      signedPreKey: {
        id: SIGNED_PRE_KEY,
        value: this.#signedPreKey.public,
        signature: signWithKey(this.identity.private, signalKey(this.#signedPreKey.public)),
      },
      preKey: { id, value: pair.public },
    };
  }

  async hasSession(address: SignalAddress): Promise<boolean> {
    const session = await this.#storage.loadSession(protocolAddress(address).toString());
    return session?.haveOpenSession() ?? false;
  }

  async startSession(address: SignalAddress, bundle: Bundle): Promise<void> {
    const session = forLibsignal(bundle) as Parameters<SessionBuilder['initOutgoing']>[0];
    await new SessionBuilder(this.#storage, protocolAddress(address)).initOutgoing(session);
  }

  forgetSession(address: SignalAddress): void {
    this.#sessions.delete(protocolAddress(address).toString());
  }

  forgetPreKeys(): void {
    this.#preKeys.clear();
  }

  async encrypt(address: SignalAddress, plain: Uint8Array): Promise<Ciphertext> {
    const cipher = new PhoneCipher(this.#storage, protocolAddress(address));
    const { type, body } = await cipher.encrypt(Buffer.from(plain));
    return {
      type: type === PRE_KEY_MESSAGE ? 'pkmsg' : 'msg',
      bytes: Buffer.from(body, 'binary'),
    };
  }

  async decrypt(address: SignalAddress, type: string, bytes: Uint8Array): Promise<Uint8Array> {
    const cipher = new PhoneCipher(this.#storage, protocolAddress(address));
    return type === 'pkmsg'
      ? cipher.decryptPreKeyWhisperMessage(Buffer.from(bytes))
      : cipher.decryptWhisperMessage(Buffer.from(bytes));
  }

  /** The ciphertext for everybody, and the sender key that each member must get once. */
  async encryptForGroup(group: string, self: SignalAddress, plain: Uint8Array) {
    const name = new SenderKeyName(group, protocolAddress(self));
    const distribution = await new GroupSessionBuilder(this.#senderKeyStore).create(name);
    const bytes = await new GroupCipher(this.#senderKeyStore, name).encrypt(plain);
    return { distribution: distribution.serialize(), bytes: Buffer.from(bytes) };
  }

  async learnSenderKey(
    group: string,
    sender: SignalAddress,
    distribution: Uint8Array,
  ): Promise<void> {
    await new GroupSessionBuilder(this.#senderKeyStore).process(
      new SenderKeyName(group, protocolAddress(sender)),
      new SenderKeyDistributionMessage(null, null, null, null, distribution),
    );
  }

  async decryptFromGroup(
    group: string,
    sender: SignalAddress,
    bytes: Uint8Array,
  ): Promise<Uint8Array> {
    const name = new SenderKeyName(group, protocolAddress(sender));
    return new GroupCipher(this.#senderKeyStore, name).decrypt(bytes);
  }

  /** After a member left, the next message uses a new sender key. */
  forgetSenderKey(group: string, self: SignalAddress): void {
    this.#senderKeys.delete(new SenderKeyName(group, protocolAddress(self)).toString());
  }
}

function secret(pair: { private: Uint8Array; public: Uint8Array }): SecretKey {
  return { privKey: Buffer.from(pair.private), pubKey: signalKey(pair.public) };
}

// Signs and verifies group messages natively: every member of a group verifies each message, and libsignal's JavaScript
// takes 10 ms for each. Invariant: the same signatures, and the same error for a wrong one.

const SIGNATURE_BYTES = 64;

Object.assign(SenderKeyMessage.prototype, {
  getSignature: signWithKey,
  verifySignature(this: SenderKeyMessage, key: Uint8Array): void {
    const bytes = this.serialize();
    const signed = bytes.subarray(0, -SIGNATURE_BYTES);
    if (!isSignatureValid(key, signed, bytes.subarray(-SIGNATURE_BYTES)))
      throw new Error('Invalid signature!');
  },
});

// Protects sessions from libsignal's cipher: libsignal tries a message on one session after the other, advances each
// ratchet before it knows whether the message fits, and stores them all. Invariant: a session that did not decrypt the
// message stays unchanged, as on a real phone.

interface LibsignalSession {
  readonly constructor: { deserialize(serialized: unknown): LibsignalSession };
  serialize(): unknown;
}

interface Tries {
  decryptWithSessions(message: Buffer, sessions: readonly LibsignalSession[]): Promise<unknown>;
}

const libsignal = SessionCipher.prototype as unknown as Tries;

class PhoneCipher extends SessionCipher implements Tries {
  async decryptWithSessions(
    message: Buffer,
    sessions: readonly LibsignalSession[],
  ): Promise<unknown> {
    let failure: unknown = new Error('No sessions available');
    for (const session of sessions) {
      const before = session.serialize();
      try {
        return await libsignal.decryptWithSessions.call(this, message, [session]);
      } catch (error) {
        failure = error;
        Object.assign(session, session.constructor.deserialize(before));
      }
    }
    throw failure;
  }
}

// Keeps libsignal from printing: it writes whole sessions, private keys included, to the console. Invariant: only
// libsignal's own lines are dropped; all other output passes.

const LIBSIGNAL =
  /^(Closing (open )?session|Opening session|Removing old closed session|Session already|Decrypted message with closed session|Failed to decrypt message with any|Session error:|Migrating session)/;

let silenced = false;

export function muteLibsignal(): void {
  if (silenced) return;
  silenced = true;
  // Test runners replace the console, so it is looked up now and not imported.
  const output = globalThis.console;
  for (const method of ['info', 'warn', 'error'] as const) {
    const print = output[method].bind(output);
    output[method] = (...args: unknown[]) => {
      if (typeof args[0] === 'string' && LIBSIGNAL.test(args[0])) return;
      print(...args);
    };
  }
}
