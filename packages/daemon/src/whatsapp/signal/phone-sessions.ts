// Sessions that a contact began under their number, once WhatsApp names the contact by their LID. Baileys looks for a
// session under the LID alone. It moves sessions only of contacts whose devices it has asked for, and a moved session
// replaces the one that the LID has; in both cases messages can no longer be decrypted.
// Invariant: no session is dropped. Runs inside an operation.
import { isLidUser, isPnUser, type SignalKeyStore, transferDevice } from '@whiskeysockets/baileys';
import { SessionRecord } from 'libsignal';
import { addressesOf } from './addresses.ts';
import { lookUpIn } from './opening.ts';

interface Sessions {
  sessions: Record<string, { readonly indexInfo: { closed: number } }>;
  haveOpenSession(): boolean;
  serialize(): Uint8Array;
}

/** `addressOf` is the repository's `jidToSignalProtocolAddress`. */
export function phoneSessions(keys: SignalKeyStore, addressOf: (jid: string) => string) {
  /** Puts the sessions of a device under its number beside those under its LID. False if there are none. */
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
    const known = await addressesOf(lid, lookUpIn(keys));
    const phone = known.find((jid) => isPnUser(jid));
    return phone !== undefined && move(phone, lid);
  }

  return { move, adopt };
}

function joined(begun: Uint8Array, known: Uint8Array | undefined): Uint8Array {
  if (!known) return begun;
  const older = SessionRecord.deserialize(begun) as unknown as Sessions;
  const record = SessionRecord.deserialize(known) as unknown as Sessions;
  // Only one is used for sending; closed ones still decrypt.
  if (record.haveOpenSession()) {
    for (const { indexInfo } of Object.values(older.sessions)) {
      if (indexInfo.closed === -1) indexInfo.closed = Date.now();
    }
  }
  record.sessions = { ...older.sessions, ...record.sessions };
  return record.serialize();
}
