// Migrates the tables and the job queue as the role that owns them, and grants the daemon's role access. Without a
// separate owner the daemon's own role does both. A start that needs no migration connects as the daemon's role only.
import { RelayError } from '@relay/contract/errors';
import type { Log } from '@relay/core/log';
import type pg from 'pg';
import {
  type ConnectionTarget,
  type SharedDatabase,
  withOpenDatabase,
} from './platform/db/database.ts';
import { migrate, upToDateVersion } from './platform/db/migrate.ts';
import {
  canMigrate,
  canUseAllTables,
  grantTableUse,
  isPermissionDenied,
} from './platform/db/roles.ts';
import { Jobs } from './platform/jobs/jobs.ts';

interface PreparedSchema {
  readonly version: number;
  startJobs(): Promise<Jobs>;
}

export async function prepareSchema(
  database: SharedDatabase,
  owner: ConnectionTarget | null,
  log: Log,
): Promise<PreparedSchema> {
  const { pool } = database;
  const startJobs = () => Jobs.start(database, log);
  if (owner === null) {
    await checkSchema(pool);
    return { version: await migrate(pool), startJobs };
  }

  const prepare = () =>
    withOpenDatabase(owner, async (own) => {
      await migrate(own.pool);
      await Jobs.install(own, log);
      const { rows } = await pool.query<{ user: string }>('SELECT current_user AS user');
      await grantTableUse(own.pool, rows[0]?.user ?? '');
    });
  const version = await upToDateVersion(pool);
  if (version === null || !(await canUseAllTables(pool))) await prepare();
  return {
    version: version ?? (await migrate(pool)),
    // A newer version of the job queue changes its own tables, which the daemon's role may not.
    startJobs: () =>
      startJobs().catch(async (error: unknown) => {
        if (!isPermissionDenied(error)) throw error;
        await prepare();
        return startJobs();
      }),
  };
}

/**
 * Refuses a database that a newer Relay has written, or whose tables the connecting role may neither migrate nor use.
 * Changes nothing.
 */
export async function checkSchema(pool: pg.Pool): Promise<void> {
  const version = await upToDateVersion(pool);
  if (await (version === null ? canMigrate(pool) : canUseAllTables(pool))) return;
  const { rows } = await pool.query<{ role: string }>('SELECT current_user AS role');
  throw new RelayError('database_role_denied', {
    role: rows[0]?.role ?? '',
    variable: 'DATABASE_URL',
  });
}
