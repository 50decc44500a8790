// The rows of workers: registering, renewing, declaring others lost, and what a worker sees of the cell. A cell is all
// workers on one database.
// Invariant: leases of a worker are free only once it is marked as lost or stopped, and a marked worker cannot renew.

import type { WorkerList } from '@relay/contract/api/workers';
import type { AccountId } from '@relay/contract/ids';
import type { WorkerLoad } from '@relay/core/workers/balance';
import { sql } from 'kysely';
import type pg from 'pg';
import type { Db } from './database.ts';

/** One start of one worker. */
export interface WorkerIdentity {
  readonly id: string;
  readonly run: string;
}

interface NewWorker extends WorkerIdentity {
  readonly host: string;
  readonly pid: number;
  readonly address: string | null;
  readonly version: string;
  readonly capacity: number;
}

/**
 * What `LISTEN` hears when a worker joins or leaves, or an account becomes free. With an account's id: another process
 * has written something for it that its worker should look at.
 */
export const WORKERS_CHANNEL = 'relay_workers';

/** PostgreSQL's clock decides: the clocks of workers may differ. */
const LEASED = "clock_timestamp() + $3 * interval '1 millisecond'";
const ALIVE = 'lost_at IS NULL AND stopped_at IS NULL';

/**
 * Registers a worker, and frees the leases that a former run of it held: that run is over. Returns false if a worker of
 * this id is alive on another machine: the home was copied.
 */
export async function registerWorker(
  client: pg.ClientBase,
  worker: NewWorker,
  leaseMs: number,
): Promise<boolean> {
  const { id, run, host, pid, address, version, capacity } = worker;
  const { rows } = await client.query<{ taken: boolean }>(
    `WITH mine AS (
       INSERT INTO relay.workers AS w (id, run, until, host, pid, address, version, capacity)
       VALUES ($1, $2, ${LEASED}, $4, $5, $6, $7, $8)
       ON CONFLICT (id) DO UPDATE SET run = EXCLUDED.run, until = EXCLUDED.until, host = EXCLUDED.host,
         pid = EXCLUDED.pid, address = EXCLUDED.address, version = EXCLUDED.version,
         capacity = EXCLUDED.capacity, draining = false, started_at = now(),
         last_seen_at = clock_timestamp(), lost_at = NULL, stopped_at = NULL
       WHERE NOT (w.lost_at IS NULL AND w.stopped_at IS NULL AND w.until > clock_timestamp()
         AND w.host <> EXCLUDED.host)
       RETURNING id),
     freed AS (
       UPDATE relay.account_leases SET until = now() WHERE holder = (SELECT id FROM mine))
     SELECT EXISTS (SELECT FROM mine) AS taken, pg_notify('${WORKERS_CHANNEL}', '')`,
    [id, run, leaseMs, host, pid, address, version, capacity],
  );
  return rows[0]?.taken === true;
}

/** What a worker sees when it renews itself. */
export interface CellView {
  /** False: this worker was declared lost, or another run has replaced it. It holds nothing any more. */
  readonly alive: boolean;
  readonly workers: readonly WorkerLoad[];
  /** Accounts that no living worker holds. */
  readonly free: readonly FreeAccount[];
  /** Accounts whose lease this worker holds. */
  readonly own: readonly AccountId[];
  /** Those of them that other processes have asked something of. */
  readonly asked: readonly AccountId[];
  /** Workers that this one has just declared lost. */
  readonly lost: readonly string[];
}

export interface FreeAccount {
  readonly account: AccountId;
  /** When the worker that lost it was seen last; null if it was given back, or never held. */
  readonly unservedSince: string | null;
  /** This worker held it last. */
  readonly wasOwn: boolean;
}

interface Renewal {
  readonly leaseMs: number;
  readonly draining: boolean;
  /** Marks overdue workers as lost. */
  readonly judges: boolean;
}

/** Renews the worker and reads the cell, in one statement. */
export async function renewAndLook(
  client: pg.ClientBase,
  { id, run }: WorkerIdentity,
  { leaseMs, draining, judges }: Renewal,
): Promise<CellView> {
  const { rows } = await client.query<CellView>({
    name: 'relay_renew_worker',
    text: RENEW_AND_LOOK,
    values: [id, run, leaseMs, draining, judges],
  });
  const [view] = rows;
  if (view === undefined) throw new Error('a select without a row');
  return view;
}

