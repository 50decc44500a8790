// The connection pool and the typed SQL interface to it, for one account or for all of them. A unit of work takes its
// transaction as an argument: nothing here starts one implicitly.
import type { Socket } from 'node:net';
import type { AccountId } from '@relay/contract/ids';
import type { Sealer } from '@relay/core/ports/sealer';
import {
  type Driver,
  Kysely,
  type Transaction as KyselyTransaction,
  PostgresAdapter,
  PostgresDialect,
  sql,
} from 'kysely';
import pg from 'pg';
import {
  AccountDriver,
  type AccountSetting,
  addCommitCallback,
  connectionsOf,
  PooledAccountDriver,
} from './account-connections.ts';
import { Seal } from './seal.ts';
import type { Tables } from './tables.ts';

export type Transaction = KyselyTransaction<Tables>;
export type Db = Kysely<Tables>;

/** The connections of a process. */
interface Connections {
  readonly pool: pg.Pool;
  /** Whether a connection may keep prepared statements. */
  readonly prepares: boolean;
  close(): Promise<void>;
}

/** The connections as one account uses them: row-level security shows and takes only its rows. */
export interface Database extends Connections {
  readonly kysely: Db;
}

/** The connections of a process that may work for several accounts. */
export interface SharedDatabase extends Connections {
  /** Destroys all connections at once: the server is unreachable, and their own timeouts would take minutes. */
  cut(): void;
  /**
   * For statements that serve all accounts: leases, timers, the transport's tables and `accounts`. No row of another
   * table is visible to it. A test lists who uses it.
   */
  readonly allAccounts: Db;
}

export interface ConnectionTarget {
  connectionString?: string;
  host?: string;
  port?: number;
  user?: string;
  password?: string;
  database?: string;
}

// int8 arrives as text by default. Our counters and ids stay far below 2^53; one that does not stops with an error
// instead of being rounded silently.
const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, (text) => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error(`int8 out of range: ${text}`);
  return value;
});

interface PoolOptions {
  readonly max?: number;
  /** What the connections are called in the server's list of sessions. */
  readonly sessionName?: string;
  /** Off for a connection pooler that passes a connection on after every transaction. */
  readonly prepare?: boolean;
  /** The vault's sealer. Without it no permit and no ledger row can be written. */
  readonly sealer?: Pick<Sealer, 'mac'>;
  /** Another role, which owns the tables. Without it the connecting role owns them. */
  readonly owner?: ConnectionTarget;
}

/**
 * A database and all its transactions share one adapter. It carries the signing key, so that no caller can forget it,
 * and the role that owns the tables.
 */
class RelayAdapter extends PostgresAdapter {
  readonly seal: Seal | null;
  readonly owner: ConnectionTarget | null;
  /** Whether the server is behind a pooler in transaction mode. */
  readonly isPooled: boolean;

  constructor({ sealer, owner, prepare }: PoolOptions) {
    super();
    this.seal = sealer === undefined ? null : new Seal(sealer);
    this.owner = owner ?? null;
    this.isPooled = prepare === false;
  }
}

class RelayDialect extends PostgresDialect {
  readonly #pool: pg.Pool;
  readonly #adapter: RelayAdapter;
  readonly #account: AccountSetting;

  constructor(pool: pg.Pool, adapter: RelayAdapter, account: AccountSetting) {
    super({ pool });
    this.#pool = pool;
    this.#adapter = adapter;
    this.#account = account;
  }

  override createAdapter(): RelayAdapter {
    return this.#adapter;
  }

