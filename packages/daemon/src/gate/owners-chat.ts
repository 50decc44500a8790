// The chat of the linked number with itself: where the owner is told what needs them.
import { lidAlias, phoneAlias } from '@relay/core/contacts/alias';
import type { AccountId, ChatId } from '@relay/core/ids';
import { findOrMakeChats } from '../store/chats.ts';
import { meet } from '../store/contacts.ts';
import type { Transaction } from '../store/database.ts';

/** Null while no phone is linked. */
export async function ownersChat(tx: Transaction, account: AccountId): Promise<ChatId | null> {
  const { phone, lid } = await tx
    .selectFrom('accounts')
    .select(['phone', 'lid'])
    .where('id', '=', account)
    .executeTakeFirstOrThrow();
  const number = phone === null ? null : phoneAlias(`+${phone}`);
  if (number === null) return null;
  // Both names at once, so that what is written under the one and under the other is one chat.
  const other = lid === null ? null : lidAlias(lid);
  const contacts = await meet(tx, account, [other === null ? [number] : [number, other]]);
  const { ofContact } = await findOrMakeChats(tx, account, { contacts, groups: [] });
  return [...ofContact.values()][0] ?? null;
}
