// Housekeeping: what nobody can need any more goes, in steps small enough to disturb nothing.
import type { Log } from '@relay/core/log';
import { sql } from 'kysely';
import type { Reader } from './database.ts';

const STEPS = [
  ['events', sql`at < now() - interval '7 days'`],
  ['login_codes', sql`expires_at < now()`],
  ['browser_sessions', sql`expires_at < now()`],
  ['idempotency_keys', sql`created_at < now() - interval '7 days'`],
  ['decrypt_journal', sql`at < now() - interval '14 days'`],
  ['inbox', sql`done_at < now() - interval '7 days' AND failure IS NULL`],
  ['schedule_runs', sql`at < now() - interval '90 days'`],
  ['tool_calls', sql`at < now() - interval '30 days'`],
  // One that was approved stays: its permit names it.
  ['approvals', sql`decided_at < now() - interval '30 days' AND state IN ('rejected', 'expired')`],
] as const;

const AT_ONCE = 5_000;

export async function prune(db: Reader, log: Log): Promise<void> {
  for (const [name, old] of STEPS) {
    const table = sql.table(name);
    let total = 0;
    for (;;) {
      const { numAffectedRows } = await sql`
        DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${table} WHERE ${old} LIMIT ${AT_ONCE}))`.execute(
        db,
      );
      total += Number(numAffectedRows ?? 0);
      if (Number(numAffectedRows ?? 0) < AT_ONCE) break;
    }
    if (total > 0) log.info('pruned', { event: name, count: total });
  }
}
