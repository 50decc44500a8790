// The owner is told on WhatsApp too, if they wish: one message into their own chat, through the gate like
// everything. Refused or nowhere to go, it stays untold: what it tells of never depends on it.
import { phoneAlias } from '@relay/core/contacts/alias';
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
