// What is left of the owner's day, which auto-reply shares with all agents. Looked at before an answer and
// after every call of the model.
import { type DayUse, dayBudgetSpent, NOTHING_USED } from '@relay/core/agent/budget';
import type { RunId } from '@relay/core/ids';
import type { Spent } from '@relay/core/ports/turn';
import { sql } from 'kysely';
import type { Transaction } from '../../store/database.ts';
import { noteSpent, spentToday } from '../../store/runs.ts';
import type { AutoReplyWorld } from './work.ts';

export async function isSpent(world: AutoReplyWorld, tx: Transaction): Promise<boolean> {
  const today = spentToday(world.lease.account, world);
  const { rows } = await sql<{ day: DayUse }>`SELECT ${today} AS day`.execute(tx);
  return dayBudgetSpent(world.settings.agent, rows[0]?.day ?? NOTHING_USED) !== null;
}

/** Adds what a call of the model cost; rejects when the day's budget is used up with it. */
export async function addSpent(world: AutoReplyWorld, run: RunId, spent: Spent): Promise<void> {
  const { db, lease, settings } = world;
  const spending = { run, clock: world, usedBefore: sql<number>`0` };
  const { day } = await noteSpent(db, lease, spending, spent);
  const fault = dayBudgetSpent(settings.agent, day);
  if (fault !== null) throw fault;
}
