// How late follow-ups are on a connected daemon: timers that come due at random moments, and a burst at one instant.
// Measured from the due time to the heartbeat's transition, and on to the start of the agent's turn, which follows its
// commit.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SharedDatabase } from '@relay/daemon/platform/db/database';
import { startSimulator } from '@relay/simulator/simulator';
import { removeFolder } from '@relay/testing/remove-folder';
import { type Limit, loadFigure, quantile } from './figures.ts';
import { addPhones, link, openHome, startSimulated } from './follow-ups.ts';
import { fillInstances } from './harness.ts';

const SCATTERED = 1_200;
const BURST = 200;
const WINDOW_S = 90;
/** Between the last row written and the first timer due. */
const LEAD_S = 10;

export async function benchHeartbeat(): Promise<readonly Limit[]> {
  const home = await mkdtemp(join(tmpdir(), 'relay-bench-'));
  const simulator = await startSimulator();
  try {
    const daemon = await startSimulated(home, simulator);
    const database = await openHome(home);
    try {
      await link(daemon, home, simulator, database);
      const last = await fill(database);
      await addPhones(simulator, database);
      console.log(`${SCATTERED} timers within ${WINDOW_S} s, ${BURST} more at one instant …`);
      await sleep(last.getTime() - Date.now() + 5_000);
      return [
        ...figures('at random moments', await readLateness(database, false), SCATTERED),
        ...figures('at one instant', await readLateness(database, true), BURST),
        loadFigure(),
      ];
    } finally {
      await database.close();
      await daemon.end('SIGTERM');
    }
  } finally {
    await simulator.close();
    await removeFolder(home);
    await rm(`${home}.key`, { force: true });
  }
}

/** Returns when the last of them is due. */
async function fill(database: SharedDatabase): Promise<Date> {
  const { pool } = database;
  const { rows: accounts } = await pool.query<{ id: number }>('SELECT id FROM accounts');
  const account = accounts[0]?.id ?? 0;
  await fillInstances(database, account, SCATTERED + BURST, 'WAITING_FOR_REPLY');
  const { rows } = await pool.query<{ last: Date }>(
    `WITH due AS (
       SELECT id, epoch, n <= $2 AS burst, now() + $3 * interval '1 second'
         + CASE WHEN n <= $2 THEN 0.5 ELSE random() END * $4 * interval '1 second' AS at
       FROM (SELECT *, row_number() OVER (ORDER BY random()) AS n FROM instances WHERE objective = 'bench') i),
     noted AS (UPDATE instances i SET timer_due_at = due.at, options = jsonb_build_object('burst', due.burst)
       FROM due WHERE i.id = due.id),
     timed AS (INSERT INTO timers (account_id, kind, subject_id, epoch, due_at)
       SELECT $1, 'heartbeat', id, epoch, at FROM due RETURNING subject_id, due_at)
     SELECT max(due_at) AS last FROM timed`,
    [account, BURST, LEAD_S, WINDOW_S],
  );
  await pool.query(`CREATE TABLE public.bench_due AS
    SELECT i.id, i.timer_due_at AS due_at, (i.options->>'burst')::boolean AS burst FROM instances i`);
  return rows[0]?.last ?? new Date();
}

interface Late {
  readonly heartbeat: number;
  readonly turn: number;
}

async function readLateness({ pool }: SharedDatabase, burst: boolean): Promise<Late[]> {
  const { rows } = await pool.query<Late>(
    `SELECT (extract(epoch FROM min(t.at) - d.due_at) * 1000)::float8 AS heartbeat,
       (extract(epoch FROM min(r.started_at) - d.due_at) * 1000)::float8 AS turn
     FROM public.bench_due d JOIN instance_transitions t ON t.instance_id = d.id AND t.trigger = 'heartbeat_fires'
       JOIN runs r ON r.instance_id = d.id WHERE d.burst = $1 GROUP BY d.id, d.due_at`,
    [burst],
  );
  return rows;
}

function figures(when: string, late: readonly Late[], due: number): Limit[] {
  const fired = late.map(({ heartbeat }) => heartbeat);
  const begun = late.map(({ turn }) => turn);
  return [
    { name: `lateness ${when}, p50`, measured: quantile(fired, 0.5), unit: 'ms' },
    { name: `lateness ${when}, p95`, measured: quantile(fired, 0.95), unit: 'ms' },
    { name: `lateness ${when}, p99`, measured: quantile(fired, 0.99), unit: 'ms', atMost: 1_000 },
    { name: `until the turn begins ${when}, p99`, measured: quantile(begun, 0.99), unit: 'ms' },
    { name: `earliest ${when}`, measured: Math.min(...fired), unit: 'ms', atLeast: 0 },
    {
      name: `followed up ${when}, of those due`,
      measured: late.length / due,
      unit: '×',
      atLeast: 1,
    },
  ];
}
