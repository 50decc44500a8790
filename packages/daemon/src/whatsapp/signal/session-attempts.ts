// A contact may have several sessions, and a message is tried on one after the other. libsignal turns a
// session's ratchet before it knows whether the message fits, and stores the ones it was wrong about too:
// the next message on such a session is unreadable for its recipient.
// Invariant: a session on which a message did not open is as it was before.
import { SessionCipher } from 'libsignal';

/** libsignal's session, as far as it matters here. */
interface Session {
  serialize(): object;
  readonly constructor: { deserialize(data: object): object };
}

type Attempt = (this: SessionCipher, message: Uint8Array, session: Session) => Promise<Buffer>;

interface Internals {
  doDecryptWhisperMessage: Attempt;
}

let guarded = false;

export function guardSessions(): void {
  if (guarded) return;
  guarded = true;
  const internals = SessionCipher.prototype as unknown as Internals;
  const attempt = internals.doDecryptWhisperMessage;
  internals.doDecryptWhisperMessage = async function (message, session) {
    const before = session.serialize();
    try {
      return await attempt.call(this, message, session);
    } catch (error) {
      Object.assign(session, session.constructor.deserialize(before));
      throw error;
    }
  };
}
