// Restores an archive into an empty database in one transaction: either all of it matches its manifest and is restored,
// or nothing changes. An archive of an earlier schema is first upgraded in a database of its own. Whatever gave others
// access is off afterwards until the owner turns it on again, because it may have been revoked since the backup.
import type { Readable } from 'node:stream';
import type { ArchiveImportReport } from '@relay/contract/api/backups';
import { RelayError } from '@relay/contract/errors';
import type { AccountId } from '@relay/contract/ids';
import { sql } from 'kysely';
import { z } from 'zod';
import {
  type ConnectionTarget,
  type Database,
  type Db,
  openDatabase,
  sealOf,
  type Transaction,
  withOpenDatabase,
} from '../../platform/db/database.ts';
import { isDatabaseUnavailable, retryWhileUnavailable } from '../../platform/db/failures.ts';
import type { Lease } from '../../platform/db/lease.ts';
import { signUnsignedRows } from '../../platform/db/ledger.ts';
import { loadMigrations, migrate } from '../../platform/db/migrate.ts';
import { isPermissionDenied } from '../../platform/db/roles.ts';
import { suspendTokens } from '../../platform/db/tokens.ts';
import { transaction, type UnitOfWork } from '../../platform/db/transaction.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { QUEUE_NAMES } from '../../platform/jobs/queues.ts';
import {
  type ArchiveManifest,
  type ArchiveRows,
  countArchiveRows,
  invalidArchive,
  JOBS_PART,
  listArchivedTables,
  type OpenedArchive,
  openArchive,
} from './archive.ts';
import { exportArchive } from './export.ts';
import { openResealing, type RestoreKeys, SECRETS_TABLE, unreadableSecretIn } from './secrets.ts';

export interface ImportOptions {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly lease: Lease;
  readonly schemaVersion: number;
  readonly keys: RestoreKeys;
  /** The role that owns the tables. It creates a database for the upgrade of an older archive. */
  readonly owner: ConnectionTarget;
  /** Identifies this restore in the database once it is committed. */
  readonly id?: string;
  /** The last step of the restore, in its transaction: decides which restored messages may still be sent. */
  readonly onRestored: (tx: Transaction, madeAt: Date) => Promise<void>;
}

export async function importArchive(
  options: ImportOptions,
  archive: Readable,
): Promise<ArchiveImportReport> {
  const opened = await openArchive(archive);
  try {
    const { schema_version: found, made_by } = opened.head;
    const { schemaVersion: known } = options;
    if (found > known) {
      throw invalidArchive(
        `it was made by a newer Relay (${made_by}, schema ${found}; this version knows ${known}). Upgrade Relay, then import it again`,
      );
    }
    // Refused before an upgrade that may take minutes; checked again in the transaction.
    await refuseUnlessEmpty(options.database.kysely);
    return await (found === known
      ? restore(options, opened)
      : withUpgradedArchive(options, opened, (upgraded) => restore(options, upgraded)));
  } finally {
    opened.close();
  }
}

async function restore(
  options: ImportOptions,
  opened: OpenedArchive,
): Promise<ArchiveImportReport> {
  const { kysely: db } = options.database;
  const { account } = options.lease;
  const { head } = opened;
  const seal = sealOf(db);
  const reseal = await openResealing(options.keys, head);
  let isReplaced = false;
  let report: ArchiveImportReport | null = null;
  // Only one attempt, because the archive is a stream and can be read only once.
  const once = { attempts: 1 };
  const run = async ({ tx }: UnitOfWork): Promise<ArchiveImportReport> => {
    const tables = new Set(await listArchivedTables(tx));
    await refuseUnlessEmpty(tx);
    const kept = await removeFreshAccount(tx, options.lease);
    const unreadable: string[] = [];
    const manifest = await opened.readParts(async (part) => {
      if (part.table === JOBS_PART) return restoreJobs(tx, options.jobs, part.lines);
      if (part.table !== SECRETS_TABLE) return restorePart(tx, tables, part);
      const lines = part.lines.map(reseal);
      unreadable.push(...lines.flatMap((line) => unreadableSecretIn(line, options.keys) ?? []));
      return restorePart(tx, tables, { ...part, lines });
    });
    await assertCounts(tx, manifest);
    await restoreSequences(tx, manifest.sequences);
    await restoreLease(tx, kept);
    await signUnsignedRows(tx, account);
    // The cached head belongs to the former ledger and is not valid for the restored one.
    seal.forgetHead(account);
    isReplaced = true;
    const suspended = await suspendTokens(tx, account);
    const webhooks = await switchOffWebhooks(tx, account);
    await options.onRestored(tx, new Date(head.made_at));
    if (options.id !== undefined) await noteRestore(tx, account, options.id);
    report = {
      tables: countArchiveRows(manifest),
      made_at: head.made_at,
      upgraded_from: null,
      suspended_tokens: suspended,
      disabled_webhooks: webhooks,
      webhooks_without_secret: unreadable,
    };
    return report;
  };
  try {
    return await transaction({ db, lease: options.lease }, run, once);
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
    if (report === null) throw new RelayError('restore_interrupted', {}, { cause: error });
    // The connection broke during the commit, so only the database knows whether it happened.
    return await settleCommit(db, options.id, report, error);
  } finally {
    // The head that this transaction cached is committed only at its end, or never.
    if (isReplaced) seal.forgetHead(account);
  }
}

