// Exports everything, or one account, as an archive of readable JSON lines: one consistent snapshot of all tables and waiting jobs,
// streamed in parts of bounded size, between a description at the beginning and a manifest of checksums at the end.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { AccountId } from '@relay/contract/ids';
import type { Sealer } from '@relay/core/ports/sealer';
import { type RawBuilder, sql } from 'kysely';
import { createTarPacker, type TarPackController } from 'modern-tar';
import { listAccountTables } from '../../platform/db/account.ts';
import { type SharedDatabase, setAccount, type Transaction } from '../../platform/db/database.ts';
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
import { type ArchivedFile, type ArchiveFiles, archiveFiles } from './files.ts';
import { mapSecrets, NO_SECRET, SECRETS_TABLE } from './secrets.ts';

const PART_BYTES = 4 * 1024 * 1024;
const FETCH_ROWS = 500;

interface ExportOptions {
  readonly database: Pick<SharedDatabase, 'allAccounts'>;
  readonly jobs: Pick<Jobs, 'exportWaiting'>;
  readonly version: string;
  readonly schemaVersion: number;
  readonly vault: ArchiveHead['vault'];
  /** Given only if the archive is encrypted as a whole: opens the secrets, so that any home can restore them. */
  readonly openSecrets?: Pick<Sealer, 'forAccount'>;
  readonly madeAt?: Date;
  /** Only these accounts, with the people they belong to; all by default. */
  readonly accounts?: readonly AccountId[];
  /** Without it, the archive has no files of media. */
  readonly files?: ArchiveFiles;
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
  const { database, jobs, openSecrets, accounts } = options;
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
  let files: ArchivedFile[] = [];
  const sequences = await readSnapshot(database.allAccounts, async (tx) => {
    const ofAccounts = await listAccountTables(tx);
    for (const table of await listArchivedTables(tx)) {
      const lines = ofAccounts.has(table)
        ? linesOfAccounts(tx, table, accounts)
        : linesOf(tx, table, accounts === undefined ? sql`true` : partOf(table, accounts));
      const isOpened = openSecrets !== undefined && table === SECRETS_TABLE;
      await writeTable(tar, table, isOpened ? openEach(lines, openSecrets) : lines, parts);
    }
    await writeTable(tar, JOBS_PART, jobs.exportWaiting(tx, accounts), parts);
    if (options.files !== undefined) files = await archiveFiles(tar, tx, options.files, accounts);
    return readSequences(tx);
  });
  const manifest: ArchiveManifest = { ...head, parts, files, sequences, left_out: EXCLUDED_TABLES };
  await entry(tar, MANIFEST_NAME, jsonFile(manifest));
  tar.finalize();
}

const jsonFile = (value: object): Buffer => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);

async function* openEach(
  lines: AsyncIterable<string>,
  sealer: Pick<Sealer, 'forAccount'>,
): AsyncGenerator<string> {
  const open = (name: string, bytes: Uint8Array, account: AccountId): Uint8Array => {
    try {
      return sealer.forAccount(account).open(name, bytes);
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

async function* linesOfAccounts(
  tx: Transaction,
  table: string,
  only: readonly AccountId[] | undefined,
): AsyncGenerator<string> {
  const accounts = await tx.selectFrom('accounts').select('id').orderBy('id').execute();
  for (const { id } of accounts) {
    if (only?.includes(id) === false) continue;
    await setAccount(tx, id);
    // By a condition too, for a role that row-level security does not hold.
    yield* linesOf(tx, table, sql`account_id = ${sql.lit(id)}`);
  }
  await setAccount(tx, '*');
}

/** What the archive of some accounts has of a table that all accounts share. */
function partOf(table: string, accounts: readonly AccountId[]): RawBuilder<unknown> {
  const ids = sql`ANY (${sql.lit(`{${accounts.join(',')}}`)}::bigint[])`;
  switch (table) {
    case 'accounts':
      return sql`id = ${ids}`;
    case 'owners':
      return sql`id IN (SELECT owner_id FROM accounts WHERE id = ${ids})`;
    default:
      throw new Error(`no rule says which rows of the table ${table} belong to an account`);
  }
}

async function* linesOf(
  tx: Transaction,
  table: string,
  which: RawBuilder<unknown>,
): AsyncGenerator<string> {
  const cursor = sql.ref(`export_${table}`);
  await sql`DECLARE ${cursor} NO SCROLL CURSOR FOR SELECT row_to_json(t)::text AS line FROM ${sql.table(table)} t WHERE ${which}`.execute(
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
