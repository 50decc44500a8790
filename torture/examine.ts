// Checks the database after the last stop: every guarantee is a query that must return nothing.
import { join } from 'node:path';
import { silentLog } from '@relay/core/log';
import type { SharedDatabase } from '@relay/daemon/platform/db/database';
import { openDatabase } from '@relay/daemon/platform/db/database';
import { verifyLedger } from '@relay/daemon/platform/db/ledger-chain';
import { startPrivateServer } from '@relay/daemon/platform/db/postgres/server';
import type { Load } from './load.ts';

/** One sentence per violation. */
export async function examine(home: string, load: Load): Promise<string[]> {
  const server = await startPrivateServer({ directory: join(home, 'postgres'), log: silentLog });
  const database = openDatabase(server.owner);
  try {
    return [
      ...(await acknowledgedIsThere(database, load)),
      ...(await invariantsHold(database)),
      ...(await ledgerIsWhole(database)),
    ];
  } finally {
    await database.close();
    await server.stop();
  }
}

async function acknowledgedIsThere(
  { pool }: SharedDatabase,
  { acknowledged }: Load,
): Promise<string[]> {
  const faults: string[] = [];
  const { rows: instances } = await pool.query<{ id: string; state: string }>(
    'SELECT id, state FROM instances',
  );
  const states = new Map(instances.map(({ id, state }) => [id, state]));
  for (const id of acknowledged.created)
    if (!states.has(id)) faults.push(`created and lost: ${id}`);
  for (const id of acknowledged.cancelled) {
    if (states.get(id) !== 'FAILED') faults.push(`cancelled, yet ${states.get(id)}: ${id}`);
  }
  const { rows: said } = await pool.query<{
    content: string;
    instance_id: string;
    outbox_id: string | null;
  }>("SELECT content, instance_id, outbox_id FROM instance_messages WHERE role = 'manual'");
  const byText = Map.groupBy(said, (row) => row.content);
  for (const [text, id] of acknowledged.sent) {
    const rows = byText.get(text) ?? [];
    if (rows.length !== 1 || rows[0]?.instance_id !== id)
      faults.push(`sent once, there ${rows.length} times: ${text}`);
  }
  for (const [text, rows] of byText)
    if (rows.length > 1) faults.push(`said ${rows.length} times: ${text}`);
  const { rows: moves } = await pool.query<{ instance_id: string; trigger: string; count: string }>(
    "SELECT instance_id, trigger, count(*) FROM instance_transitions WHERE trigger IN ('pause', 'resume') GROUP BY 1, 2",
  );
  const logged = new Map(
    moves.map((row) => [`${row.instance_id} ${row.trigger}`, Number(row.count)]),
  );
  for (const [key, made] of Map.groupBy(acknowledged.moves, ({ id, verb }) => `${id} ${verb}`)) {
    if ((logged.get(key) ?? 0) < made.length)
      faults.push(`acknowledged ${made.length} times, logged ${logged.get(key) ?? 0}: ${key}`);
  }
  return faults;
}

/** Name of a guarantee → a query for its violations. */
const INVARIANTS: Readonly<Record<string, string>> = {
  'a conversation that never came to its end': `
    SELECT id, state FROM instances WHERE state NOT IN ('COMPLETED', 'ABANDONED', 'FAILED')`,
  'a follow-up although no message was sent': `
    SELECT id, follow_up_count FROM instances WHERE follow_up_count > 0`,
  'an agent’s message said twice': `
    SELECT instance_id, content FROM instance_messages
    WHERE role = 'agent' AND content NOT LIKE 'continue%' GROUP BY 1, 2 HAVING count(*) > 1`,
  'a message in the transcript without exactly one in the outbox': `
    SELECT m.instance_id, m.id FROM instance_messages m LEFT JOIN outbox o ON o.id = m.outbox_id
    WHERE m.role IN ('agent', 'manual') GROUP BY 1, 2 HAVING count(o.id) <> 1`,
  'a message in the outbox that nobody said': `
    SELECT id FROM outbox o WHERE NOT EXISTS (SELECT FROM instance_messages m WHERE m.outbox_id = o.id)`,
  'a log that is not a chain': `
    SELECT instance_id, id FROM (
      SELECT instance_id, id, from_state, lag(to_state) OVER (PARTITION BY instance_id ORDER BY id) AS before
      FROM instance_transitions) chained
    WHERE before IS NOT NULL AND before <> from_state`,
  'a state that the log does not end in': `
    SELECT i.id FROM instances i JOIN LATERAL (
      SELECT to_state FROM instance_transitions t WHERE t.instance_id = i.id ORDER BY t.id DESC LIMIT 1) last ON true
    WHERE last.to_state <> i.state`,
  'a job left behind': `
    SELECT id, state FROM relay_jobs.job WHERE name = 'conversation' AND state < 'completed'`,
  'a dead letter': `SELECT id FROM relay_jobs.job WHERE name = 'dead_letters'`,
  'a timer left behind': `SELECT subject_id FROM timers`,
  'more follow-ups than allowed': `SELECT id FROM instances WHERE follow_up_count > max_followups + 1`,
  'an abandoned conversation without all its follow-ups': `
    SELECT id FROM instances WHERE state = 'ABANDONED' AND follow_up_count <> max_followups`,
};

async function invariantsHold({ pool }: SharedDatabase): Promise<string[]> {
  const faults: string[] = [];
  for (const [name, query] of Object.entries(INVARIANTS)) {
    const { rows } = await pool.query(query);
    for (const row of rows.slice(0, 5)) faults.push(`${name}: ${JSON.stringify(row)}`);
  }
  return faults;
}

async function ledgerIsWhole({ allAccounts }: SharedDatabase): Promise<string[]> {
  const { id } = await allAccounts.selectFrom('accounts').select('id').executeTakeFirstOrThrow();
  const fault = await verifyLedger(allAccounts, id);
  return fault === null ? [] : [`the ledger: row ${fault.seq} ${fault.kind}`];
}
