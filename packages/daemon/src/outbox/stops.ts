// Messages that were stopped before they left, as rows of the ledger.
import type { AccountId } from '@relay/core/ids';
import { type StopReason, stopRow } from '@relay/core/ledger/stops';
import type { Transaction } from '../store/database.ts';
import { appendLedger } from '../store/ledger.ts';
import type { OutboxRow } from './settle.ts';

export type StoppedMessage = Pick<OutboxRow, 'id' | 'permit_id' | 'chat_id'>;

/** The ledger stays locked from here to the commit. */
export async function recordStops(
  tx: Transaction,
  account: AccountId,
  stopped: readonly { readonly row: StoppedMessage; readonly reason: StopReason }[],
): Promise<void> {
  for (const { row, reason } of stopped) {
    const { id, permit_id: permit, chat_id: chat } = row;
    await appendLedger(tx, account, stopRow(id, reason, { permit, chat }));
  }
}