const COMMIT_PATIENCE_MS = 30_000;

async function settleCommit(
  db: Db,
  id: string | undefined,
  report: ArchiveImportReport,
  cause: unknown,
): Promise<ArchiveImportReport> {
  if (id === undefined) throw cause;
  const isCommitted = await retryWhileUnavailable(
    () => isRestoreCommitted(db, id),
    COMMIT_PATIENCE_MS,
  ).catch((error: unknown) => {
    throw new RelayError('restore_unclear', {}, { cause: error });
  });
  if (isCommitted) return report;
  throw new RelayError('restore_interrupted', {}, { cause });
}

// An archive of an earlier schema: its rows are loaded into an empty database of that schema, which is then migrated
// like any other, and exported again. The upgrade of an archive is therefore the upgrade of a database.

async function withUpgradedArchive(
  { database, owner }: ImportOptions,
  opened: OpenedArchive,
  run: (upgraded: OpenedArchive) => Promise<ArchiveImportReport>,
): Promise<ArchiveImportReport> {
  const known = await loadMigrations();
  const { head } = opened;
  return withScratchDatabase(owner, async (target) => {
    const scratch = openDatabase(target, { max: 4, prepare: database.prepares });
    try {
      await migrate(
        scratch.pool,
        known.filter(({ number }) => number <= head.schema_version),
      );
      const jobs: string[] = [];
      await scratch.kysely.transaction().execute(async (tx) => {
        const tables = new Set(await listArchivedTables(tx));
        const manifest = await opened.readParts(async (part) => {
          if (part.table === JOBS_PART) jobs.push(...part.lines);
          else await restorePart(tx, tables, part);
        });
        await restoreSequences(tx, manifest.sequences);
      });
      const schemaVersion = await migrate(scratch.pool, known);
      const upgraded = exportArchive({
        database: scratch,
        jobs: { exportWaiting: () => linesOf(jobs) },
        version: head.made_by.replace(/^relay /, ''),
        schemaVersion,
        vault: head.vault,
        madeAt: new Date(head.made_at),
        ...(head.secrets === 'open' ? { openSecrets: AS_IT_IS } : {}),
      });
      const reopened = await openArchive(upgraded);
      try {
        return { ...(await run(reopened)), upgraded_from: head.schema_version };
      } finally {
        reopened.close();
      }
    } finally {
      await scratch.close();
    }
  });
}

const AS_IT_IS: Pick<RestoreKeys['sealer'], 'open'> = { open: (_, bytes) => bytes };

