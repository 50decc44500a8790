// The name of a ciphertext in the journal of what was opened.
// Invariant: it contains the sender, or one contact could have another's message answered as their own.
import { createHash } from 'node:crypto';

export interface Sealed {
  readonly how: 'direct' | 'group';
  readonly sender: string;
  /** Empty for a direct message. */
  readonly group: string;
  readonly ciphertext: Uint8Array;
}

export function digest({ how, sender, group, ciphertext }: Sealed): Uint8Array {
  return createHash('sha256').update(`${how}\0${sender}\0${group}\0`).update(ciphertext).digest();
}
