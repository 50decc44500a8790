// Speaks to the server as a client: whether it answers with our password, which version it is, and
// that the one database is there.

import pg from 'pg';
import { type DaemonRole, makeRole } from '../roles.ts';
import type { Connection } from './settings.ts';

const WRONG_PASSWORD = '28P01';
const NO_SUCH_DATABASE = '3D000';

/** The version of a server that answers. The daemon's role is there afterwards, with this password. */
export async function greet(connection: Connection, daemon: DaemonRole): Promise<string> {
  return withClient(connection, async (client) => {
    await makeRole(client, daemon, { reset: true });
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
    return rows[0]?.server_version ?? '';
  });
}

/** The empty database that initdb leaves becomes ours: a new name costs nothing, a copy does. */
export async function createDatabase(connection: Connection): Promise<void> {
  await withClient({ ...connection, database: 'template1' }, async (client) => {
    const name = client.escapeIdentifier(connection.database);
    await client.query(`ALTER DATABASE postgres RENAME TO ${name}`);
  });
}

async function withClient<T>(
  connection: Connection,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 5_000 });
  // A server that goes away under an idle client says so here; the query in hand fails by itself.
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/** A wrong password stays wrong: nothing to wait for. */
export function isRefusal(error: unknown): boolean {
  return codeOf(error) === WRONG_PASSWORD;
}

export function isMissingDatabase(error: unknown): boolean {
  return codeOf(error) === NO_SUCH_DATABASE;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
