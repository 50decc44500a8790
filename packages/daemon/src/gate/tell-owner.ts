// The owner is told on WhatsApp too, if they wish: one message into their own chat, through the gate like
// everything. Refused or nowhere to go, it stays untold: what it tells of never depends on it.
import { lidAlias, phoneAlias } from '@relay/core/contacts/alias';
import type { AccountId, ChatId } from '@relay/core/ids';
import { findOrMakeChats } from '../store/chats.ts';
import { meet } from '../store/contacts.ts';
import type { Transaction } from '../store/database.ts';
import type { Gate } from './submit.ts';

/** True when it is on its way; the outbox is to be hinted at once the transaction has committed. */
export async function tellOwner(
  tx: Transaction,
  { gate, account }: { readonly gate: Gate; readonly account: AccountId },
  text: string,
): Promise<boolean> {
  const chat = await ownersChat(tx, account);
  if (chat === null) return false;
  const proposal = { kind: 'send_message', chat, text } as const;
  const { message } = await gate.submit(tx, { kind: 'notifier' }, proposal);
  return message !== null;
}

/** The chat of the linked number with itself; null while no phone is linked. */
export async function ownersChat(tx: Transaction, account: AccountId): Promise<ChatId | null> {
  const { phone, lid } = await tx
    .selectFrom('accounts')
    .select(['phone', 'lid'])
    .where('id', '=', account)
    .executeTakeFirstOrThrow();
  // Both names at once, so that what is written under the one and under the other is one chat.
  const names = [phone && phoneAlias(`+${phone}`), lid && lidAlias(lid)].filter((name) => !!name);
  if (phone === null || names.length === 0) return null;
  const contacts = await meet(tx, account, [names]);
  const { ofContact } = await findOrMakeChats(tx, account, { contacts, groups: [] });
  return [...ofContact.values()][0] ?? null;
}
