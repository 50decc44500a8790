// Restores an archive into an empty database in one transaction: either all of it matches its manifest and is restored,
// or nothing changes. An archive of an earlier schema is first upgraded in a database of its own. Whatever gave others
// access is off afterwards until the owner turns it on again, because it may have been revoked since the backup.
import type { Readable } from 'node:stream';
import type { ArchiveImportReport } from '@relay/contract/api/backups';
import { RelayError } from '@relay/contract/errors';
import type { AccountId } from '@relay/contract/ids';
import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { forEachAccount, listAccountTables } from '../../platform/db/account.ts';
import {
  type ConnectionTarget,
  type Db,
  openDatabase,
  type SharedDatabase,
  sealOf,
  setAccount,
  type Transaction,
  withOpenDatabase,
} from '../../platform/db/database.ts';
import { isDatabaseUnavailable, retryWhileUnavailable } from '../../platform/db/failures.ts';
import type { Lease } from '../../platform/db/lease.ts';
import { signUnsignedRows } from '../../platform/db/ledger.ts';
import { loadMigrations, migrate } from '../../platform/db/migrate.ts';
import { isPermissionDenied } from '../../platform/db/roles.ts';
import { suspendTokens } from '../../platform/db/tokens.ts';
import { readSnapshot, transaction, type UnitOfWork } from '../../platform/db/transaction.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { QUEUE_NAMES } from '../../platform/jobs/queues.ts';
import { type AddedAccount, openAddedAccount } from './add-account.ts';
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
import { type ArchiveFiles, type ForEachRestored, fileKey, settleRestoredFiles } from './files.ts';
import {
  findArchiveKey,
  openResealing,
  type RestoreKeys,
  SECRETS_TABLE,
  unreadableSecretIn,
} from './secrets.ts';

export interface ImportOptions {
  readonly database: SharedDatabase;
  readonly jobs: Jobs;
  readonly lease: Lease;
  readonly schemaVersion: number;
  readonly keys: RestoreKeys;
  /** The role that owns the tables. It creates a database for the upgrade of an older archive. */
  readonly owner: ConnectionTarget;
  /** The store of this home. Without it, media is restored without files. */
  readonly files?: Pick<ArchiveFiles, 'put'>;
  /** Identifies this restore in the database once it is committed. */
  readonly id?: string;
  /** Adds the archive's one account to what is in the home, under this name. By default the home has to be empty. */
  readonly as?: string | undefined;
  /** The last step for each account, in the restore's transaction: decides which restored messages may still be sent. */
  readonly onRestored: (tx: Transaction, madeAt: Date, account: AccountId) => Promise<void>;
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
    const { allAccounts } = options.database;
    // Refused before an upgrade that may take minutes; checked again in the transaction.
    if (options.as === undefined) await readSnapshot(allAccounts, refuseUnlessEmpty);
    const added = options.as === undefined ? null : await openAddedAccount(allAccounts, options.as);
    return await (found === known
      ? restore({ ...options, added }, opened)
      : withUpgradedArchive({ ...options, added }, opened, restore));
  } finally {
    opened.close();
  }
}

interface RestoreOptions extends ImportOptions {
  readonly added: AddedAccount | null;
}

