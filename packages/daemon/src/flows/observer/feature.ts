// The observer, put together for the daemon: what the router hands it, and its worker.

import type { ChatId } from '@relay/core/ids';
import type { LedgerRow } from '@relay/core/ledger/rows';
import { sql } from 'kysely';
import { inOneTransaction, type UnitOfWork } from '../../jobs/unit-of-work.ts';
import type { JobHandler } from '../../jobs/worker.ts';
import { fence } from '../../store/lease.ts';
import { readObservedGroup } from '../../store/observer/groups.ts';
import { onDigestJob } from './digest/digest-job.ts';
import { type DigestDeps, expectDigest, setDigestTimer } from './digest/due.ts';
import { type GroupMessagePosition, type ObserverDeps, onGroupMessage } from './on-message.ts';
import { onTriggerJob } from './trigger.ts';

interface ObserverFeature {
  hear(work: UnitOfWork, message: GroupMessagePosition): Promise<readonly LedgerRow[]>;
  readonly onTrigger: JobHandler<'trigger'>;
}

export const openObserver = (world: ObserverDeps): ObserverFeature => ({
  hear: (work, message) => onGroupMessage(world, work, message),
  onTrigger: onTriggerJob(world),
});

// Digests, put together for the daemon: the worker that makes them, and the look for groups that nobody has a
// timer for, because their job failed for good or they came out of a backup.

const GROUPS_AT_ONCE = 2;

interface DigestsFeature {
  /** For whoever begins to observe a group, in their transaction. */
  begin(work: Pick<UnitOfWork, 'tx'>, chat: ChatId): Promise<void>;
  start(): Promise<void>;
  lookAgain(): Promise<void>;
}

export function openDigests(world: DigestDeps): DigestsFeature {
  const lookAgain = () =>
    inOneTransaction(world, async (work) => {
      await fence(work.tx, world.lease);
      for (const chat of await findGroupsWithoutTimer(world, work))
        await setDigestTimer(work, world.lease.account, chat, world.now());
    });
  return {
    async begin(work, chat) {
      const group = await readObservedGroup(work.tx, world.lease.account, chat);
      if (group !== null) await expectDigest(world, work, group, world.now());
    },
    async start() {
      await lookAgain();
      world.jobs.work('digest', GROUPS_AT_ONCE, onDigestJob(world));
    },
    lookAgain,
  };
}

/** Observed, with neither a timer nor a job. */
async function findGroupsWithoutTimer(
  world: DigestDeps,
  { tx }: UnitOfWork,
): Promise<readonly ChatId[]> {
  const { account } = world.lease;
  const { rows } = await sql<{ chat: ChatId }>`
    SELECT o.chat_id AS chat FROM observed_groups o WHERE o.account_id = ${account} AND NOT EXISTS (
      SELECT FROM timers t WHERE t.account_id = o.account_id AND t.kind = 'digest'
        AND t.subject_id = o.chat_id)`.execute(tx);
  const keys = rows.map(({ chat }) => `${account}:${chat}`);
  const lacking = new Set(await world.jobs.lacking(tx, 'digest', keys));
  return rows.map(({ chat }) => chat).filter((chat) => lacking.has(`${account}:${chat}`));
}
