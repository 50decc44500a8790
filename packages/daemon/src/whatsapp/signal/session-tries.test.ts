import { setTimeout as sleep } from 'node:timers/promises';
import { Curve, signedKeyPair } from '@whiskeysockets/baileys';
import {
  ProtocolAddress,
  SessionBuilder,
  SessionCipher,
  SessionRecord,
  type SignalStorage,
} from 'libsignal';
import { expect, test } from 'vitest';
import { restoreFailedSessions, silenceLibsignal } from './libsignal-patches.ts';

const PRE_KEY_MESSAGE = 3;
const typed = (key: Uint8Array) => Buffer.concat([Buffer.from([5]), key]);
const pairOf = (pair: { private: Uint8Array; public: Uint8Array }) => ({
  privKey: Buffer.from(pair.private),
  pubKey: typed(pair.public),
});

class Person {
  readonly #identity = Curve.generateKeyPair();
  readonly #signed = signedKeyPair(this.#identity, 1);
  readonly #sessions = new Map<string, Uint8Array>();
  readonly #storage: SignalStorage = {
    loadSession: async (id) => {
      const session = this.#sessions.get(id);
      return session && SessionRecord.deserialize(session);
    },
    storeSession: async (id, session) => void this.#sessions.set(id, session.serialize()),
    isTrustedIdentity: () => true,
    loadPreKey: async () => undefined,
    removePreKey: () => undefined,
    loadSignedPreKey: () => pairOf(this.#signed.keyPair),
    getOurRegistrationId: () => 1,
    getOurIdentity: () => pairOf(this.#identity),
  };
  readonly #cipher = new SessionCipher(this.#storage, new ProtocolAddress('the other', 0));

  async begin(other: Person): Promise<void> {
    const bundle = {
      registrationId: 1,
      identityKey: typed(other.#identity.public),
      signedPreKey: {
        keyId: 1,
        publicKey: typed(other.#signed.keyPair.public),
        signature: Buffer.from(other.#signed.signature),
      },
    } as unknown as Parameters<SessionBuilder['initOutgoing']>[0];
    await new SessionBuilder(this.#storage, new ProtocolAddress('the other', 0)).initOutgoing(
      bundle,
    );
  }

  async write(text: string): Promise<{ type: number; bytes: Buffer }> {
    const { type, body } = await this.#cipher.encrypt(Buffer.from(text));
    return { type, bytes: Buffer.from(body, 'binary') };
  }

  async read({ type, bytes }: { type: number; bytes: Buffer }): Promise<string> {
    const plain =
      type === PRE_KEY_MESSAGE
        ? await this.#cipher.decryptPreKeyWhisperMessage(bytes)
        : await this.#cipher.decryptWhisperMessage(bytes);
    return plain.toString();
  }
}

test('keeps a new session readable when a message on the old session crosses with it', async () => {
  silenceLibsignal();
  restoreFailedSessions();
  const [ann, ben] = [new Person(), new Person()];
  await ann.begin(ben);
  expect(await ben.read(await ann.write('hello'))).toBe('hello');
  expect(await ann.read(await ben.write('hello back'))).toBe('hello back');
  // libsignal first tries the session that was used last, to the millisecond.
  await sleep(5);
  await ann.begin(ben);
  const crossed = await ben.write('on the old session');
  expect(await ann.read(crossed)).toBe('on the old session');

  expect(await ben.read(await ann.write('on the new one'))).toBe('on the new one');
  expect(await ann.read(await ben.write('heard'))).toBe('heard');
});
