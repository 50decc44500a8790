// The names under which the transport's values are encrypted: a value can be decrypted only at the place it was written
// for. A value that cannot be decrypted is a fault of its own kind, never a missing record.
import type { AccountId } from '@relay/contract/ids';
import type { Sealer } from '@relay/core/ports/sealer';
import { TransportStoreFault } from '@relay/core/ports/transport';

/** Ids may contain slashes; with escaping, two different places never share a name. */
const escapeNamePart = (id: string): string => id.replaceAll('%', '%25').replaceAll('/', '%2F');

export const sealedCredentialsName = (account: AccountId): string => `credentials/${account}`;

export const sealedKeyName = (account: AccountId, kind: number, id: string): string =>
  `key/${account}/${kind}/${escapeNamePart(id)}`;

export const sealedJournalName = (account: AccountId, digest: Uint8Array): string =>
  `journal/${account}/${Buffer.from(digest).toString('hex')}`;

const sealedInboxName = (account: AccountId, { chat, sender, message_id }: InboxKey): string =>
  `inbox/${account}/${escapeNamePart(chat)}/${escapeNamePart(sender)}/${escapeNamePart(message_id)}`;

/** As the columns of `inbox` hold them. */
interface InboxKey {
  readonly chat: string;
  readonly sender: string;
  readonly message_id: string;
}

export function openSealedRecord(sealer: Sealer, name: string, sealed: Uint8Array): Uint8Array {
  try {
    return sealer.open(name, sealed);
  } catch (cause) {
    const place = name.split('/', 1)[0];
    throw new TransportStoreFault('unreadable', `a stored record does not open (${place})`, {
      cause,
    });
  }
}

export function sealInboxContent(
  sealer: Sealer,
  account: AccountId,
  key: InboxKey,
  content: Uint8Array,
): Uint8Array {
  return sealer.seal(sealedInboxName(account, key), content);
}

/** For code that reads rows of `inbox`. Throws a fault of the kind `unreadable`. */
export function openInboxContent(
  sealer: Sealer,
  account: AccountId,
  row: InboxKey & { readonly content: Uint8Array },
): Uint8Array {
  return openSealedRecord(sealer, sealedInboxName(account, row), row.content);
}
