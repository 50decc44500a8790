// The shared pool as one account uses it: every connection works for the account before it runs a statement. The server
// keeps the setting `relay.account` for the session, and row-level security reads it, so a pool that serves one account
// sets it once for each connection. Behind a pooler in transaction mode a session has no account: there every
// transaction sets it, and a single statement becomes a transaction.
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  PostgresDriver,
  type TransactionSettings,
} from 'kysely';
import type pg from 'pg';

/** The value of the setting: an account, or all of them. */
export type AccountSetting = `${number}` | '*';

/** For whom the session of each connection works now. */
const settings = new WeakMap<object, AccountSetting>();

/** The pool, with connections that work for this account from the moment they are handed out. */
export function connectionsOf(pool: pg.Pool, account: AccountSetting): pg.Pool {
  const connect = async (): Promise<pg.PoolClient> => {
    const client = await pool.connect();
    if (settings.get(client) === account) return client;
    try {
      settings.delete(client);
      await client.query(`SET relay.account = '${account}'`);
      settings.set(client, account);
      return client;
    } catch (error) {
      client.release(true);
      throw error;
    }
  };
  const query = async (...asked: unknown[]): Promise<unknown> => {
    const client = await connect();
    try {
      const result = await (client.query as (...all: unknown[]) => Promise<unknown>)(...asked);
      client.release();
      return result;
    } catch (error) {
      client.release(error as Error);
      throw error;
    }
  };
  return Object.create(pool, { connect: { value: connect }, query: { value: query } }) as pg.Pool;
}

type OwnConnection = Parameters<PostgresDriver['rollbackTransaction']>[0];

/** Callbacks of the transaction that runs on a connection. */
const commitCallbacks = new WeakMap<DatabaseConnection, (() => void)[]>();

/** Calls back when the transaction of this connection has committed, and never if it rolls back. */
export function addCommitCallback(connection: DatabaseConnection, callback: () => void): void {
  const known = commitCallbacks.get(connection);
  if (known === undefined) commitCallbacks.set(connection, [callback]);
  else known.push(callback);
}

export class AccountDriver extends PostgresDriver {
  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    const callbacks = commitCallbacks.get(connection);
    commitCallbacks.delete(connection);
    await super.commitTransaction(connection);
    for (const call of callbacks ?? []) call();
  }

  override async rollbackTransaction(connection: OwnConnection): Promise<void> {
    commitCallbacks.delete(connection);
    await super.rollbackTransaction(connection);
  }
}

/** For a pooler in transaction mode. */
export class PooledAccountDriver implements Driver {
  readonly #driver: AccountDriver;
  readonly #local: string;

  constructor(driver: AccountDriver, account: AccountSetting) {
    this.#driver = driver;
    this.#local = localSettings(account);
  }

  init(): Promise<void> {
    return this.#driver.init();
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const inner = (await this.#driver.acquireConnection()) as OwnConnection;
    return new PooledConnection(inner, this.#driver, this.#local);
  }

  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings) {
    const pooled = connection as PooledConnection;
    await this.#driver.beginTransaction(pooled.inner, settings);
    pooled.isInTransaction = true;
    await pooled.inner.executeQuery(CompiledQuery.raw(this.#local));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    const pooled = connection as PooledConnection;
    pooled.isInTransaction = false;
    await this.#driver.commitTransaction(pooled.inner);
    pooled.callBack();
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    const pooled = connection as PooledConnection;
    pooled.isInTransaction = false;
    commitCallbacks.delete(pooled);
    await this.#driver.rollbackTransaction(pooled.inner);
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    await this.#driver.releaseConnection((connection as PooledConnection).inner);
  }

  destroy(): Promise<void> {
    return this.#driver.destroy();
  }
}

/** What the start of a session sets where the session is ours. */
const localSettings = (account: AccountSetting): string =>
  `SET LOCAL search_path = relay; SET LOCAL timezone = 'UTC'; SET LOCAL relay.account = '${account}'`;

class PooledConnection implements DatabaseConnection {
  readonly inner: OwnConnection;
  readonly #driver: AccountDriver;
  readonly #local: string;
  isInTransaction = false;

  constructor(inner: OwnConnection, driver: AccountDriver, local: string) {
    this.inner = inner;
    this.#driver = driver;
    this.#local = local;
  }

  executeQuery: DatabaseConnection['executeQuery'] = async (query) => {
    if (this.isInTransaction) return this.inner.executeQuery(query);
    await this.inner.executeQuery(CompiledQuery.raw(`BEGIN; ${this.#local}`));
    try {
      const result = await this.inner.executeQuery(query);
      await this.inner.executeQuery(CompiledQuery.raw('COMMIT'));
      return result as never;
    } catch (error) {
      await this.#driver.rollbackTransaction(this.inner);
      throw error;
    }
  };

  streamQuery: DatabaseConnection['streamQuery'] = (query, chunkSize) =>
    this.inner.streamQuery(query, chunkSize);

  callBack(): void {
    const callbacks = commitCallbacks.get(this);
    commitCallbacks.delete(this);
    for (const call of callbacks ?? []) call();
  }
}
