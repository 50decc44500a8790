// The runs of a model over an observed group. They belong to the group's own session, and what they cost is
// counted for the day of the owner and for the group.
import type { AccountId, RunId } from '@relay/core/ids';
import { UNTAINTED } from '@relay/core/policy/facts';
import type { Spent } from '@relay/core/ports/turn';
import { sql } from 'kysely';
import type { Reader, Transaction } from '../database.ts';
import type { Lease } from '../lease.ts';
import { beginRun, noteSpent, type OwnersClock } from '../runs.ts';
import { openSession } from '../sessions.ts';
import type { ObservedGroup } from './groups.ts';
import { addUsage } from './usage.ts';

export async function beginObserverRun(
  tx: Transaction,
  account: AccountId,
  { chat, name }: Pick<ObservedGroup, 'chat' | 'name'>,
  actor: string,
): Promise<RunId> {
  const session = await openSession(tx, account, {
    kind: 'observer',
    key: chat,
    title: `Group: ${name}`,
    chat,
    contact: null,
  });
  const of = { session: session.id };
  const taint = { ...UNTAINTED, chats: [chat] };
  return beginRun(tx, { account, actor, of, epoch: null, readUpTo: null, taint });
}

export interface SpendingWorld extends OwnersClock {
  readonly db: Reader;
  readonly lease: Lease;
}

export async function noteObserverSpent(
  world: SpendingWorld,
  { chat, zone }: Pick<ObservedGroup, 'chat' | 'zone'>,
  run: RunId,
  spent: Spent,
): Promise<void> {
  const { db, lease } = world;
  const at = world.now();
  await noteSpent(db, lease, { run, clock: world, usedBefore: sql<number>`0` }, spent);
  const tokens = spent.inputTokens + spent.outputTokens;
  await addUsage(db, lease.account, { chat, zone, at }, { spent: tokens });
}