// The snapshot of the last part is from before the updates, so it leaves out those whom `lost` has just marked.
const RENEW_AND_LOOK = `
  WITH me AS (
    UPDATE relay.workers SET until = ${LEASED}, last_seen_at = clock_timestamp(), draining = $4
    WHERE id = $1 AND run = $2 AND ${ALIVE} RETURNING id),
  lost AS (
    UPDATE relay.workers SET lost_at = clock_timestamp() WHERE EXISTS (SELECT FROM me) AND id IN (
      SELECT id FROM relay.workers
      WHERE $5 AND id <> $1 AND ${ALIVE} AND until < clock_timestamp() FOR UPDATE SKIP LOCKED)
    RETURNING id),
  alive AS (
    SELECT id, capacity, draining FROM relay.workers
    WHERE ${ALIVE} AND NOT EXISTS (SELECT FROM lost WHERE lost.id = workers.id)),
  leases AS MATERIALIZED (
    SELECT l.account_id, l.holder FROM relay.account_leases l LEFT JOIN alive ON alive.id = l.holder
    WHERE l.until > now() AND (l.until < 'infinity' OR alive.id IS NOT NULL)),
  loads AS (SELECT holder, count(*)::int AS held FROM leases GROUP BY holder)
  SELECT EXISTS (SELECT FROM me) AS alive,
    (SELECT coalesce(json_agg(json_build_object('id', alive.id, 'capacity', capacity,
        'draining', CASE WHEN alive.id = $1 THEN $4 ELSE draining END, 'held', coalesce(held, 0))), '[]')
      FROM alive LEFT JOIN loads ON loads.holder = alive.id) AS workers,
    (SELECT coalesce(json_agg(json_build_object('account', a.id, 'unservedSince', w.last_seen_at,
        'wasOwn', l.holder IS NOT DISTINCT FROM $1) ORDER BY a.id), '[]')
      FROM relay.accounts a LEFT JOIN relay.account_leases l ON l.account_id = a.id
        LEFT JOIN relay.workers w ON w.id = l.holder AND l.until > now()
      WHERE NOT EXISTS (SELECT FROM leases WHERE leases.account_id = a.id)) AS free,
    (SELECT coalesce(json_agg(id), '[]') FROM lost) AS lost,
    (SELECT coalesce(json_agg(DISTINCT r.account_id), '[]') FROM relay.worker_requests r
      JOIN leases ON leases.account_id = r.account_id
      WHERE leases.holder = $1 AND r.taken_at IS NULL AND r.deadline > now()) AS asked,
    (SELECT coalesce(json_agg(account_id ORDER BY account_id), '[]') FROM leases WHERE holder = $1) AS own`;

/** The worker has closed all its sockets: others need not wait until it is overdue. */
export async function noteWorkerStopped(
  client: pg.ClientBase,
  { id, run }: WorkerIdentity,
): Promise<void> {
  await client.query(
    `WITH mine AS (UPDATE relay.workers SET stopped_at = now() WHERE id = $1 AND run = $2 RETURNING id)
     SELECT pg_notify('${WORKERS_CHANNEL}', '') FROM mine`,
    [id, run],
  );
}

/** Another process wrote something for the account. Within a transaction, its worker hears of it at the commit. */
export async function wakeAccount(db: Db, account: AccountId): Promise<void> {
  await sql`SELECT pg_notify(${WORKERS_CHANNEL}, ${`${account}`})`.execute(db);
}

/** The names of a worker's database sessions. */
export const sessionNames = (worker: string) =>
  ({
    pool: `relay ${worker}`,
    writer: `relay wire ${worker}`,
    renewals: `relay worker ${worker}`,
  }) as const;

/**
 * Ends the database sessions of a lost worker. One that was cut off in the middle of a transaction would hold the locks
 * of its accounts until the server noticed, which may take hours.
 */
export async function endSessionsOf(db: Db, worker: string): Promise<void> {
  const names = Object.values(sessionNames(worker));
  await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND usename = current_user
      AND application_name = ANY(${names}::text[])`.execute(db);
}

/** An account is free now. */
export async function wakeWorkers(db: Db): Promise<void> {
  await sql`SELECT pg_notify(${WORKERS_CHANNEL}, '')`.execute(db);
}

// The list of workers, as `relay workers` and the console show it.

interface WorkerRow {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly address: string | null;
  readonly version: string;
  readonly capacity: number;
  readonly accounts: number;
  readonly draining: boolean;
  readonly started_at: Date;
  readonly last_seen_at: Date;
  readonly lost_at: Date | null;
}

export async function listWorkers(db: Db): Promise<WorkerList> {
  const { rows } = await sql<WorkerRow>`
    SELECT w.id, host, pid, address, version, capacity, draining, started_at, last_seen_at, lost_at,
      (SELECT count(*)::int FROM account_leases l
        WHERE l.holder = w.id AND l.until > now() AND w.lost_at IS NULL) AS accounts
    FROM workers w WHERE stopped_at IS NULL AND (lost_at IS NULL OR lost_at > now() - interval '1 day')
    ORDER BY lost_at IS NOT NULL, started_at DESC, w.id`.execute(db);
  const { rows: counts } = await sql<{ unserved: number }>`
    SELECT count(*)::int AS unserved FROM accounts a WHERE NOT EXISTS (
      SELECT FROM account_leases l JOIN workers w ON w.id = l.holder
      WHERE l.account_id = a.id AND l.until > now() AND w.lost_at IS NULL AND w.stopped_at IS NULL)`.execute(
    db,
  );
  return {
    workers: rows.map(({ draining, lost_at, started_at, last_seen_at, ...facts }) => ({
      ...facts,
      state: lost_at !== null ? 'lost' : draining ? 'draining' : 'running',
      started_at: started_at.toISOString(),
      last_seen_at: last_seen_at.toISOString(),
    })),
    unserved: counts[0]?.unserved ?? 0,
  };
}

/** Deletes the rows of workers that ended long ago. */
export async function pruneWorkers(db: Db): Promise<void> {
  await sql`DELETE FROM workers
    WHERE coalesce(lost_at, stopped_at) < now() - interval '7 days'`.execute(db);
}
