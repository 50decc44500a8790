// Creates the digests feature: the worker, and the search for observed groups without a timer, because their job failed
// for good or they come from a restored backup.

import type { ChatId } from '@relay/contract/ids';
import { sql } from 'kysely';
import { readObservedGroup } from '../../platform/db/observer/groups.ts';
import { transaction, type UnitOfWork } from '../../platform/db/transaction.ts';
import { onDigestJob } from './digest/digest-job.ts';
import { type DigestDeps, expectDigest, setDigestTimer } from './digest/due.ts';

const GROUPS_AT_ONCE = 2;

interface DigestsFeature {
  /** Called in the transaction that starts observing a group. */
  onGroupObserved(work: Pick<UnitOfWork, 'tx'>, chat: ChatId): Promise<void>;
  start(): Promise<void>;
  enqueueForgotten(): Promise<void>;
}

export function openDigests(deps: DigestDeps): DigestsFeature {
  const enqueueForgotten = () =>
    transaction(deps, async (work) => {
      for (const chat of await findGroupsWithoutTimer(deps, work))
        await setDigestTimer(work, deps.lease.account, chat, deps.now());
    });
  return {
    async onGroupObserved(work, chat) {
      const group = await readObservedGroup(work.tx, deps.lease.account, chat);
      if (group !== null) await expectDigest(deps, work, group, deps.now());
    },
    async start() {
      await enqueueForgotten();
      deps.jobs.work('digest', GROUPS_AT_ONCE, onDigestJob(deps), deps.lease.account);
    },
    enqueueForgotten,
  };
}

/** Observed groups with neither a timer nor a job. */
async function findGroupsWithoutTimer(
  deps: DigestDeps,
  { tx }: UnitOfWork,
): Promise<readonly ChatId[]> {
  const { account } = deps.lease;
  const { rows } = await sql<{ chat: ChatId }>`
    SELECT o.chat_id AS chat FROM observed_groups o WHERE o.account_id = ${account} AND NOT EXISTS (
      SELECT FROM timers t WHERE t.account_id = o.account_id AND t.kind = 'digest'
        AND t.subject_id = o.chat_id)`.execute(tx);
  const keys = rows.map(({ chat }) => `${account}:${chat}`);
  const lacking = new Set(await deps.jobs.keysWithoutJob(tx, 'digest', keys));
  return rows.map(({ chat }) => chat).filter((chat) => lacking.has(`${account}:${chat}`));
}
