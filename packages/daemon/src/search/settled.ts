// Numbers are given out before what bears them is there for others to see. Whoever follows by number waits
// here, after the newest was asked for, until nobody can bring one before it any more.
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Reader } from '../store/database.ts';

/** Somebody writes right now: what they bring is there in a moment. */
const UNSETTLED_MS = 20;

/** False: stopped before. */
export async function untilSettled(db: Reader, stopping: () => boolean): Promise<boolean> {
  const after = await laterTransaction(db);
  while (!(await isSettled(db, after))) {
    if (stopping()) return false;
    await pause(UNSETTLED_MS);
  }
  return true;
}

/**
 * A transaction of our own, begun after the number was asked for: whoever took one up to it had begun before.
 * A snapshot alone would not do, because it ends before those that have begun and none after them has ended.
 */
async function laterTransaction(db: Reader): Promise<string> {
  const { rows } = await sql<{ xid: string }>`SELECT pg_current_xact_id()::text AS xid`.execute(db);
  return rows[0]?.xid ?? '0';
}

async function isSettled(db: Reader, xid: string): Promise<boolean> {
  const { rows } = await sql<{ settled: boolean }>`
    SELECT pg_snapshot_xmin(pg_current_snapshot()) >= ${xid}::xid8 AS settled`.execute(db);
  return rows[0]?.settled === true;
}
