// Exports everything as an archive of readable JSON lines: one consistent snapshot of all tables and waiting jobs,
// streamed in parts of bounded size, between a description at the beginning and a manifest of checksums at the end.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Sealer } from '@relay/core/ports/sealer';
import { sql } from 'kysely';
import { createTarPacker, type TarPackController } from 'modern-tar';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { readSnapshot } from '../../platform/db/transaction.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import {
  ARCHIVE_FORMAT,
  type ArchiveHead,
  type ArchiveManifest,
  type ArchivePart,
  EXCLUDED_TABLES,
  HEAD_NAME,
  JOBS_PART,
  listArchivedTables,
  MANIFEST_NAME,
} from './archive.ts';
import { mapSecrets, NO_SECRET, SECRETS_TABLE } from './secrets.ts';

const PART_BYTES = 4 * 1024 * 1024;
const FETCH_ROWS = 500;

interface ExportOptions {
  readonly database: Pick<Database, 'kysely'>;
  readonly jobs: Pick<Jobs, 'exportWaiting'>;
  readonly version: string;
  readonly schemaVersion: number;
  readonly vault: ArchiveHead['vault'];
  /** Given only if the archive is encrypted as a whole: opens the secrets, so that any home can restore them. */
  readonly openSecrets?: Pick<Sealer, 'open'>;
  readonly madeAt?: Date;
}

/** A gzipped tar. An error destroys the stream, so that an incomplete archive never looks complete. */
export function exportArchive(options: ExportOptions): Readable {
  const { readable, controller } = createTarPacker();
  const gzip = createGzip({ level: 6 });
  // The reader gets the failure as the error of its stream.
  pipeline(Readable.fromWeb(readable), gzip).catch(() => {});
  fill(controller, options).catch((error: unknown) => controller.error(error));
  return gzip;
}

async function fill(tar: TarPackController, options: ExportOptions): Promise<void> {
  const { database, jobs, openSecrets } = options;
  const parts: ArchivePart[] = [];
  const head: ArchiveHead = {
    format: ARCHIVE_FORMAT,
    made_by: `relay ${options.version}`,
    made_at: (options.madeAt ?? new Date()).toISOString(),
    schema_version: options.schemaVersion,
    secrets: openSecrets === undefined ? 'sealed' : 'open',
    vault: options.vault,
  };
  await entry(tar, HEAD_NAME, jsonFile(head));
  const sequences = await readSnapshot(database.kysely, async (tx) => {
    for (const table of await listArchivedTables(tx)) {
      const lines = linesOf(tx, table);
      const isOpened = openSecrets !== undefined && table === SECRETS_TABLE;
      await writeTable(tar, table, isOpened ? openEach(lines, openSecrets) : lines, parts);
    }
    await writeTable(tar, JOBS_PART, jobs.exportWaiting(tx), parts);
    return readSequences(tx);
  });
  const manifest: ArchiveManifest = { ...head, parts, sequences, left_out: EXCLUDED_TABLES };
  await entry(tar, MANIFEST_NAME, jsonFile(manifest));
  tar.finalize();
}

const jsonFile = (value: object): Buffer => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);

async function* openEach(
  lines: AsyncIterable<string>,
  sealer: Pick<Sealer, 'open'>,
): AsyncGenerator<string> {
  const open = (name: string, bytes: Uint8Array): Uint8Array => {
    try {
      return sealer.open(name, bytes);
    } catch {
      return NO_SECRET;
    }
  };
  for await (const line of lines) yield mapSecrets(line, open);
}

async function readSequences(tx: Transaction): Promise<ArchiveManifest['sequences']> {
  const { rows } = await sql<{ name: string; last: number }>`
    SELECT sequencename AS name, last_value AS last FROM pg_sequences
    WHERE schemaname = 'relay' AND last_value IS NOT NULL ORDER BY 1`.execute(tx);
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]));
}

async function* linesOf(tx: Transaction, table: string): AsyncGenerator<string> {
  const cursor = sql.ref(`export_${table}`);
  await sql`DECLARE ${cursor} NO SCROLL CURSOR FOR SELECT row_to_json(t)::text AS line FROM ${sql.table(table)} t`.execute(
    tx,
  );
  for (;;) {
    const { rows } = await sql<{
      line: string;
    }>`FETCH ${sql.lit(FETCH_ROWS)} FROM ${cursor}`.execute(tx);
    for (const row of rows) yield row.line;
    if (rows.length < FETCH_ROWS) break;
  }
  await sql`CLOSE ${cursor}`.execute(tx);
}

async function writeTable(
  tar: TarPackController,
  table: string,
  lines: AsyncIterable<string>,
  parts: ArchivePart[],
): Promise<void> {
  let held: string[] = [];
  let bytes = 0;
  let number = 0;
  const flush = async () => {
    number += 1;
    const content = Buffer.from(held.map((line) => `${line}\n`).join(''));
    const name = `${table}/${String(number).padStart(5, '0')}.jsonl`;
    await entry(tar, name, content);
    const sha256 = createHash('sha256').update(content).digest('hex');
    parts.push({ name, table, rows: held.length, bytes: content.length, sha256 });
    held = [];
    bytes = 0;
  };
  for await (const line of lines) {
    held.push(line);
    bytes += line.length;
    if (bytes >= PART_BYTES) await flush();
  }
  if (held.length > 0 || number === 0) await flush();
}

/** Waits for the reader: a slow one slows the export down instead of filling the memory. */
async function entry(tar: TarPackController, name: string, content: Buffer): Promise<void> {
  const writer = tar.add({ name, size: content.length, type: 'file', mode: 0o600 }).getWriter();
  await writer.write(content);
  await writer.close();
}