  override createDriver(): Driver {
    const { isPooled } = this.#adapter;
    const pool = isPooled ? this.#pool : connectionsOf(this.#pool, this.#account);
    const driver = new AccountDriver({ pool });
    return isPooled ? new PooledAccountDriver(driver, this.#account) : driver;
  }
}

function adapterOf(db: Db): RelayAdapter | null {
  const { adapter } = db.getExecutor();
  return adapter instanceof RelayAdapter ? adapter : null;
}

export function sealOf(db: Db): Seal {
  const seal = adapterOf(db)?.seal ?? null;
  if (seal === null)
    throw new Error('this database was opened without the key that signs its ledger');
  return seal;
}

/** Calls back once the transaction has committed, and never if it rolls back. */
export async function onCommit(tx: Transaction, callback: () => void): Promise<void> {
  await tx.getExecutor().provideConnection(async (connection) => {
    addCommitCallback(connection, callback);
  });
}

/** Runs what only the owner of the tables may do; uses `db` itself if the daemon is the owner. */
export async function asOwner<T>(db: Db, work: (owner: Db) => Promise<T>): Promise<T> {
  const target = adapterOf(db)?.owner ?? null;
  return target === null
    ? work(db)
    : withOpenDatabase(target, ({ allAccounts }) => work(allAccounts));
}

/** Opens a few separate connections for the duration of the work. */
export async function withOpenDatabase<T>(
  target: ConnectionTarget,
  work: (database: SharedDatabase) => Promise<T>,
): Promise<T> {
  const database = openDatabase(target, { max: 3 });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

export function openDatabase(target: ConnectionTarget, options: PoolOptions = {}): SharedDatabase {
  const prepares = options.prepare !== false;
  const pool = new pg.Pool({
    ...target,
    types,
    max: options.max ?? 12,
    // A pooler in transaction mode accepts no such options: each transaction sets them.
    ...(prepares ? { options: '-c search_path=relay -c timezone=UTC' } : {}),
    application_name: options.sessionName ?? 'relay',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    Client: prepares ? PreparingClient : pg.Client,
  });
  // The pool replaces a connection that breaks, idle or between two statements; a statement that needed it fails on its
  // own.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const open = new Set<pg.PoolClient>();
  pool.on('connect', (client) => open.add(client));
  pool.on('remove', (client) => open.delete(client));
  const adapter = new RelayAdapter(options);
  const allAccounts = new Kysely<Tables>({ dialect: new RelayDialect(pool, adapter, '*') });
  return {
    allAccounts,
    pool,
    prepares,
    cut() {
      for (const client of open) destroyConnection(client);
    },
    async close() {
      if (!pool.ending) await pool.end();
    },
  };
}

/** Ends a connection that may not answer: what waits on it fails at once. */
export function destroyConnection(client: pg.ClientBase): void {
  (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
}

/** The same connections, for one account: its statements see and write no row of another. */
export function databaseOf(database: SharedDatabase, account: AccountId): Database {
  const adapter = adapterOf(database.allAccounts);
  if (adapter === null) throw new Error('this database was not opened by Relay');
  const { pool, prepares } = database;
  const setting: AccountSetting = `${account}`;
  return {
    kysely: new Kysely<Tables>({ dialect: new RelayDialect(pool, adapter, setting) }),
    pool: prepares ? connectionsOf(pool, setting) : pool,
    prepares,
    // The connections belong to the process.
    close: async () => {},
  };
}

/** Works for another account until the transaction ends, or the next call. */
export async function setAccount(tx: Transaction, account: AccountId | '*'): Promise<void> {
  await sql`SELECT set_config('relay.account', ${`${account}`}, true)`.execute(tx);
}

// A connection on which the server plans each statement once: half of a short statement's time is parsing and planning.
// Names are global to the process, so every connection knows a statement by the same name.

/** Texts with unlimited variants (lists of rows) must not fill the server's memory. */
const MAX_PREPARED_STATEMENTS = 300;
const statementNames = new Map<string, string>();

function statementNameFor(text: string): string | undefined {
  const known = statementNames.get(text);
  if (known !== undefined || statementNames.size >= MAX_PREPARED_STATEMENTS) return known;
  const name = `relay_${statementNames.size}`;
  statementNames.set(text, name);
  return name;
}

type QueryFunction = (...args: unknown[]) => unknown;

class PreparingClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    const query: QueryFunction = this.query.bind(this) as QueryFunction;
    // Assigned, not overridden: the driver's many signatures come down to these two forms.
    this.query = ((text: unknown, values: unknown, callback: unknown) => {
      // A text without values may contain several statements, which cannot be prepared.
      const single = typeof text === 'string' && Array.isArray(values) && values.length > 0;
      const name = single ? statementNameFor(text) : undefined;
      return name === undefined
        ? query(text, values, callback)
        : query({ name, text, values }, callback);
    }) as typeof this.query;
  }
}
