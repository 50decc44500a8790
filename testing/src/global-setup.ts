// Runs once before the integration tests: starts one PostgreSQL for all of them, and creates the template database that
// every `freshDatabase` copies. Names contain the run's id, so leftovers of a killed run on a shared server do not
// conflict.

import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '@relay/core/log';
import { withOpenDatabase } from '@relay/daemon/platform/db/database';
import { migrate } from '@relay/daemon/platform/db/migrate';
import { startPrivateServer } from '@relay/daemon/platform/db/postgres/server';
import { connectionUrl } from '@relay/daemon/platform/db/postgres/settings';
import { createDaemonRole, type DaemonRole, grantTableUse } from '@relay/daemon/platform/db/roles';
import { Jobs } from '@relay/daemon/platform/jobs/jobs';
import type { TestProject } from 'vitest/node';
import { dropDatabases, onServer, type TestServer, withDatabase } from './postgres.ts';
import { removeFolder } from './remove-folder.ts';

/** Fills the empty template with what every test starts from: our tables and the job queue's. */
async function prepareTemplate(url: string, daemon: DaemonRole): Promise<void> {
  await withOpenDatabase({ connectionString: url }, async (database) => {
    await migrate(database.pool);
    await Jobs.install(database, silentLog);
    await createDaemonRole(database.pool, daemon, { reset: true });
    await grantTableUse(database.pool, daemon.user);
  });
}

/** Fast but not durable; durability is tested with a separate server. */
const FORGETFUL = {
  ...{ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
  // Several daemons at once, where a home's own server has one.
  max_connections: '200',
};
const OLDEST = 15;

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { url, stop } = await findServer();
  const run = randomBytes(6).toString('hex');
  const daemon = { user: `relay_daemon_${run}`, password: randomBytes(16).toString('hex') };
  const server: TestServer = { url, run, template: `relay_template_${run}`, daemon };
  try {
    await makeTemplate(server);
  } catch (error) {
    await stop();
    throw error;
  }
  project.provide('postgres', server);
  return async () => {
    await dropDatabases(server);
    await stop();
  };
}

async function findServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const given = process.env.DATABASE_URL;
  if (given) return { url: given, stop: async () => {} };
  const directory = await mkdtemp(join(tmpdir(), 'relay-test-'));
  const remove = () => removeFolder(directory);
  try {
    const server = await startPrivateServer({ directory, log: silentLog, settings: FORGETFUL });
    const stop = () => server.stop().then(remove);
    return { url: connectionUrl(server.owner), stop };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function makeTemplate(server: TestServer): Promise<void> {
  await onServer(server.url, async (client) => {
    const { rows } = await client.query<{ server_version_num: string }>('SHOW server_version_num');
    const major = Math.floor(Number(rows[0]?.server_version_num) / 10_000);
    if (major < OLDEST) throw new Error(`PostgreSQL ${OLDEST} or newer is needed, not ${major}`);
    await client.query(`CREATE DATABASE ${server.template} TEMPLATE template0 ENCODING 'UTF8'`);
  });
  await prepareTemplate(withDatabase(server.url, server.template), server.daemon);
}
