// A wake-up of one conversation, before it is a turn: whether it still means anything, a heartbeat that is due, a
// message that was sent, and one that will never arrive. Each is one transaction, with the job's end in it.
import { isTerminal } from '@relay/core/conversation/states';
import { legalEvents } from '@relay/core/conversation/table';
import { hasUnsent } from '../../gate/unsent.ts';
import type { Work } from '../../jobs/work.ts';
import { inOneTransaction } from '../../jobs/work.ts';
import type { Job } from '../../jobs/worker.ts';
import { apply } from './apply.ts';
import type { InstanceRow } from './rows.ts';
import { lockInstance, lockUnderHold } from './rows.ts';
import type { ConversationWorld } from './work.ts';

export type Wake = Job<'conversation'>;

/** Locks the conversation if the wake-up still means it; a stale one is settled and discarded. */
export async function lockIfCurrent(
  world: ConversationWorld,
  work: Work,
  job: Wake,
): Promise<(InstanceRow & { readonly held: boolean }) | null> {
  const row = await lockUnderHold(work.tx, world.lease, job.data.subject);
  if (row.epoch === job.data.epoch) return row;
  await job.complete(work.tx);
  work.told.push(() =>
    world.log.warn('stale wake-up discarded', {
      instance: row.id,
      state: row.state,
      event: job.data.wake,
    }),
  );
  return null;
}

export function fireHeartbeat(world: ConversationWorld, job: Wake): Promise<void> {
  return inOneTransaction(world, async (work) => {
    const row = await lockIfCurrent(world, work, job);
    if (row === null) return;
    await apply(world, work, row, [{ type: 'heartbeat_fires' }]);
    await job.complete(work.tx);
  });
}

/** WhatsApp took a message, or it was stopped: once none is unsent, the follow-up clock starts. */
export function acknowledge(world: ConversationWorld, job: Wake): Promise<void> {
  return inOneTransaction(world, async (work) => {
    const row = await lockInstance(work.tx, world.lease, job.data.subject);
    const { account } = world.lease;
    if (row.unsent && !isTerminal(row.state) && !(await hasUnsent(work.tx, account, row.id))) {
      const at = (await lastSentAt(work, row)) ?? world.now();
      await apply(world, work, row, [{ type: 'messages_acknowledged', at }]);
    }
    await job.complete(work.tx);
  });
}

async function lastSentAt({ tx }: Work, row: InstanceRow): Promise<Date | null> {
  const { at } = await tx
    .selectFrom('outbox as o')
    .innerJoin('instance_messages as m', (join) =>
      join.onRef('m.account_id', '=', 'o.account_id').onRef('m.outbox_id', '=', 'o.id'),
    )
    .select(({ fn }) => fn.max('o.sent_at').as('at'))
    .where('m.account_id', '=', row.account_id)
    .where('m.instance_id', '=', row.id)
    .executeTakeFirstOrThrow();
  return at;
}

/**
 * A message that will never arrive ends the conversation it belongs to. One that is over, or that its owner
 * has paused, stays as it is; its transcript has said so since the outbox gave up.
 */
export function failUndelivered(world: ConversationWorld, job: Wake): Promise<void> {
  return inOneTransaction(world, async (work) => {
    const row = await lockInstance(work.tx, world.lease, job.data.subject);
    const undelivered = await work.tx
      .selectFrom('outbox')
      .select('failure')
      .where('account_id', '=', world.lease.account)
      .where('id', '=', job.data.message ?? null)
      .where('state', '=', 'failed')
      .executeTakeFirst();
    if (undelivered !== undefined && legalEvents(row.state).includes('unrecoverable_error')) {
      const reason = undelivered.failure ?? 'A message could not be delivered.';
      await apply(world, work, row, [{ type: 'unrecoverable_error', reason }]);
    }
    await job.complete(work.tx);
  });
}
