// Deletes rows that nothing needs any more, in steps small enough not to disturb other work.
import type { Log } from '@relay/core/log';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from './database.ts';

interface Step {
  readonly table: string;
  /** In words, for the owner. */
  readonly what: string;
  readonly limit: string;
  readonly old: RawBuilder<unknown>;
}

const after = (days: number, column: string) => ({
  limit: `${days} days`,
  old: sql`${sql.ref(column)} < now() - make_interval(days => ${days})`,
});
const EXPIRED = { limit: 'until they expire', old: sql`expires_at < now()` };

const STEPS: readonly Step[] = [
  { table: 'events', what: 'events for open streams', ...after(7, 'at') },
  { table: 'login_codes', what: 'sign-in codes', ...EXPIRED },
  { table: 'browser_sessions', what: 'signed-in browsers', ...EXPIRED },
  { table: 'pairing_codes', what: 'pairing codes', ...EXPIRED },
  { table: 'idempotency_keys', what: 'responses for idempotency keys', ...after(7, 'created_at') },
  { table: 'decrypt_journal', what: 'journal of received ciphertexts', ...after(14, 'at') },
  {
    table: 'inbox',
    what: 'received messages that are not stored',
    limit: '7 days',
    old: sql`done_at < now() - interval '7 days' AND failure IS NULL`,
  },
  { table: 'stranger_use', what: 'storage used by unknown senders, per day', ...after(30, 'day') },
  { table: 'schedule_runs', what: 'results of schedule runs', ...after(90, 'at') },
  { table: 'tool_calls', what: 'tool calls and their results', ...after(30, 'at') },
  // An approved one stays: its permit refers to it.
  {
    table: 'approvals',
    what: 'declined or expired approvals',
    limit: '30 days',
    old: sql`decided_at < now() - interval '30 days' AND state IN ('rejected', 'expired')`,
  },
  // WhatsApp retries delivery for about 30 days; after that the message does not come again.
  { table: 'erased_messages', what: 'markers of erased messages', ...after(90, 'at') },
  {
    table: 'webhook_deliveries',
    what: 'webhook deliveries (ids only)',
    limit: '30 days',
    old: sql`created_at < now() - interval '30 days' AND state <> 'pending'`,
  },
  {
    table: 'owner_notifications',
    what: 'notifications sent to you (ids only)',
    ...after(30, 'created_at'),
  },
  { table: 'retention_runs', what: 'past deletions', ...after(90, 'at') },
];

/** Limits that no setting changes. */
export const FIXED_LIMITS: readonly Pick<Step, 'what' | 'limit'>[] = STEPS.map(
  ({ what, limit }) => ({ what, limit }),
);

const AT_ONCE = 5_000;

export async function pruneOldRows(db: Db, log: Log): Promise<void> {
  for (const { table: name, old } of STEPS) {
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
