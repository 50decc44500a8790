// What WhatsApp has told this account to leave be for a while, as rows: it outlives a restart.
import type { AccountId } from '@relay/core/ids';
import type { Freeze, RefusalCause } from '@relay/core/outbox/freeze';
import { freezeAfter } from '@relay/core/outbox/freeze';
import type { Pacing } from '@relay/core/settings';
import type { Reader, Transaction } from '../store/database.ts';
import { appendEvent } from '../store/events.ts';

export const readFreezes = (db: Reader, account: AccountId): Promise<Freeze[]> =>
  db
    .selectFrom('freezes')
    .select(['cause', 'until', 'strikes'])
    .where('account_id', '=', account)
    .execute();

export async function freezeFor(
  tx: Transaction,
  account: AccountId,
  cause: RefusalCause,
  pacing: Pacing,
  now: Date,
): Promise<void> {
  const before = (await readFreezes(tx, account)).find((freeze) => freeze.cause === cause);
  await writeFreeze(tx, account, freezeAfter(cause, before ?? null, pacing, now), now);
}

/** The network's latest word counts, also when it is shorter than the one before. */
export const lockUntil = (
  tx: Transaction,
  account: AccountId,
  until: Date,
  now: Date,
): Promise<void> => writeFreeze(tx, account, { cause: 'time_lock', until, strikes: 1 }, now);

async function writeFreeze(
  tx: Transaction,
  account: AccountId,
  { cause, until, strikes }: Freeze,
  now: Date,
): Promise<void> {
  await tx
    .insertInto('freezes')
    .values({ account_id: account, cause, until, strikes, since: now })
    .onConflict((on) =>
      on.columns(['account_id', 'cause']).doUpdateSet({ until, strikes, since: now }),
    )
    .execute();
  await appendEvent(tx, account, {
    kind: 'sending.frozen',
    subject: null,
    data: { cause, until: until.toISOString() },
  });
}
