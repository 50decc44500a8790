// The keys of the account's settings, which its phone sends once. Baileys stores them only after it has
// said that it got them; here they are stored with the message that brought them.
import { proto, unpadRandomMax16 } from '@whiskeysockets/baileys';
import type { Credentials } from './credentials.ts';
import type { Rest } from './operation.ts';

/** Empty unless the account's own phone shared keys with this message. */
export function sharedKeys(
  padded: Uint8Array,
  credentials: Credentials,
): Pick<Rest, 'set' | 'credentials'> {
  const { protocolMessage } = proto.Message.decode(unpadRandomMax16(padded));
  const shared = (protocolMessage?.appStateSyncKeyShare?.keys ?? []).flatMap(
    ({ keyId, keyData }) =>
      keyId?.keyId && keyData
        ? [[Buffer.from(keyId.keyId).toString('base64'), keyData] as const]
        : [],
  );
  const newest = shared.at(-1);
  if (!newest) return {};
  credentials.merge({ myAppStateKeyId: newest[0] });
  return {
    set: { 'app-state-sync-key': Object.fromEntries(shared) },
    credentials: credentials.encode(),
  };
}
