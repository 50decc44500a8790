// libsignal's cipher, as careful as a real phone's: libsignal tries a message on one session after the
// other, turns the ratchet of each before it knows whether the message is for it, and stores them all.
// Invariant: a session that did not open the message stays as it was.
import { SessionCipher } from 'libsignal';

interface Session {
  readonly constructor: { deserialize(serialized: unknown): Session };
  serialize(): unknown;
}

interface Tries {
  decryptWithSessions(message: Buffer, sessions: readonly Session[]): Promise<unknown>;
}

const libsignal = SessionCipher.prototype as unknown as Tries;

export class PhoneCipher extends SessionCipher implements Tries {
  async decryptWithSessions(message: Buffer, sessions: readonly Session[]): Promise<unknown> {
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
