// The chat of the linked number with itself: where the owner is told what needs them.
import { phoneAlias } from '@relay/core/contacts/alias';
import type { AccountId, ChatId } from '@relay/core/ids';
import { findOrMakeChats } from '../store/chats.ts';
import { meet } from '../store/contacts.ts';
import type { Transaction } from '../store/database.ts';

/** Null while no phone is linked. */
export async function ownersChat(tx: Transaction, account: AccountId): Promise<ChatId | null> {
  const { phone } = await tx
    .selectFrom('accounts')
    .select('phone')
    .where('id', '=', account)
    .executeTakeFirstOrThrow();
  const alias = phone === null ? null : phoneAlias(`+${phone}`);
  if (alias === null) return null;
  const contacts = await meet(tx, account, [[alias]]);
  const { ofContact } = await findOrMakeChats(tx, account, { contacts, groups: [] });
  return [...ofContact.values()][0] ?? null;
}
