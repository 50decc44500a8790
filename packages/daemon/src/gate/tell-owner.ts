// The owner is told on WhatsApp too, if they wish: one message into their own chat, through the gate like
// everything. Refused or nowhere to go, it stays untold: what it tells of never depends on it.
import type { AccountId } from '@relay/core/ids';
import type { Transaction } from '../store/database.ts';
import { ownersChat } from './owners-chat.ts';
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
