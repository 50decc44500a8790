// Pre-keys made in advance, because Baileys sends a retry receipt with one before it stores it.
// Invariant: once linked, the next keys to be handed out are stored already.
import { type AuthenticationCreds, Curve, type KeyPair } from '@whiskeysockets/baileys';

const SPARE = 8;

/** Counts them in the credentials and gives what is to be stored; null when there are enough. */
export function makeSparePreKeys(credentials: AuthenticationCreds): Record<string, KeyPair> | null {
  const { firstUnuploadedPreKeyId, me, nextPreKeyId } = credentials;
  const wanted = SPARE - (nextPreKeyId - firstUnuploadedPreKeyId);
  // Before the first upload Baileys makes all of them itself.
  if (!me || firstUnuploadedPreKeyId === 1 || wanted <= 0) return null;
  const keys: Record<string, KeyPair> = {};
  for (let id = nextPreKeyId; id < nextPreKeyId + wanted; id++) {
    keys[id] = Curve.generateKeyPair();
  }
  credentials.nextPreKeyId = nextPreKeyId + wanted;
  return keys;
}
