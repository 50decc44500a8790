// Enforces the limits: what is too old in observed groups goes, digests go, in transactions short enough to
// disturb nobody. Safe to run again, and to be killed anywhere: the next run finds what is still there.
import type { RetentionRun } from '@relay/core/api/retention';
import type { DigestId } from '@relay/core/ids';
import { sql } from 'kysely';
import { eraseDigests, findDigests } from '../store/erase/digests.ts';
import { eraseAll } from '../store/erase/messages.ts';
import {
  answersBefore,
  type Cutoffs,
  dropSettled,
  messagesBefore,
  noteRun,
  readOverdue,
} from '../store/erase/observed.ts';
import { eraseOutgoing } from '../store/erase/outgoing.ts';
import { scour, scourSize } from '../store/erase/scour.ts';
import { fenced } from '../store/fenced.ts';
import { appendLedger } from '../store/ledger.ts';
import type { RetentionWorld } from './world.ts';

const DAY = 86_400_000;
const DIGESTS_AT_ONCE = 200;
/** Written anew every night in a few seconds; what is larger waits for the owner to ask. */
const SMALL_BYTES = 256 << 20;

export function cutoffsAt(
  now: Date,
  { observed_messages_days, digests_days }: RetentionWorld['limits'],
): Cutoffs {
  return {
    messages: new Date(now.getTime() - observed_messages_days * DAY),
    digests: new Date(now.getTime() - digests_days * DAY),
  };
}

export async function enforce(
  world: RetentionWorld,
  cause: RetentionRun['cause'],
): Promise<RetentionRun> {
  const { db, lease, log, now, limits } = world;
  const began = performance.now();
  const at = now();
  const cutoffs = cutoffsAt(at, limits);
  const digests = await enforceDigests(world, cutoffs);
  const messages = await enforceMessages(world, cutoffs);
  const deleted = messages + digests > 0;
  const scoured = await mayScour(world, cause, deleted);
  const ms = Math.round(performance.now() - began);
  const run = { at: at.toISOString(), cause, messages, digests, scoured, ms };
  await fenced(db, lease, async (tx) => {
    await dropSettled(tx, lease.account, cutoffs);
    await noteRun(tx, lease.account, run);
    if (!deleted) return;
    await appendLedger(tx, lease.account, {
      actor: cause === 'owner' ? 'owner' : 'relay',
      action: 'enforce_retention',
      subject: { kind: 'retention', id: at.toISOString() },
      outcome: 'erased',
      reason: 'too_old',
      detail: { messages, digests },
    });
  });
  if (deleted) log.info('retention enforced', { event: cause, count: messages + digests, ms });
  return run;
}

async function enforceDigests(world: RetentionWorld, cutoffs: Cutoffs): Promise<number> {
  const { account } = world.lease;
  const all = await findDigests(world.db, account, sql`g.period_end < ${cutoffs.digests}`);
  for (let from = 0; from < all.length; from += DIGESTS_AT_ONCE) {
    await eraseEverywhere(world, all.slice(from, from + DIGESTS_AT_ONCE));
  }
  return all.length;
}

/** Outside first: once the rows are gone nobody would know where their copies are. Returns the lines there. */
export async function eraseEverywhere(
  world: RetentionWorld,
  digests: readonly DigestId[],
): Promise<number> {
  if (digests.length === 0) return 0;
  const lines = await world.outside.erase(digests);
  await fenced(world.db, world.lease, async (tx) => {
    await eraseDigests(tx, world.lease.account, digests);
    await world.jobs.forget(tx, digests);
  });
  return lines;
}

async function enforceMessages(world: RetentionWorld, cutoffs: Cutoffs): Promise<number> {
  const { db, lease } = world;
  let total = 0;
  for (const overdue of await readOverdue(db, lease.account, cutoffs)) {
    total += await eraseAll(db, lease, messagesBefore(overdue));
    await fenced(db, lease, (tx) => eraseOutgoing(tx, lease.account, answersBefore(overdue)));
  }
  return total;
}

async function mayScour(
  { db, server }: RetentionWorld,
  cause: RetentionRun['cause'],
  deleted: boolean,
): Promise<boolean> {
  if (cause === 'start') return false;
  if (cause === 'night' && (!deleted || (await scourSize(db)) > SMALL_BYTES)) return false;
  return (await scour({ db, server })) !== 'none';
}
