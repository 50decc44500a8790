// Messages that may have left or not. A receipt settles one; without any, once the account is connected,
// caught up and a while has passed, it is offered again under its own id, which its recipient shows once.
// One that is too old for that waits for its owner, who is told.
import type { AccountId, OutboxId } from '@relay/core/ids';
import type { Delivery } from '@relay/core/settings';
import type { Transaction } from '../store/database.ts';
import { appendEvent } from '../store/events.ts';
import type { Aftermath } from './settle.ts';
import { settle } from './settle.ts';

/** Attempts that nobody waits for any more: whoever made them is gone. */
export async function markDoubtful(
  tx: Transaction,
  account: AccountId,
  inFlight: readonly OutboxId[],
  now: Date,
  aftermath: Aftermath,
): Promise<void> {
  const rows = await tx
    .selectFrom('outbox')
    .select('id')
    .where('account_id', '=', account)
    .where('state', '=', 'pending')
    .where('in_doubt', '=', true)
    .$if(inFlight.length > 0, (query) => query.where('id', 'not in', inFlight))
    .execute();
  const is = () => ({ event: { type: 'lost' }, at: now, notBefore: null }) as const;
  await settle(
    tx,
    account,
    rows.map(({ id }) => ({ of: { id }, is })),
    aftermath,
  );
}

/**
 * The account is connected and has caught up: each doubtful message gets its time for a receipt, and one
 * that has had it and is too old to be offered again is the owner's. `anew`: a connection was made, so
 * those that had their time before get it again. Returns how many are still to be settled.
 */
export async function tendDoubtful(
  tx: Transaction,
  account: AccountId,
  delivery: Delivery,
  now: Date,
  anew: boolean,
  aftermath: Aftermath,
): Promise<number> {
  const horizon = new Date(now.getTime() - delivery.reoffer_within_ms);
  const doubtful = tx
    .updateTable('outbox')
    .where('account_id', '=', account)
    .where('state', '=', 'unknown')
    .where('told_at', 'is', null);
  await doubtful
    .set({ not_before: new Date(now.getTime() + delivery.grace_ms) })
    .$if(!anew, (query) => query.where('not_before', 'is', null))
    .execute();
  const old = await doubtful
    .set({ told_at: now })
    .where('unknown_since', '<=', horizon)
    .where('not_before', '<=', now)
    .returning(['id', 'message_id', 'chat_id', 'instance_id'])
    .execute();
  for (const row of old) {
    await appendEvent(tx, account, {
      kind: 'outbox.undecided',
      subject: row.id,
      data: { message: row.message_id, chat: row.chat_id, instance: row.instance_id },
    });
  }
  const instances = new Set(old.flatMap(({ instance_id }) => instance_id ?? []));
  if (instances.size > 0) await aftermath.settled(tx, [...instances]);
  const { left } = await tx
    .selectFrom('outbox')
    .select(({ fn }) => fn.countAll<number>().as('left'))
    .where('account_id', '=', account)
    .where('state', '=', 'unknown')
    .where('told_at', 'is', null)
    .executeTakeFirstOrThrow();
  return left;
}
