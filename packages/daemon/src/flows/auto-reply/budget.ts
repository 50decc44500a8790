// The tokens of the owner's day, which auto-reply shares with all agents. Looked at before an answer and
// after every call of the model.
import { RelayError } from '@relay/core/errors';
import type { RunId } from '@relay/core/ids';
import type { Spent } from '@relay/core/ports/turn';
import { sql } from 'kysely';
import type { Transaction } from '../../store/database.ts';
import { noteSpent, spentToday } from '../../store/runs.ts';
import type { AutoReplyWorld } from './work.ts';

export async function isSpent(world: AutoReplyWorld, tx: Transaction): Promise<boolean> {
  const today = spentToday(world.lease.account, world.now());
  const { rows } = await sql<{ day: number }>`SELECT ${today} AS day`.execute(tx);
  return (rows[0]?.day ?? 0) >= world.settings.agent.tokens_per_day;
}

/** Adds what a call of the model cost; rejects when the day's tokens are used up with it. */
export async function addSpent(world: AutoReplyWorld, run: RunId, spent: Spent): Promise<void> {
  const { db, lease, settings } = world;
  const spending = { run, now: world.now(), usedBefore: sql<number>`0` };
  const { day } = await noteSpent(db, lease, spending, spent);
  const limit = settings.agent.tokens_per_day;
  if (day < limit) return;
  const setting = 'agent.tokens_per_day';
  throw new RelayError('budget_spent', { whom: 'today', used: day, limit, setting });
}
