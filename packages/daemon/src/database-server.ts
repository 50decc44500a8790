// The PostgreSQL server the daemon stands on: its own, which it starts and stops, or the one it is pointed to.
import { join } from 'node:path';
import { RelayError } from '@relay/core/errors';
import type { Log } from '@relay/core/log';
import type { Config } from './config.ts';
import type { ConnectionTarget } from './store/database.ts';
import { openDatabase } from './store/database.ts';
import { startPrivateServer } from './store/postgres/server.ts';

export interface DatabaseServer {
  readonly kind: 'private' | 'external';
  readonly version: string;
  readonly target: ConnectionTarget;
}

export async function findServer(
  config: Config,
  log: Log,
  progress: ((sentence: string) => void) | undefined,
  closers: (() => Promise<void> | void)[],
): Promise<DatabaseServer> {
  if (config.databaseUrl !== null) {
    const target = { connectionString: config.databaseUrl };
    return { kind: 'external', version: await askVersion(target), target };
  }
  progress?.('Starting the database');
  const server = await startPrivateServer({
    directory: join(config.home, 'postgres'),
    log,
    ...(progress === undefined ? {} : { onProgress: progress }),
  });
  closers.push(() => server.stop());
  return { kind: 'private', version: server.version, target: server.connection };
}

async function askVersion(target: ConnectionTarget): Promise<string> {
  const database = openDatabase(target, { max: 1 });
  try {
    const { rows } = await database.pool.query<{ server_version: string }>('SHOW server_version');
    return rows[0]?.server_version.split(' ')[0] ?? '?';
  } catch (cause) {
    throw new RelayError('database_unavailable', {}, { cause });
  } finally {
    await database.close();
  }
}
