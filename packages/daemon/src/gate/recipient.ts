// Whom an address means: a number as people write it, or an address of a person or a group as WhatsApp
// does. Contact and chat are found or made in the caller's transaction; two at once make one.
import { aliasOfJid, phoneAlias } from '@relay/core/contacts/alias';
import { RelayError } from '@relay/core/errors';
import type { AccountId, ChatId } from '@relay/core/ids';
import { findOrMakeChats } from '../store/chats.ts';
import { meet } from '../store/contacts.ts';
import type { Transaction } from '../store/database.ts';

const GROUP = /^\d+(-\d+)?@g\.us$/;

export async function findOrMakeChat(
  tx: Transaction,
  account: AccountId,
  to: string,
): Promise<ChatId> {
  const address = to.trim();
  const group = GROUP.test(address);
  const contacts = group ? [] : await meet(tx, account, [[personAt(address)]]);
  const made = await findOrMakeChats(tx, account, { contacts, groups: group ? [address] : [] });
  const [chat] = [...made.ofGroup.values(), ...made.ofContact.values()];
  if (chat === undefined) throw new Error('an address without a chat');
  return chat;
}

function personAt(address: string) {
  const alias = aliasOfJid(address) ?? phoneAlias(address);
  if (alias === null) throw new RelayError('invalid_phone');
  return alias;
}