async function* linesOf(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

/** A database beside the one in use. Its name is fixed, so that what a killed restore left is removed by the next. */
async function withScratchDatabase<T>(
  owner: ConnectionTarget,
  run: (target: ConnectionTarget) => Promise<T>,
): Promise<T> {
  const name = await createScratchDatabase(owner);
  try {
    return await run(onDatabase(owner, name));
  } finally {
    await dropScratchDatabase(owner).catch(() => {});
  }
}

async function createScratchDatabase(owner: ConnectionTarget): Promise<string> {
  await dropScratchDatabase(owner);
  return withOpenDatabase(owner, async ({ kysely }) => {
    const { name, role } = await scratchName(kysely);
    try {
      await sql`CREATE DATABASE ${sql.id(name)}`.execute(kysely);
      return name;
    } catch (error) {
      if (!isPermissionDenied(error)) throw error;
      throw new RelayError('restore_needs_database', { role }, { cause: error });
    }
  });
}

/** Also called at the start after a restore was interrupted. */
export const dropScratchDatabase = (owner: ConnectionTarget): Promise<void> =>
  withOpenDatabase(owner, async ({ kysely }) => {
    const { name } = await scratchName(kysely);
    await sql`DROP DATABASE IF EXISTS ${sql.id(name)} WITH (FORCE)`.execute(kysely);
  });

async function scratchName(db: Db): Promise<{ name: string; role: string }> {
  const { rows } = await sql<{ name: string; role: string }>`
    SELECT left(current_database(), 40) || '_restore' AS name, current_user AS role`.execute(db);
  const [found] = rows;
  if (found === undefined) throw new Error('a database without a name');
  return found;
}

function onDatabase(target: ConnectionTarget, database: string): ConnectionTarget {
  if (target.connectionString === undefined) return { ...target, database };
  const url = new URL(target.connectionString);
  url.pathname = `/${encodeURIComponent(database)}`;
  return { ...target, connectionString: url.href };
}

/** Tables that a first start fills by itself; rows in any other table are somebody's data. */
const MADE_AT_START = new Set(['accounts', 'ledger_heads']);

async function refuseUnlessEmpty(db: Db): Promise<void> {
  const held: string[] = [];
  for (const table of await listArchivedTables(db)) {
    if (MADE_AT_START.has(table)) continue;
    const { rows } = await sql`SELECT FROM ${sql.table(table)} LIMIT 1`.execute(db);
    if (rows.length > 0) held.push(table.replaceAll('_', ' '));
  }
  if (held.length === 0) return;
  const [named, others] = held.length > 3 ? [held.slice(0, 2), held.length - 2] : [held, 0];
  const what = `${named.join(', ')}${others > 0 ? ` and ${others} other tables` : ''}`;
  throw new RelayError('import_not_empty', { what });
}

/** Removes the new account in favour of the archive's. Returns its lease as JSON, which is restored at the end. */
async function removeFreshAccount(tx: Transaction, { account }: Lease): Promise<string> {
  const { rows } = await sql<{ lease: string }>`
    SELECT to_jsonb(l)::text AS lease FROM account_leases l WHERE account_id = ${account}`.execute(
    tx,
  );
  await sql`DELETE FROM accounts`.execute(tx);
  return rows[0]?.lease ?? 'null';
}

async function restorePart(
  tx: Transaction,
  tables: ReadonlySet<string>,
  { table, lines }: ArchiveRows,
): Promise<void> {
  if (lines.length === 0) return;
  if (tables.has(table)) await restoreRows(tx, table, lines);
  else throw invalidArchive(`it contains ${table}, which this version does not know`);
}

async function restoreRows(
  tx: Transaction,
  table: string,
  lines: readonly string[],
): Promise<void> {
  const rows = `[${lines.join(',')}]`;
  if (table === 'messages') {
    await sql`SELECT ensure_message_month(month) FROM (
      SELECT DISTINCT date_trunc('month', sent_at) AS month
      FROM json_to_recordset(${rows}::json) AS r(sent_at timestamptz)) months`.execute(tx);
  }
  // Restoring an account has created an empty head.
  if (table === 'ledger_heads') await sql`DELETE FROM ledger_heads`.execute(tx);
  const columns = sql.join(await columnsOf(tx, table));
  await sql`INSERT INTO ${sql.table(table)} OVERRIDING SYSTEM VALUE
    SELECT ${columns} FROM json_populate_recordset(NULL::${sql.table(table)}, ${rows}::json)`.execute(
    tx,
  );
}

/** In a line both SQL null and JSON null are `null`; in a column that is not nullable it was the JSON value. */
async function columnsOf(tx: Transaction, table: string) {
  const { rows } = await sql<{ name: string; json: boolean }>`
    SELECT attname AS name, attnotnull AND atttypid = 'jsonb'::regtype AS json FROM pg_attribute
    WHERE attrelid = ${table}::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`.execute(
    tx,
  );
  return rows.map(({ name, json }) =>
    json ? sql`coalesce(${sql.ref(name)}, 'null'::jsonb)` : sql.ref(name),
  );
}

const jobSchema = z.object({
  queue: z.enum(QUEUE_NAMES),
  key: z.string(),
  data: z.record(z.string(), z.unknown()),
  /** Missing in archives of earlier versions. */
  start_after: z.coerce.date().default(() => new Date(0)),
});

async function restoreJobs(tx: Transaction, jobs: Jobs, lines: readonly string[]): Promise<void> {
  for (const line of lines) {
    const { queue, key, data, start_after } = jobSchema.parse(JSON.parse(line));
    const delaySeconds = Math.ceil((start_after.getTime() - Date.now()) / 1_000);
    await jobs.enqueue(tx, queue, [{ key, data: data as never, delaySeconds }]);
  }
}

/** Each table has as many rows as the archive, so that nothing was dropped or added on the way. */
async function assertCounts(tx: Transaction, manifest: ArchiveManifest): Promise<void> {
  for (const [table, rows] of Object.entries(countArchiveRows(manifest))) {
    if (table === JOBS_PART) continue;
    const found = await sql<{
      rows: number;
    }>`SELECT count(*) AS rows FROM ${sql.table(table)}`.execute(tx);
    if (found.rows[0]?.rows !== rows)
      throw invalidArchive(`${table} has ${rows} rows, and ${found.rows[0]?.rows} were restored`);
  }
}

/** Sequences continue where the archive ended. */
async function restoreSequences(
  tx: Transaction,
  sequences: ArchiveManifest['sequences'],
): Promise<void> {
  await resetIdentities(tx);
  await sql`SELECT setval('message_ids', greatest(1, (SELECT max(id) FROM messages)))`.execute(tx);
  await continueSequences(tx, sequences);
}

/** The running daemon keeps its lease. */
async function restoreLease(tx: Transaction, lease: string): Promise<void> {
  const { rows } = await sql`
    INSERT INTO account_leases SELECT k.* FROM jsonb_populate_record(NULL::account_leases, ${lease}::jsonb) k
      JOIN accounts a ON a.id = k.account_id RETURNING 1`.execute(tx);
  if (rows.length !== 1) throw invalidArchive('it belongs to another account');
}

/** Returns the names of those that were on. A webhook that was deleted since the backup must not send again. */
async function switchOffWebhooks(tx: Transaction, account: AccountId): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    UPDATE webhooks SET enabled = false, note = 'restored'
    WHERE account_id = ${account} AND enabled RETURNING name`.execute(tx);
  return rows.map(({ name }) => name).sort();
}

// Which restore this database holds: a row that is written in its transaction, so that it is there if and only if the
// restore was committed.

const RESTORE_KEY = 'restore';

const noteRestore = (tx: Transaction, account: AccountId, id: string) =>
  sql`INSERT INTO settings (account_id, key, value)
    VALUES (${account}, ${RESTORE_KEY}, ${JSON.stringify(id)}::jsonb)`.execute(tx);

export async function isRestoreCommitted(db: Db, id: string): Promise<boolean> {
  const { rows } = await sql`SELECT FROM settings
    WHERE key = ${RESTORE_KEY} AND value = ${JSON.stringify(id)}::jsonb`.execute(db);
  return rows.length > 0;
}

async function resetIdentities(tx: Transaction): Promise<void> {
  const { rows } = await sql<{ table: string; column: string }>`
    SELECT c.relname AS table, a.attname AS column FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE c.relnamespace = 'relay'::regnamespace AND c.relkind = 'r' AND NOT c.relispartition
      AND a.attidentity <> ''`.execute(tx);
  for (const { table, column } of rows) {
    await sql`SELECT setval(pg_get_serial_sequence(${`relay.${table}`}, ${column}),
      greatest(1, (SELECT max(${sql.ref(column)}) FROM ${sql.table(table)})))`.execute(tx);
  }
}

/** Continue after every number that was ever used, also for deleted rows: the ledger may refer to them. */
async function continueSequences(
  tx: Transaction,
  sequences: ArchiveManifest['sequences'],
): Promise<void> {
  const given = JSON.stringify(sequences);
  await sql`SELECT setval(format('%I.%I', s.schemaname, s.sequencename)::regclass,
      greatest(s.last_value, g.value::bigint))
    FROM pg_sequences s JOIN jsonb_each_text(${given}::jsonb) AS g(name, value) ON g.name = s.sequencename
    WHERE s.schemaname = 'relay'`.execute(tx);
}
