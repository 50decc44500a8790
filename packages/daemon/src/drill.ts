// `relay backup drill`: restores a backup into a scratch PostgreSQL inside the home, verifies it, and removes it again. No
// feature is started, so nothing is sent, delivered or asked of a model.
import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DrillReport } from '@relay/contract/api/backups';
import { RelayError } from '@relay/contract/errors';
import { silentLog } from '@relay/core/log';
import { sql } from 'kysely';
import type { Config } from './config.ts';
import { decryptArchive } from './features/backup/encryption.ts';
import { listBackups } from './features/backup/feature.ts';
import { type ImportOptions, importArchive } from './features/backup/import.ts';
import { takeAccountLease } from './platform/db/account.ts';
import { type Db, databaseOf, openDatabase } from './platform/db/database.ts';
import { verifyChain } from './platform/db/ledger-chain.ts';
import { startPrivateServer } from './platform/db/postgres/server.ts';
import { readBackupPassphrase } from './platform/home/sealed-settings.ts';
import { aesSealer } from './platform/home/vault/sealer.ts';
import { findFormerKey, openVault } from './platform/home/vault/vault.ts';
import { prepareSchema } from './schema.ts';

interface DrillOptions {
  readonly config: Config;
  /** Empty: the newest backup. */
  readonly file: string;
  progress(sentence: string): void;
}

type Check = DrillReport['checks'][number];

export async function drillBackup({
  config,
  file: given,
  progress,
}: DrillOptions): Promise<DrillReport> {
  const began = performance.now();
  const folder = config.settings.backup.folder ?? join(config.home, 'backups');
  const file = given === '' ? ((await listBackups(folder))[0]?.file ?? null) : given;
  if (file === null) throw new RelayError('backup_missing', { folder });
  const about = await stat(file).catch(() => null);
  if (about === null) throw new RelayError('usage', { what: `${file} does not exist.` });
  const vault = await openVault({ home: config.home, ...config.vault });
  const passphrase = await readBackupPassphrase(config.home, vault.sealer);
  const scratch = join(config.home, 'drill');
  await removeLeftScratch(scratch);
  try {
    progress('Starting a scratch database');
    const result = await withScratchServer(scratch, async (given) => {
      progress('Restoring the backup');
      const archive = await decryptArchive(
        createReadStream(file),
        passphrase === null ? [] : [passphrase],
      );
      const report = await importArchive(
        {
          ...given,
          keys: {
            sealer: given.sealer,
            vault: null,
            findFormerKey: async (record) =>
              record.id === vault.record.id
                ? vault.sealer
                : findFormerKey({ home: config.home, ...config.vault }, record),
          },
          onRestored: async () => {},
        },
        archive,
      );
      progress('Verifying the ledger and the keys');
      const ledger = await verifyChain(
        databaseOf(given.database, given.lease.account).kysely,
        given.lease.account,
        {
          full: true,
        },
      );
      const checks: Check[] = [
        describeRows(report.tables),
        { name: 'ledger', ok: ledger.whole, found: ledger.sentence },
        describeSecrets(report.webhooks_without_secret, report.tables),
        await checkTransport(given.database.allAccounts),
      ];
      return { report, checks };
    });
    const { report, checks } = result;
    return {
      ok: checks.every(({ ok }) => ok),
      file,
      bytes: about.size,
      made_at: report.made_at,
      encrypted: file.endsWith('.age'),
      tables: report.tables,
      upgraded_from: report.upgraded_from,
      checks,
      ms: Math.round(performance.now() - began),
    };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

type ScratchDaemon = Pick<
  ImportOptions,
  'database' | 'jobs' | 'lease' | 'schemaVersion' | 'owner'
> & { readonly sealer: ReturnType<typeof aesSealer> };

/** A server, a schema and a lease as a first start has them, with a key that is kept nowhere. */
async function withScratchServer<T>(
  folder: string,
  run: (scratch: ScratchDaemon) => Promise<T>,
): Promise<T> {
  const sealer = aesSealer(createSecretKey(randomBytes(32)));
  const server = await startPrivateServer({ directory: join(folder, 'postgres'), log: silentLog });
  try {
    const database = openDatabase(server.daemon, { sealer, owner: server.owner });
    try {
      const schema = await prepareSchema(database, server.owner, silentLog);
      const lease = await takeAccountLease(database.allAccounts, randomUUID());
      const jobs = await schema.startJobs();
      try {
        const { owner } = server;
        return await run({ database, jobs, lease, schemaVersion: schema.version, owner, sealer });
      } finally {
        await jobs.stop(1_000);
      }
    } finally {
      await database.close();
    }
  } finally {
    await server.stop();
  }
}

/** What a killed drill left is ended and removed: its server is found by its data. */
async function removeLeftScratch(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  const left = await startPrivateServer({
    directory: join(folder, 'postgres'),
    log: silentLog,
  }).catch(() => null);
  await left?.stop();
  await rm(folder, { recursive: true, force: true });
}

function describeRows(tables: DrillReport['tables']): Check {
  const rows = Object.values(tables).reduce((sum, count) => sum + count, 0);
  const found = `${rows} rows in ${Object.keys(tables).length} tables were restored and counted.`;
  return { name: 'rows', ok: true, found };
}

function describeSecrets(unreadable: readonly string[], tables: DrillReport['tables']): Check {
  const name = 'keys';
  if (unreadable.length > 0) {
    const found = `The key for the secrets of these webhooks was not found: ${unreadable.join(', ')}.`;
    return { name, ok: false, found };
  }
  const webhooks = tables.webhooks ?? 0;
  const found = `The secrets of all ${webhooks} webhooks open.`;
  return { name, ok: true, found: webhooks === 0 ? 'There are no secrets in this backup.' : found };
}

/** The session is never in a backup, so that it does not run in two places. */
async function checkTransport(db: Db): Promise<Check> {
  const { rows } = await sql<{ ready: boolean }>`
    SELECT NOT EXISTS (SELECT FROM whatsapp_credentials) AND NOT EXISTS (SELECT FROM whatsapp_keys)
      AND NOT EXISTS (SELECT FROM inbox) AS ready`.execute(db);
  const ok = rows[0]?.ready === true;
  const found = ok
    ? 'WhatsApp can be linked; the session is never in a backup.'
    : 'The tables of the WhatsApp session are not empty.';
  return { name: 'whatsapp', ok, found };
}
