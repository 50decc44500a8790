// Digests, put together for the daemon: the worker that makes them, and the look for groups that nobody has a
// timer for, because their job failed for good or they came out of a backup.
import type { ChatId } from '@relay/core/ids';
import { sql } from 'kysely';
import { inOneTransaction, type Work } from '../../../jobs/work.ts';
import { fence } from '../../../store/lease.ts';
import { observedGroup } from '../../../store/observer/groups.ts';
import { onDigest } from './wake.ts';
import { expectDigest, lookBy } from './watch.ts';
import type { DigestWorld } from './world.ts';

const GROUPS_AT_ONCE = 2;

export interface Digests {
  /** For whoever begins to observe a group, in their transaction. */
  begin(work: Pick<Work, 'tx'>, chat: ChatId): Promise<void>;
  start(): Promise<void>;
  lookAgain(): Promise<void>;
}

export function openDigests(world: DigestWorld): Digests {
  const lookAgain = () =>
    inOneTransaction(world, async (work) => {
      await fence(work.tx, world.lease);
      for (const chat of await unwatched(world, work))
        await lookBy(work, world.lease.account, chat, world.now());
    });
  return {
    async begin(work, chat) {
      const group = await observedGroup(work.tx, world.lease.account, chat);
      if (group !== null) await expectDigest(world, work, group, world.now());
    },
    async start() {
      await lookAgain();
      world.jobs.work('digest', GROUPS_AT_ONCE, onDigest(world));
    },
    lookAgain,
  };
}

/** Observed, with neither a timer nor a job. */
async function unwatched(world: DigestWorld, { tx }: Work): Promise<readonly ChatId[]> {
  const { account } = world.lease;
  const { rows } = await sql<{ chat: ChatId }>`
    SELECT o.chat_id AS chat FROM observed_groups o WHERE o.account_id = ${account} AND NOT EXISTS (
      SELECT FROM timers t WHERE t.account_id = o.account_id AND t.kind = 'digest'
        AND t.subject_id = o.chat_id)`.execute(tx);
  const keys = rows.map(({ chat }) => `${account}:${chat}`);
  const lacking = new Set(await world.jobs.lacking(tx, 'digest', keys));
  return rows.map(({ chat }) => chat).filter((chat) => lacking.has(`${account}:${chat}`));
}
