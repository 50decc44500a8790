// Sessions as phones keep them. libsignal for Node turns a session's ratchet before it knows whether the
// message fits, and keeps it turned; a phone tries a message on a copy.
// Invariant: a session on which a message did not open is as it was before.
import { SessionCipher } from 'libsignal';

interface Session {
  serialize(): object;
  readonly constructor: { deserialize(data: object): object };
}

interface Attempts {
  doDecryptWhisperMessage(message: Uint8Array, session: Session): Promise<Buffer>;
}

export class PhoneCipher extends SessionCipher {
  async doDecryptWhisperMessage(message: Uint8Array, session: Session): Promise<Buffer> {
    const before = session.serialize();
    const attempts = SessionCipher.prototype as unknown as Attempts;
    try {
      return await attempts.doDecryptWhisperMessage.call(this, message, session);
    } catch (error) {
      Object.assign(session, session.constructor.deserialize(before));
      throw error;
    }
  }
}
