// Removes the bytes of deleted data, which remain in pages until they are overwritten, in the planner's statistics and
// in the write-ahead log. It rewrites the tables and, on the private server, discards the log.
// Invariant: it reports how far it came, never more.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { asOwner, type Db } from '../../platform/db/database.ts';
import { PERSONAL_TABLES } from './columns.ts';

type ScourResult = 'all' | 'tables' | 'none';

/** Relay's private server, with its files; or a foreign one, whose log, replicas and backups Relay does not touch. */
export type ScourTarget =
  | { readonly kind: 'private'; readonly data: string }
  | { readonly kind: 'external' };

export interface ScourOptions {
  readonly db: Db;
  readonly server: ScourTarget;
  /** How long to wait for transactions that read an older snapshot, because they keep the old data alive. */
  readonly patienceMs?: number;
}

const PATIENCE_MS = 60_000;
const LOCK_TIMEOUT = '20s';
/** More segments than `max_wal_size` allows. */
const MOST_SEGMENTS = 64;

/** The number of bytes that would be rewritten. */
export async function readScourSize(db: Db): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint AS bytes FROM ${leaves}`.execute(
    db,
  );
  return rows[0]?.bytes ?? 0;
}

export const scourDatabase = ({ db, ...rest }: ScourOptions): Promise<ScourResult> =>
  asOwner(db, (owner) => scourAsOwner({ db: owner, ...rest }));

async function scourAsOwner({
  db,
  server,
  patienceMs = PATIENCE_MS,
}: ScourOptions): Promise<ScourResult> {
  if (!(await untilUnread(db, patienceMs))) return 'none';
  return db.connection().execute(async (one) => {
    await sql`SET lock_timeout = ${sql.lit(LOCK_TIMEOUT)}`.execute(one);
    try {
      if (server.kind === 'external') {
        await rewriteTables(one);
        return 'tables';
      }
      await sql`ALTER SYSTEM SET wal_recycle = off`.execute(one);
      await sql`SELECT pg_reload_conf()`.execute(one);
      await dropSamples(one);
      await rewriteTables(one);
      await sql`VACUUM (FULL) pg_catalog.pg_statistic`.execute(one);
      await removeOrphanFiles(one, server.data, () => untilUnread(db, patienceMs));
      return (await dropLog(one)) ? 'all' : 'tables';
    } catch (error) {
      if (isLockTimeout(error)) return 'none';
      throw error;
    } finally {
      if (server.kind === 'private') {
        await sql`ALTER SYSTEM RESET wal_recycle`.execute(one);
        await sql`SELECT pg_reload_conf()`.execute(one);
      }
      await sql`RESET lock_timeout`.execute(one);
    }
  });
}

/** Every table that contains or contained text or names; a partitioned table stands for its partitions. */
const leaves: RawBuilder<unknown> = sql`pg_class c
  LEFT JOIN pg_inherits i ON i.inhrelid = c.oid LEFT JOIN pg_class parent ON parent.oid = i.inhparent
  WHERE c.relnamespace = 'relay'::regnamespace AND c.relkind = 'r'
    AND (c.relname = ANY(${PERSONAL_TABLES}::text[]) OR parent.relname = ANY(${PERSONAL_TABLES}::text[])
      OR c.relname LIKE 'messages\\_2%')`;

/** Waits until no earlier transaction is running, because old data is kept for those. */
async function untilUnread(db: Db, patienceMs: number): Promise<boolean> {
  const { rows } = await sql<{ xid: string }>`
    SELECT pg_current_xact_id()::xid::text AS xid`.execute(db);
  const xid = rows[0]?.xid ?? '0';
  for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await sleep(50)) {
    const { rows: readers } = await sql`
      SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
        AND (age(backend_xmin) > age(${xid}::xid) OR age(backend_xid) > age(${xid}::xid))`.execute(
      db,
    );
    if (readers.length === 0) return true;
  }
  return false;
}

async function rewriteTables(db: Db): Promise<void> {
  const { rows } = await sql<{ name: string }>`SELECT c.relname AS name FROM ${leaves}
    ORDER BY c.relname`.execute(db);
  for (const { name } of rows) await sql`VACUUM (FULL, ANALYZE) ${sql.table(name)}`.execute(db);
  await sql`ANALYZE messages`.execute(db);
}

/** ANALYZE keeps the samples of a table that is empty now, so they are deleted here. */
async function dropSamples(db: Db): Promise<void> {
  await sql`DELETE FROM pg_catalog.pg_statistic WHERE starelid IN (
    SELECT oid FROM pg_class WHERE relnamespace = 'relay'::regnamespace)`.execute(db);
}

/** Advances the log until every earlier segment is no longer used, so that it is removed and not recycled. */
async function dropLog(db: Db): Promise<boolean> {
  const before = new Set(await segments(db));
  for (let step = 0; step < MOST_SEGMENTS; step++) {
    await sql`SELECT pg_switch_wal()`.execute(db);
    await sql`CHECKPOINT`.execute(db);
    if (!(await segments(db)).some((name) => before.has(name))) return true;
  }
  return false;
}

async function segments(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`SELECT name FROM pg_ls_waldir()`.execute(db);
  return rows.map(({ name }) => name);
}

const isLockTimeout = (error: unknown): boolean => (error as { code?: unknown }).code === '55P03';

// Removes files that no table owns: a server that is killed while it rewrites a table leaves a part of it behind,
// forever and with all its content. Only for the private server, whose directory is accessible.
// Invariant: a file is removed only if no transaction that could have created it is still running, and no table has
// come to own it.

/** A file of a table or an index, or a further segment of it; never one of a temporary table. */
const RELATION = /^(\d+)(_fsm|_vm|_init)?(\.\d+)?$/;

/** `settled` resolves when every transaction that is running now has ended. */
async function removeOrphanFiles(
  db: Db,
  data: string,
  settled: () => Promise<boolean>,
): Promise<number> {
  const before = await listUnownedFiles(db);
  if (before.size === 0 || !(await settled())) return 0;
  const orphans = [...(await listUnownedFiles(db))].filter((path) => before.has(path));
  for (const path of orphans) await rm(join(data, path), { force: true });
  return orphans.length;
}

/** A checkpoint unlinks the files of dropped tables; what is there afterwards belongs to a table or to none. */
async function listUnownedFiles(db: Db): Promise<Set<string>> {
  await sql`CHECKPOINT`.execute(db);
  const { rows } = await sql<{ folder: string; name: string }>`
    SELECT folder, name FROM (SELECT 'base/' || oid AS folder FROM pg_database WHERE datname = current_database()) d,
      LATERAL pg_ls_dir(folder) AS name`.execute(db);
  const { rows: owned } = await sql<{ node: string }>`
    SELECT pg_relation_filenode(oid)::text AS node FROM pg_class
    WHERE pg_relation_filenode(oid) IS NOT NULL`.execute(db);
  const nodes = new Set(owned.map(({ node }) => node));
  const files = rows.filter(({ name }) => {
    const node = RELATION.exec(name)?.[1];
    return node !== undefined && !nodes.has(node);
  });
  return new Set(files.map(({ folder, name }) => join(folder, name)));
}
