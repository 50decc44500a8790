// What a restored archive may send. Its messages and agents stand as they did when it was made: they may have left since,
// or be long out of date. So nothing leaves before the owner has looked, and old messages do not leave at all.
import { sql } from 'kysely';
import type { Aftermath } from '../outbox/settle.ts';
import { recordStops } from '../outbox/stops.ts';
import { withdrawQueued } from '../outbox/withdraw.ts';
import type { Transaction } from '../store/database.ts';
import { beginHold, type HoldWorld } from './hold.ts';

interface RestoredWorld extends Pick<HoldWorld, 'lease' | 'gate'> {
  readonly now: () => Date;
  readonly settled: Aftermath['settled'];
}

/** Queued for longer than this when the archive is restored, a message is withdrawn. */
const OLDEST_QUEUED_MS = 24 * 3_600_000;

const WITHDRAWN =
  'It had been queued for more than a day when the archive was restored, so it was not sent. Send it again if it is still wanted.';

/** Part of the restore's own transaction. `madeAt`: of the archive. */
export const onRestored =
  (world: RestoredWorld) =>
  async (tx: Transaction, madeAt: Date): Promise<void> => {
    const { account } = world.lease;
    const now = world.now();
    const before = new Date(now.getTime() - OLDEST_QUEUED_MS);
    const withdrawn = await withdrawQueued(tx, account, {
      which: sql`o.created_at < ${before}`,
      at: now,
      sentence: WITHDRAWN,
      settled: world.settled,
    });
    await beginHold(world, tx, `Restored from an archive made at ${madeAt.toISOString()}.`);
    // Last, because the ledger stays locked from here to the commit.
    const stopped = withdrawn.map((row) => ({ row, reason: 'restored' }) as const);
    await recordStops(tx, account, stopped);
  };
