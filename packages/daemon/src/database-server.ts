// The PostgreSQL server the daemon stands on: its own, which it starts and stops, or the one it is pointed to.
import { join } from 'node:path';
import { RelayError } from '@relay/core/errors';
import type { Log } from '@relay/core/log';
import type { Config } from './config.ts';
import type { ConnectionTarget } from './store/database.ts';
import { openDatabase } from './store/database.ts';
import type { Server } from './store/erase/scour.ts';
import { startPrivateServer } from './store/postgres/server.ts';

export interface DatabaseServer {
  readonly kind: 'private' | 'external';
  readonly version: string;
  readonly target: ConnectionTarget;
  /** Where its files are, if they are Relay's. */
  readonly place: Server;
}

export async function findServer(
  config: Config,
  log: Log,
  progress: ((sentence: string) => void) | undefined,
  closers: (() => Promise<void> | void)[],
): Promise<DatabaseServer> {
  if (config.databaseUrl !== null) {
    const target = { connectionString: config.databaseUrl };
    const place = { kind: 'external' } as const;
    return { kind: 'external', version: await askVersion(target), target, place };
  }
  progress?.('Starting the database');
  const directory = join(config.home, 'postgres');
  const server = await startPrivateServer({
    directory,
    log,
    ...(progress === undefined ? {} : { onProgress: progress }),
  });
  closers.push(() => server.stop());
  const place = { kind: 'private', data: join(directory, 'data') } as const;
  return { kind: 'private', version: server.version, target: server.connection, place };
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
