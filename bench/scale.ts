// A hundred thousand conversations and a million pending timers in one daemon: how long a list and a create take over
// HTTP, and how late timers fire while the account is connected and a hundred transitions per second run.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLog } from '@relay/core/log';
import { openDatabase, type SharedDatabase } from '@relay/daemon/platform/db/database';
import { startPrivateServer } from '@relay/daemon/platform/db/postgres/server';
import { type Simulator, startSimulator } from '@relay/simulator/simulator';
import type { DaemonProcess } from '@relay/testing/daemon-process';
import { removeFolder } from '@relay/testing/remove-folder';
import { type Limit, loadFigure, quantile } from './figures.ts';
import { addPhones, link, openHome, startSimulated } from './follow-ups.ts';
import { fillInstances } from './harness.ts';
import { timed } from './start.ts';

const INSTANCES = 100_000;
const TIMERS = 1_000_000;
const SAMPLES = 300;
const SECONDS = 60;
const TRANSITIONS_A_SECOND = 100;
const DUE = 1_500;
/** The delay that seed 003 allows. */
const LATEST_MS = 30_000;

export async function benchScale(): Promise<readonly Limit[]> {
  const home = await mkdtemp(join(tmpdir(), 'relay-bench-'));
  const simulator = await startSimulator();
  try {
    const empty = await startSimulated(home, simulator);
    await createMany(empty, 50, 'warm-up');
    const createEmpty = await createMany(empty, SAMPLES, 'empty');
    await empty.end('SIGTERM');
    await fill(home);
    const daemon = await startSimulated(home, simulator);
    const database = await openHome(home);
    try {
      return await measure({ daemon, home, simulator, database }, createEmpty);
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

async function fill(home: string): Promise<void> {
  const server = await startPrivateServer({ directory: join(home, 'postgres'), log: silentLog });
  const database = openDatabase(server.owner, { max: 2 });
  const { rows } = await database.pool.query<{ id: number }>('SELECT id FROM accounts');
  const account = rows[0]?.id ?? 1;
  console.log(`filling ${INSTANCES} conversations and ${TIMERS} timers …`);
  await fillInstances(database, account, INSTANCES, 'WAITING_FOR_REPLY');
  await fillTimers(database, account);
  await database.pool.query('VACUUM ANALYZE');
  await database.close();
  await server.stop();
}

/** All of them far in the future: one for each conversation, and others. */
async function fillTimers({ pool }: Pick<SharedDatabase, 'pool'>, account: number): Promise<void> {
  await pool.query(
    `INSERT INTO timers (account_id, kind, subject_id, epoch, due_at)
     SELECT account_id, 'heartbeat', id, epoch, now() + interval '1 day' + queue_seq * interval '1 second'
     FROM instances WHERE account_id = $1 AND objective = 'bench'`,
    [account],
  );
  await pool.query(
    `INSERT INTO timers (account_id, kind, subject_id, epoch, due_at)
     SELECT $1, 'schedule', gen_random_uuid(), 1, now() + interval '1 day' + n * interval '1 second'
     FROM generate_series(1, $2 - (SELECT count(*) FROM timers)::int) n`,
    [account, TIMERS],
  );
  await pool.query(`UPDATE instances i SET timer_due_at = t.due_at FROM timers t
    WHERE t.account_id = i.account_id AND t.subject_id = i.id`);
  // The oldest, because the newest are paused and resumed meanwhile.
  await pool.query(
    `CREATE TABLE public.bench_due AS SELECT id AS subject_id, now() AS due_at,
       row_number() OVER (ORDER BY queue_seq) AS n FROM instances WHERE objective = 'bench'
     ORDER BY queue_seq LIMIT ${DUE}`,
  );
}

/** Makes some timers come due evenly, starting in a few seconds; returns when the last of them is due. */
async function bringForward({ pool }: Pick<SharedDatabase, 'pool'>): Promise<Date> {
  const { rows } = await pool.query<{ last: Date }>(
    `WITH due AS (UPDATE public.bench_due
       SET due_at = clock_timestamp() + interval '5 seconds' + (n::float8 / $1) * $2 * interval '1 second'
       RETURNING subject_id, due_at),
     noted AS (UPDATE instances i SET timer_due_at = due.due_at FROM due WHERE i.id = due.subject_id),
     timed AS (UPDATE timers t SET due_at = due.due_at FROM due
       WHERE t.subject_id = due.subject_id AND t.kind = 'heartbeat')
     SELECT max(due_at) AS last FROM due`,
    [DUE, SECONDS - 10],
  );
  return rows[0]?.last ?? new Date();
}

interface Scene {
  readonly daemon: DaemonProcess;
  readonly home: string;
  readonly simulator: Simulator;
  readonly database: SharedDatabase;
}

async function measure(
  { daemon, home, simulator, database }: Scene,
  createEmpty: readonly number[],
): Promise<readonly Limit[]> {
  const list = await times(SAMPLES, () => daemon.call('GET', '/api/instances?limit=50'));
  const listByState = await times(SAMPLES, () =>
    daemon.call('GET', '/api/instances?limit=50&state=WAITING_FOR_REPLY'),
  );
  const createFull = await createMany(daemon, SAMPLES, 'full');
  const status = await times(20, () => daemon.call('GET', '/api/status'));
  await addPhones(
    simulator,
    database,
    "objective <> 'bench' OR id IN (SELECT subject_id FROM public.bench_due)",
  );
  const linked = await timed(() => link(daemon, home, simulator, database));
  const due = await bringForward(database);
  console.log(`timers come due; ${TRANSITIONS_A_SECOND} transitions a second meanwhile …`);
  const rate = await transitionsUntil(daemon, new Date(due.getTime() + 2_000));
  const lateness = await readLateness(database, new Date(due.getTime() + LATEST_MS));
  return [
    {
      name: `list of 50 among ${INSTANCES}, p95`,
      measured: quantile(list, 0.95),
      unit: 'ms',
      atMost: 50,
    },
    {
      name: 'list of 50 in one state, p95',
      measured: quantile(listByState, 0.95),
      unit: 'ms',
      atMost: 50,
    },
    { name: 'create on an empty database, p95', measured: quantile(createEmpty, 0.95), unit: 'ms' },
    {
      name: `create among ${INSTANCES} and ${TIMERS} timers, p95`,
      measured: quantile(createFull, 0.95),
      unit: 'ms',
    },
    {
      name: 'create full ÷ empty, p95',
      measured: quantile(createFull, 0.95) / quantile(createEmpty, 0.95),
      unit: '×',
      atMost: 1.3,
    },
    { name: `${INSTANCES} follow-up clocks run after linking`, measured: linked, unit: 'ms' },
    { name: 'status, p50', measured: quantile(status, 0.5), unit: 'ms' },
    {
      name: 'transitions a second held',
      measured: rate / TRANSITIONS_A_SECOND,
      unit: '×',
      atLeast: 0.95,
    },
    {
      name: `lateness of ${lateness.length} timers, p50`,
      measured: quantile(lateness, 0.5),
      unit: 'ms',
    },
    { name: 'lateness, p99', measured: quantile(lateness, 0.99), unit: 'ms', atMost: 1000 },
    {
      name: 'timers that fired, of those due',
      measured: lateness.length / DUE,
      unit: '×',
      atLeast: 1,
    },
    loadFigure(),
  ];
}

async function times(count: number, work: () => Promise<{ status: number }>): Promise<number[]> {
  const taken: number[] = [];
  for (let i = 0; i < count; i++) {
    const began = performance.now();
    const { status } = await work();
    if (status >= 300) throw new Error(`answered ${status}`);
    taken.push(performance.now() - began);
  }
  return taken;
}

let created = 0;

const createMany = (daemon: DaemonProcess, count: number, objective: string): Promise<number[]> =>
  times(count, () => {
    created += 1;
    return daemon.call('POST', '/api/instances', {
      objective,
      target_contact: `+4930${String(1_000_000 + created)}`,
    });
  });

/** Pauses and resumes at an even pace, each one transition, until the given time. */
async function transitionsUntil(daemon: DaemonProcess, until: Date): Promise<number> {
  const { body } = await daemon.call('GET', '/api/instances?limit=500&state=WAITING_FOR_REPLY');
  const ids = (body as { id: string }[]).map(({ id }) => id).slice(0, 250);
  const began = performance.now();
  let sent = 0;
  let done = 0;
  const open = new Set<Promise<void>>();
  while (Date.now() < until.getTime()) {
    const owed = Math.floor(((performance.now() - began) / 1000) * TRANSITIONS_A_SECOND) - sent;
    for (let i = 0; i < owed; i++) {
      const id = ids[sent % ids.length];
      const verb = Math.floor(sent / ids.length) % 2 === 0 ? 'pause' : 'resume';
      sent += 1;
      const call = daemon.call('POST', `/api/instances/${id}/${verb}`).then(({ status }) => {
        if (status === 200) done += 1;
      });
      open.add(call);
      call.finally(() => open.delete(call));
    }
    await sleep(10);
  }
  await Promise.all(open);
  return done / ((performance.now() - began) / 1000);
}

/** Returns once all of them have fired, or at `until`. */
async function readLateness(
  { pool }: Pick<SharedDatabase, 'pool'>,
  until: Date,
): Promise<number[]> {
  for (;;) {
    const { rows } = await pool.query<{ late: number }>(
      `SELECT (extract(epoch FROM min(t.at) - d.due_at) * 1000)::float8 AS late
       FROM public.bench_due d JOIN instance_transitions t ON t.instance_id = d.subject_id AND t.trigger = 'heartbeat_fires'
       GROUP BY d.subject_id, d.due_at`,
    );
    if (rows.length === DUE || new Date() > until) return rows.map(({ late }) => late);
    await sleep(500);
  }
}
