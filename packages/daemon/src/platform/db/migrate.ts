// Migrates a database to this version's schema: numbered SQL files, forward only, each in its own transaction, under
// one advisory lock. A database newer than this code is left alone.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { RelayError } from '@relay/contract/errors';
import type pg from 'pg';
import type { PoolClient } from 'pg';
import { isPermissionDenied } from './roles.ts';

interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

interface AppliedMigration {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
}

/** Any fixed number: all Relay migrations of one database wait for each other on it. */
const MIGRATION_LOCK = 7_214_001;
const DEADLOCK = '40P01';

export async function loadMigrations(
  directory = new URL('./migrations/', import.meta.url),
): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, directory), 'utf8');
      const checksum = createHash('sha256').update(sql.replaceAll('\r\n', '\n')).digest('hex');
      return { number: Number.parseInt(name, 10), name, sql, checksum };
    }),
  );
}

/** The schema's version if no migration is needed. Null also if the connecting role may not read it. */
export async function upToDateVersion(pool: pg.Pool): Promise<number | null> {
  const known = await loadMigrations();
  const client = await pool.connect();
  try {
    return isUpToDate(known, await readApplied(client)) ? newest(known) : null;
  } catch (error) {
    if (isPermissionDenied(error)) return null;
    throw error;
  } finally {
    client.release();
  }
}

/** Returns the schema's version, which is the number of its newest migration. */
export async function migrate(pool: pg.Pool, migrations?: readonly Migration[]): Promise<number> {
  const known = migrations ?? (await loadMigrations());
  const client = await pool.connect();
  try {
    if (isUpToDate(known, await readApplied(client))) return newest(known);
    while (await applyNext(client, known));
    return newest(known);
  } finally {
    client.release();
  }
}

const newest = (known: readonly Migration[]) => known.at(-1)?.number ?? 0;

async function readApplied(client: PoolClient): Promise<AppliedMigration[]> {
  const { rows: found } = await client.query(
    "SELECT to_regclass('relay.schema_migrations') AS there",
  );
  if (found[0].there === null) return [];
  const { rows } = await client.query(
    'SELECT number, name, checksum FROM relay.schema_migrations ORDER BY number',
  );
  return rows;
}

const isUpToDate = (known: readonly Migration[], applied: readonly AppliedMigration[]) =>
  applied.length > 0 && pending(known, applied).length === 0;

/** The migrations still to run. Refuses a database written by another version of Relay. */
function pending(
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
): readonly Migration[] {
  const ahead = applied.at(-1);
  if (ahead !== undefined && ahead.number > newest(known)) {
    throw new RelayError('schema_newer', { found: ahead.number, known: newest(known) });
  }
  const byNumber = new Map(applied.map((row) => [row.number, row]));
  for (const migration of known) {
    const row = byNumber.get(migration.number);
    if (row !== undefined && row.checksum !== migration.checksum) {
      throw new RelayError('migration_changed', { name: migration.name });
    }
  }
  return known.filter((migration) => !byNumber.has(migration.number));
}

/** Returns whether there may be more to apply. The lock belongs to the transaction, also behind a pooler. */
async function applyNext(client: PoolClient, known: readonly Migration[]): Promise<boolean> {
  await client.query('BEGIN');
  try {
    await client.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await client.query(`CREATE SCHEMA IF NOT EXISTS relay;
      CREATE TABLE IF NOT EXISTS relay.schema_migrations (
        number integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL,
        applied_at timestamptz NOT NULL DEFAULT now());
      SET LOCAL search_path = relay`);
    const [next] = pending(known, await readApplied(client));
    if (next !== undefined) {
      await client.query(next.sql);
      await client.query(
        'INSERT INTO relay.schema_migrations (number, name, checksum) VALUES ($1, $2, $3)',
        [next.number, next.name, next.checksum],
      );
    }
    await client.query('COMMIT');
    return next !== undefined;
  } catch (error) {
    await client.query('ROLLBACK');
    // A process of the version before works on the same tables, and PostgreSQL ended one of the two.
    if ((error as { code?: unknown }).code === DEADLOCK) return true;
    throw error;
  }
}