async function restore(
  options: RestoreOptions,
  opened: OpenedArchive,
  /** The files that were taken from the archive before: their hashes and their names in this home. */
  files: Map<string, string> = new Map(),
): Promise<ArchiveImportReport> {
  const { allAccounts: db } = options.database;
  const { added, keys } = options;
  const account = added?.id ?? options.lease.account;
  const { head } = opened;
  const seal = sealOf(db);
  const former = await findArchiveKey(keys, head);
  const reseal = openResealing(keys, head, { former, as: added?.id });
  const forEach: ForEachRestored = added === null ? forEachAccount : forOne(added.id);
  let isReplaced = false;
  let report: ArchiveImportReport | null = null;
  // Only one attempt, because the archive is a stream and can be read only once.
  const once = { attempts: 1 };
  const run = async ({ tx }: UnitOfWork): Promise<ArchiveImportReport> => {
    const tables = new Set(await listArchivedTables(tx));
    if (added === null) await refuseUnlessEmpty(tx);
    const kept = added === null ? await removeFreshAccount(tx, options.lease) : null;
    const unreadable: string[] = [];
    const toOwn = async ({ table, lines }: ArchiveRows): Promise<readonly string[]> => {
      if (added === null) return lines;
      if (table === 'owners') return [];
      if (table === JOBS_PART) return lines.map((line) => added.renumberJob(line));
      if (table !== 'accounts') return lines.map((line) => added.renumber(line));
      added.noteRows(lines);
      const { sealer } = keys;
      const { account: owner } = options.lease;
      return Promise.all(lines.map((line) => added.toRow(tx, line, { owner, former, sealer })));
    };
    const manifest = await opened.readParts(
      async (part) => {
        const isSecret = part.table === SECRETS_TABLE;
        const lines = await toOwn(isSecret ? { ...part, lines: part.lines.map(reseal) } : part);
        if (part.table === JOBS_PART) return restoreJobs(tx, options.jobs, lines);
        if (isSecret)
          unreadable.push(...lines.flatMap((one) => unreadableSecretIn(one, keys) ?? []));
        return restorePart(tx, tables, { ...part, lines });
      },
      storeIn(options, files),
    );
    await assertCounts(tx, manifest, added === null ? null : forEach);
    await added?.settle(tx, former, keys.sealer);
    if (options.files !== undefined) await settleRestoredFiles(tx, files, forEach);
    await restoreSequences(tx, manifest.sequences);
    if (kept !== null) await restoreLease(tx, kept);
    isReplaced = true;
    const suspended: string[] = [];
    const webhooks: string[] = [];
    await forEach(tx, async (each) => {
      await signUnsignedRows(tx, each);
      // The cached head belongs to the former ledger and is not valid for the restored one.
      seal.forgetHead(each);
      suspended.push(...(await suspendTokens(tx, each)));
      webhooks.push(...(await switchOffWebhooks(tx, each)));
      await options.onRestored(tx, new Date(head.made_at), each);
    });
    await setAccount(tx, account);
    if (options.id !== undefined) await noteRestore(tx, account, options.id);
    report = {
      tables: countArchiveRows(manifest),
      made_at: head.made_at,
      upgraded_from: null,
      suspended_tokens: [...new Set(suspended)].sort(),
      disabled_webhooks: webhooks.sort(),
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

/** Under its own hash, whatever the entry was called. */
function storeIn({ files: store, added }: RestoreOptions, into: Map<string, string>) {
  if (store === undefined) return undefined;
  return async (archived: AccountId, source: AsyncIterable<Uint8Array>): Promise<void> => {
    const account = added?.id ?? archived;
    const { sha256, object } = await store.put(account, source);
    into.set(fileKey({ account, sha256: sha256.toString('hex') }), object);
  };
}

// An archive of an earlier schema: its rows are loaded into an empty database of that schema, which is then migrated
// like any other, and exported again. The upgrade of an archive is therefore the upgrade of a database.

async function withUpgradedArchive(
  options: RestoreOptions,
  opened: OpenedArchive,
  run: typeof restore,
): Promise<ArchiveImportReport> {
  const { database, owner } = options;
  const known = await loadMigrations();
  const { head } = opened;
  const files = new Map<string, string>();
  return withScratchDatabase(owner, async (target) => {
    const scratch = openDatabase(target, { max: 4, prepare: database.prepares });
    try {
      await migrate(
        scratch.pool,
        known.filter(({ number }) => number <= head.schema_version),
      );
      const jobs: string[] = [];
      await scratch.allAccounts.transaction().execute(async (tx) => {
        const tables = new Set(await listArchivedTables(tx));
        const manifest = await opened.readParts(
          async (part) => {
            if (part.table === JOBS_PART) jobs.push(...part.lines);
            else await restorePart(tx, tables, part);
          },
          storeIn(options, files),
        );
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
        return { ...(await run(options, reopened, files)), upgraded_from: head.schema_version };
      } finally {
        reopened.close();
      }
    } finally {
      await scratch.close();
    }
  });
}

const AS_IT_IS = {
  forAccount: () => ({ open: (_: string, bytes: Uint8Array) => bytes }),
} as unknown as RestoreKeys['sealer'];

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
  return withOpenDatabase(owner, async ({ allAccounts }) => {
    const { name, role } = await scratchName(allAccounts);
    try {
      await sql`CREATE DATABASE ${sql.id(name)}`.execute(allAccounts);
      return name;
    } catch (error) {
      if (!isPermissionDenied(error)) throw error;
      throw new RelayError('restore_needs_database', { role }, { cause: error });
    }
  });
}

/** Also called at the start after a restore was interrupted. */
export const dropScratchDatabase = (owner: ConnectionTarget): Promise<void> =>
  withOpenDatabase(owner, async ({ allAccounts }) => {
    const { name } = await scratchName(allAccounts);
    await sql`DROP DATABASE IF EXISTS ${sql.id(name)} WITH (FORCE)`.execute(allAccounts);
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
const MADE_AT_START = new Set(['owners', 'accounts', 'ledger_heads']);

async function refuseUnlessEmpty(tx: Transaction): Promise<void> {
  const tables = (await listArchivedTables(tx)).filter((table) => !MADE_AT_START.has(table));
  const filled = new Set<string>();
  const look = async () => {
    for (const table of tables) {
      const { rows } = await sql`SELECT FROM ${sql.table(table)} LIMIT 1`.execute(tx);
      if (rows.length > 0) filled.add(table.replaceAll('_', ' '));
    }
  };
  await look();
  await forEachAccount(tx, look);
  const held = [...filled];
  if (held.length === 0) return;
  const [named, others] = held.length > 3 ? [held.slice(0, 2), held.length - 2] : [held, 0];
  const what = `${named.join(', ')}${others > 0 ? ` and ${others} other tables` : ''}`;
  throw new RelayError('import_not_empty', { what });
}

const forOne =
  (account: AccountId): ForEachRestored =>
  async (tx, work) => {
    await setAccount(tx, account);
    await work(account);
    await setAccount(tx, '*');
  };

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
  const columns = sql.join(await columnsOf(tx, table));
  const insert = async (which: RawBuilder<unknown>) => {
    // The first owner is created with the schema, and an empty head with its account.
    if (table === 'owners' || table === 'ledger_heads')
      await sql`DELETE FROM ${sql.table(table)} WHERE ${which}`.execute(tx);
    await sql`INSERT INTO ${sql.table(table)} OVERRIDING SYSTEM VALUE
      SELECT ${columns} FROM json_populate_recordset(NULL::${sql.table(table)}, ${rows}::json)
      WHERE ${which}`.execute(tx);
  };
  const accounts = new Set(
    lines.map((line) => rowAccountSchema.parse(JSON.parse(line)).account_id),
  );
  for (const account of accounts) {
    if (account === undefined) await insert(sql`true`);
    else {
      await setAccount(tx, account);
      await insert(sql`account_id = ${account}`);
    }
  }
  await setAccount(tx, '*');
}

/** Rows of `owners` and `accounts` have none. */
const rowAccountSchema = z.object({
  account_id: z
    .int()
    .transform((id) => id as AccountId)
    .optional(),
});

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

/**
 * Each table has as many rows as the archive, so that nothing was dropped or added on the way. `added`: those of the
 * added account; what accounts share has other rows too.
 */
async function assertCounts(
  tx: Transaction,
  manifest: ArchiveManifest,
  added: ForEachRestored | null,
): Promise<void> {
  const tables = await listAccountTables(tx);
  for (const [table, rows] of Object.entries(countArchiveRows(manifest))) {
    if (table === JOBS_PART || (added !== null && !tables.has(table))) continue;
    let restored = 0;
    const count = async (which: RawBuilder<unknown>) => {
      const found = await sql<{ rows: number }>`
        SELECT count(*) AS rows FROM ${sql.table(table)} WHERE ${which}`.execute(tx);
      restored += found.rows[0]?.rows ?? 0;
    };
    const forEach = added ?? forEachAccount;
    if (tables.has(table)) await forEach(tx, (id) => count(sql`account_id = ${id}`));
    else await count(sql`true`);
    if (restored !== rows)
      throw invalidArchive(`${table} has ${rows} rows, and ${restored} were restored`);
  }
}

/** Sequences continue where the archive ended. */
async function restoreSequences(
  tx: Transaction,
  sequences: ArchiveManifest['sequences'],
): Promise<void> {
  await forEachAccount(tx, () => raiseIdentities(tx));
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
  let isCommitted = false;
  await readSnapshot(db, (tx) =>
    forEachAccount(tx, async () => {
      const { rows } = await sql`SELECT FROM settings
        WHERE key = ${RESTORE_KEY} AND value = ${JSON.stringify(id)}::jsonb`.execute(tx);
      isCommitted ||= rows.length > 0;
    }),
  );
  return isCommitted;
}

/** Every sequence continues after the numbers of this account. */
async function raiseIdentities(tx: Transaction): Promise<void> {
  await sql`SELECT setval('message_ids', greatest(1, pg_sequence_last_value('message_ids'),
    (SELECT max(id) FROM messages)))`.execute(tx);
  const { rows } = await sql<{ table: string; column: string }>`
    SELECT c.relname AS table, a.attname AS column FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE c.relnamespace = 'relay'::regnamespace AND c.relkind = 'r' AND NOT c.relispartition
      AND a.attidentity <> ''`.execute(tx);
  for (const { table, column } of rows) {
    const sequence = sql`pg_get_serial_sequence(${`relay.${table}`}, ${column})`;
    await sql`SELECT setval(${sequence}, greatest(1, pg_sequence_last_value(${sequence}),
      (SELECT max(${sql.ref(column)}) FROM ${sql.table(table)})))`.execute(tx);
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
