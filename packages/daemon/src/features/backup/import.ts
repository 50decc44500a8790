// Restores an archive into an empty database in one transaction: either all of it matches its manifest and is restored,
// or nothing changes.
import type { Readable } from 'node:stream';
import { RelayError } from '@relay/contract/errors';
import { sql } from 'kysely';
import { z } from 'zod';
import { type Database, sealOf, type Transaction } from '../../platform/db/database.ts';
import type { Lease } from '../../platform/db/lease.ts';
import { signUnsignedRows } from '../../platform/db/ledger.ts';
import { transaction, type UnitOfWork } from '../../platform/db/transaction.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { QUEUE_NAMES } from '../../platform/jobs/queues.ts';
import {
  type ArchiveManifest,
  type ArchivePart,
  type ArchiveRows,
  assertArchiveWhole,
  invalidArchive,
  JOBS_PART,
  listArchivedTables,
  readArchive,
} from './archive.ts';

export interface ImportOptions {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly lease: Lease;
  readonly schemaVersion: number;
  /** The last step of the restore, in its transaction: decides which restored messages may still be sent. */
  readonly onRestored: (tx: Transaction, madeAt: Date) => Promise<void>;
}

interface ImportedRows {
  readonly tables: Readonly<Record<string, number>>;
}

export async function importArchive(
  options: ImportOptions,
  archive: Readable,
): Promise<ImportedRows> {
  const { kysely: db } = options.database;
  const { account } = options.lease;
  const seal = sealOf(db);
  let isReplaced = false;
  // Only one attempt, because the archive is a stream and can be read only once.
  const once = { attempts: 1 };
  const restore = async ({ tx }: UnitOfWork) => {
    const tables = new Set(await listArchivedTables(tx));
    await refuseUnlessEmpty(tx, tables);
    const kept = await removeFreshAccount(tx, options.lease);
    const read = await readArchive(archive, (part) => restorePart(tx, options.jobs, tables, part));
    const { manifest } = read;
    refuseOtherSchema(manifest, options.schemaVersion);
    assertArchiveWhole(read);
    await restoreSequencesAndLease(tx, kept, manifest.sequences);
    await signUnsignedRows(tx, account);
    // The cached head belongs to the former ledger and is not valid for the restored one.
    seal.forgetHead(account);
    isReplaced = true;
    await options.onRestored(tx, new Date(manifest.made_at));
    return { tables: totals(read.parts) };
  };
  try {
    return await transaction({ db, lease: options.lease }, restore, once);
  } finally {
    // The head that this transaction cached is committed only at its end, or never.
    if (isReplaced) seal.forgetHead(account);
  }
}

/** Tables that a first start fills by itself; rows in any other table are somebody's data. */
const MADE_AT_START = new Set(['accounts', 'ledger_heads']);

async function refuseUnlessEmpty(tx: Transaction, tables: ReadonlySet<string>): Promise<void> {
  for (const table of tables) {
    if (MADE_AT_START.has(table)) continue;
    const { rows } = await sql`SELECT FROM ${sql.table(table)} LIMIT 1`.execute(tx);
    if (rows.length > 0) throw new RelayError('import_not_empty');
  }
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
  jobs: Jobs,
  tables: ReadonlySet<string>,
  { table, lines }: ArchiveRows,
): Promise<void> {
  if (lines.length === 0) return;
  if (table === JOBS_PART) await restoreJobs(tx, jobs, lines);
  else if (tables.has(table)) await restoreRows(tx, table, lines);
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

function refuseOtherSchema(manifest: ArchiveManifest, schemaVersion: number): void {
  if (manifest.schema_version === schemaVersion) return;
  throw invalidArchive(
    `it was made with schema ${manifest.schema_version} and this Relay has ${schemaVersion}: restore it with the Relay version that made it (${manifest.made_by}), then upgrade`,
  );
}

/** Sequences continue where the archive ended, and the running daemon keeps its lease. */
async function restoreSequencesAndLease(
  tx: Transaction,
  lease: string,
  sequences: ArchiveManifest['sequences'],
): Promise<void> {
  await resetIdentities(tx);
  await sql`SELECT setval('message_ids', greatest(1, (SELECT max(id) FROM messages)))`.execute(tx);
  await continueSequences(tx, sequences);
  const { rows } = await sql`
    INSERT INTO account_leases SELECT k.* FROM jsonb_populate_record(NULL::account_leases, ${lease}::jsonb) k
      JOIN accounts a ON a.id = k.account_id RETURNING 1`.execute(tx);
  if (rows.length !== 1) throw invalidArchive('it belongs to another account');
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

function totals(parts: readonly ArchivePart[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const part of parts) sums[part.table] = (sums[part.table] ?? 0) + part.rows;
  return sums;
}
