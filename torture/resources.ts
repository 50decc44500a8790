// Resources that a short torture shares with its test run: the built package and PostgreSQL. A long one, run by itself,
// creates its own.

import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '@relay/core/log';
import { startPrivateServer } from '@relay/daemon/platform/db/postgres/server';
import { connectionUrl } from '@relay/daemon/platform/db/postgres/settings';
import { builtIn, openBuilds } from '@relay/testing/e2e/built';
import { onServer, withDatabase } from '@relay/testing/postgres';
import { removeFolder } from '@relay/testing/remove-folder';

const isTest = process.env.VITEST !== undefined;

/** The folder of a built package, and how to remove it. */
export async function openBuilt(): Promise<{ built: string; remove(): void }> {
  if (isTest) {
    const { inject } = await import('vitest');
    return { built: await builtIn(inject('builds')), remove: () => {} };
  }
  const { folder, remove } = openBuilds();
  try {
    return { built: await builtIn(folder), remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** The URL of a server that is already running, if any. */
async function existingServer(): Promise<string | undefined> {
  if (!isTest) return process.env.DATABASE_URL;
  const { inject } = await import('vitest');
  return inject('postgres').url;
}

// One PostgreSQL for a whole torture, so that restarting a daemon does not restart it: the running one, or a private
// one. Every torture has its own database on it.

export interface TortureDatabase {
  readonly url: string;
  /** Copies of the current database, fast and not durable; nobody may be connected to it. */
  copies(count: number): Promise<readonly string[]>;
  close(): Promise<void>;
}

export async function openDatabase(): Promise<TortureDatabase> {
  const server = await findServer();
  const name = `relay_torture_${randomBytes(4).toString('hex')}`;
  const made = [name];
  await onServer(server.url, (client) => client.query(`CREATE DATABASE ${name}`));
  return {
    url: withDatabase(server.url, name),
    async copies(count) {
      const names = Array.from({ length: count }, (_, n) => `${name}_${n}`);
      await onServer(server.url, async (client) => {
        for (const copy of names) {
          await client.query(`CREATE DATABASE ${copy} TEMPLATE ${name} STRATEGY file_copy`);
          await client.query(`ALTER DATABASE ${copy} SET synchronous_commit = off`);
        }
      });
      made.push(...names);
      return names.map((copy) => withDatabase(server.url, copy));
    },
    async close() {
      await onServer(server.url, async (client) => {
        for (const one of made) await client.query(`DROP DATABASE ${one} WITH (FORCE)`);
      });
      await server.stop();
    },
  };
}

async function findServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const given = await existingServer();
  if (given) return { url: given, stop: async () => {} };
  const directory = await mkdtemp(join(tmpdir(), 'relay-torture-'));
  const server = await startPrivateServer({ directory, log: silentLog });
  return {
    url: connectionUrl(server.owner),
    async stop() {
      await server.stop();
      await removeFolder(directory);
    },
  };
}
