// The connection pool and the typed SQL interface to it. A unit of work takes its transaction as an argument: nothing
// here starts one implicitly.
import type { Sealer } from '@relay/core/ports/sealer';
import {
  Kysely,
  type Transaction as KyselyTransaction,
  PostgresAdapter,
  PostgresDialect,
} from 'kysely';
import pg from 'pg';
import { Seal } from './seal.ts';
import type { Tables } from './tables.ts';

export type Transaction = KyselyTransaction<Tables>;
export type Db = Kysely<Tables>;

export interface Database {
  readonly kysely: Kysely<Tables>;
  readonly pool: pg.Pool;
  /** Whether a connection may keep prepared statements. */
  readonly prepares: boolean;
  close(): Promise<void>;
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

  constructor({ sealer, owner }: PoolOptions) {
    super();
    this.seal = sealer === undefined ? null : new Seal(sealer);
    this.owner = owner ?? null;
  }
}

class RelayDialect extends PostgresDialect {
  readonly #options: PoolOptions;

  constructor(pool: pg.Pool, options: PoolOptions) {
    super({ pool });
    this.#options = options;
  }

  override createAdapter(): RelayAdapter {
    return new RelayAdapter(this.#options);
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

/** Runs what only the owner of the tables may do; uses `db` itself if the daemon is the owner. */
export async function asOwner<T>(db: Db, work: (owner: Db) => Promise<T>): Promise<T> {
  const target = adapterOf(db)?.owner ?? null;
  return target === null ? work(db) : withOpenDatabase(target, ({ kysely }) => work(kysely));
}

/** Opens a few separate connections for the duration of the work. */
export async function withOpenDatabase<T>(
  target: ConnectionTarget,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = openDatabase(target, { max: 3 });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

export function openDatabase(target: ConnectionTarget, options: PoolOptions = {}): Database {
  const prepares = options.prepare !== false;
  const pool = new pg.Pool({
    ...target,
    types,
    max: options.max ?? 12,
    options: '-c search_path=relay -c timezone=UTC',
    application_name: 'relay',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    Client: prepares ? PreparingClient : pg.Client,
  });
  // The pool replaces a connection that breaks, idle or between two statements; a statement that needed it fails on its
  // own.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const kysely = new Kysely<Tables>({ dialect: new RelayDialect(pool, options) });
  return {
    kysely,
    pool,
    prepares,
    async close() {
      await kysely.destroy();
      // A Kysely that never ran a query leaves its pool open.
      if (!pool.ending) await pool.end();
    },
  };
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
