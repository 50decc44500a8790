// Restores an archive into an empty database, in one transaction: either all of it matches its manifest and
// is there afterwards, or nothing has changed.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { RelayError } from '@relay/core/errors';
import { sql } from 'kysely';
import { createTarDecoder } from 'modern-tar';
import { z } from 'zod';
import type { Jobs } from '../jobs/jobs.ts';
import { QUEUE_NAMES } from '../jobs/queues.ts';
import type { Database, Transaction } from '../store/database.ts';
import type { Lease } from '../store/lease.ts';
import { fence } from '../store/lease.ts';
import type { Manifest, Part } from './manifest.ts';
import { JOBS, MANIFEST_NAME, manifestSchema } from './manifest.ts';
import { tablesInOrder } from './tables.ts';

/** No part that we write comes near it; one that does was not written by us. */
const LARGEST_PART = 64 * 1024 * 1024;

export interface ImportOptions {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly lease: Lease;
  readonly schemaVersion: number;
}

export interface Imported {
  readonly tables: Readonly<Record<string, number>>;
}

export async function importArchive(options: ImportOptions, archive: Readable): Promise<Imported> {
  return options.database.kysely.transaction().execute(async (tx) => {
    await fence(tx, options.lease);
    const tables = new Set(await tablesInOrder(tx));
    await refuseUnlessEmpty(tx, tables);
    await prepare(tx);
    const { parts, manifest } = await restoreParts(tx, options.jobs, tables, archive);
    compare(parts, manifest, options.schemaVersion);
    await settle(tx, options.lease);
    return { tables: totals(parts) };
  });
}

/** What a first start makes by itself; anything else is somebody's. */
const MADE_AT_START = new Set(['accounts', 'ledger_heads']);

async function refuseUnlessEmpty(tx: Transaction, tables: ReadonlySet<string>): Promise<void> {
  for (const table of tables) {
    if (MADE_AT_START.has(table)) continue;
    const { rows } = await sql`SELECT FROM ${sql.table(table)} LIMIT 1`.execute(tx);
    if (rows.length > 0) throw new RelayError('import_not_empty');
  }
}

/** The fresh account gives way to the archive's; its lease comes back at the end. */
async function prepare(tx: Transaction): Promise<void> {
  await sql`CREATE TEMP TABLE kept_leases ON COMMIT DROP AS SELECT * FROM account_leases`.execute(
    tx,
  );
  await sql`ALTER TABLE accounts DISABLE TRIGGER account_has_ledger`.execute(tx);
  await sql`DELETE FROM accounts`.execute(tx);
}

async function restoreParts(
  tx: Transaction,
  jobs: Jobs,
  tables: ReadonlySet<string>,
  archive: Readable,
) {
  const parts: Part[] = [];
  let manifest: Manifest | null = null;
  try {
    // The one on the left destroys the one on the right with its error, so the loop sees every failure.
    const unpacked = archive.pipe(createGunzip());
    archive.once('error', (error) => unpacked.destroy(error));
    const entries = Readable.toWeb(unpacked).pipeThrough(createTarDecoder({ strict: true }));
    for await (const { header, body } of entries) {
      if (header.size > LARGEST_PART) throw invalid(`${header.name} is too large`);
      const content = Buffer.from(await new Response(body).arrayBuffer());
      if (header.name === MANIFEST_NAME) manifest = parseManifest(content);
      else parts.push(await restorePart(tx, jobs, tables, header.name, content));
    }
  } catch (error) {
    if (error instanceof RelayError) throw error;
    throw invalid('it is damaged', error);
  }
  if (manifest === null) throw invalid('it has no manifest, so it was cut off');
  return { parts, manifest };
}

async function restorePart(
  tx: Transaction,
  jobs: Jobs,
  tables: ReadonlySet<string>,
  name: string,
  content: Buffer,
): Promise<Part> {
  const table = name.split('/')[0] ?? '';
  const lines = content
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');
  if (lines.length > 0) {
    if (table === JOBS) await restoreJobs(tx, jobs, lines);
    else if (tables.has(table)) await restoreRows(tx, table, lines);
    else throw invalid(`it holds ${table}, which this version does not know`);
  }
  const sha256 = createHash('sha256').update(content).digest('hex');
  return { name, table, rows: lines.length, bytes: content.length, sha256 };
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
  const columns = sql.join(await columnsOf(tx, table));
  await sql`INSERT INTO ${sql.table(table)} OVERRIDING SYSTEM VALUE
    SELECT ${columns} FROM json_populate_recordset(NULL::${sql.table(table)}, ${rows}::json)`.execute(
    tx,
  );
}

/** In a line both are `null`; where a column cannot be empty, it was the JSON value. */
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
});

async function restoreJobs(tx: Transaction, jobs: Jobs, lines: readonly string[]): Promise<void> {
  for (const line of lines) {
    const { queue, key, data } = jobSchema.parse(JSON.parse(line));
    await jobs.enqueue(tx, queue, [{ key, data: data as never }]);
  }
}

function compare(parts: readonly Part[], manifest: Manifest, schemaVersion: number): void {
  if (manifest.schema_version !== schemaVersion) {
    throw invalid(
      `it was made with schema ${manifest.schema_version} and this Relay has ${schemaVersion}: restore it with the Relay version that made it (${manifest.made_by}) and upgrade afterwards`,
    );
  }
  const found = new Map(parts.map((part) => [part.name, part]));
  for (const part of manifest.parts) {
    const mine = found.get(part.name);
    if (mine === undefined) throw invalid(`${part.name} is missing`);
    if (mine.sha256 !== part.sha256) throw invalid(`${part.name} was altered`);
  }
  // Counted, not compared by name: a part that comes twice was restored twice.
  if (parts.length !== manifest.parts.length) throw invalid('it holds more than its manifest says');
}

/** Numbers go on where the archive left off, and the worker that runs now keeps its lease. */
async function settle(tx: Transaction, lease: Lease): Promise<void> {
  await sql`ALTER TABLE accounts ENABLE TRIGGER account_has_ledger`.execute(tx);
  await resetIdentities(tx);
  await sql`SELECT setval('message_ids', greatest(1, (SELECT max(id) FROM messages)))`.execute(tx);
  const { rows } = await sql`
    INSERT INTO account_leases SELECT k.* FROM kept_leases k JOIN accounts a ON a.id = k.account_id
    WHERE k.account_id = ${lease.account} RETURNING 1`.execute(tx);
  if (rows.length !== 1) throw invalid('it belongs to another account');
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

function parseManifest(content: Buffer): Manifest {
  const parsed = manifestSchema.safeParse(JSON.parse(content.toString('utf8')));
  if (!parsed.success) throw invalid('its manifest is not one of ours');
  return parsed.data;
}

function totals(parts: readonly Part[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const part of parts) sums[part.table] = (sums[part.table] ?? 0) + part.rows;
  return sums;
}

const invalid = (what: string, cause?: unknown) =>
  new RelayError('archive_invalid', { what }, { cause });
