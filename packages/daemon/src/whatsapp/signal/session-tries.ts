// A message is tried on a contact's sessions one after the other, and libsignal turns the ratchet of each
// before it knows whether the message is for it, then stores them all.
// Invariant: a session that did not open the message stays as it was, so that its own messages still open.
import { SessionCipher } from 'libsignal';

interface Session {
  readonly constructor: { deserialize(serialized: unknown): Session };
  serialize(): unknown;
}

interface Cipher {
  decryptWithSessions(message: Buffer, sessions: readonly Session[]): Promise<unknown>;
}

const cipher = SessionCipher.prototype as unknown as Cipher;
const { decryptWithSessions } = cipher;

async function tryEach(this: Cipher, message: Buffer, sessions: readonly Session[]) {
  // A lone session is stored only if it opens the message.
  if (sessions.length < 2) return decryptWithSessions.call(this, message, sessions);
  let failure: unknown;
  for (const session of sessions) {
    const before = session.serialize();
    try {
      return await decryptWithSessions.call(this, message, [session]);
    } catch (error) {
      failure = error;
      Object.assign(session, session.constructor.deserialize(before));
    }
  }
  throw failure;
}

/** libsignal looks the method up at every call, so that replacing it reaches the ciphers of Baileys. */
export function keepSessionsWhole(): void {
  cipher.decryptWithSessions = tryEach;
}
