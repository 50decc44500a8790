// Databases for integration tests, each a copy of the run's template: a test file creates one and drops it. Those that
// a failed test left are dropped at the end of the run.

import { randomBytes } from 'node:crypto';
import type { DaemonRole } from '@relay/daemon/platform/db/roles';
import pg from 'pg';
import { inject } from 'vitest';

export interface TestServer {
  readonly url: string;
  /** Part of the name of every database of this run. */
  readonly run: string;
  readonly template: string;
  /** A role that owns nothing, like the daemon's; it may use what is in the template. */
  readonly daemon: DaemonRole;
}

declare module 'vitest' {
  interface ProvidedContext {
    postgres: TestServer;
  }
}

export interface FreshDatabase {
  /** As the owner of everything in it. */
  readonly url: string;
  /** As the daemon's role. */
  readonly daemonUrl: string;
  /** Also ends the connections that are still open. */
  drop(): Promise<void>;
}

/** A copy of the run's template, or of another database of the run without connections. */
export async function freshDatabase(like?: FreshDatabase): Promise<FreshDatabase> {
  const { url, run, template: usual, daemon } = inject('postgres');
  const template = like === undefined ? usual : new URL(like.url).pathname.slice(1);
  const name = `relay_test_${run}_${randomBytes(4).toString('hex')}`;
  // Copies files: the default, through the write-ahead log, takes ten times as long.
  await onServer(url, (client) =>
    client.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`),
  );
  const own = withDatabase(url, name);
  return {
    url: own,
    daemonUrl: withRole(own, daemon),
    async drop() {
      await onServer(url, (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
    },
  };
}

/** Drops everything this run created, even with open connections. */
export async function dropDatabases(server: TestServer): Promise<void> {
  await onServer(server.url, async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      'SELECT datname FROM pg_database WHERE datname LIKE $1 OR datname = $2',
      [`relay\\_test\\_${server.run}\\_%`, server.template],
    );
    for (const { datname } of rows) await client.query(`DROP DATABASE ${datname} WITH (FORCE)`);
    await client.query(`DROP ROLE IF EXISTS ${server.daemon.user}`);
  });
}

export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}

function withRole(url: string, { user, password }: DaemonRole): string {
  const changed = new URL(url);
  changed.username = user;
  changed.password = password;
  return changed.href;
}

export async function onServer<T>(
  url: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  // A server that is killed during a query rejects the query; the event alone would end the process.
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
