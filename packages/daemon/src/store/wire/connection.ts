// The connection that writes, outside the pool: its statements go one after the other, so what is durable
// is a prefix of what was sent. Once it is lost, nobody knows what became of the last one.
import pg from 'pg';
import type { ConnectionTarget } from '../database.ts';
import type { Query } from './batch.ts';

const SESSION = {
  search_path: 'relay',
  timezone: 'UTC',
  // The plan never depends on the arrays, and planning costs more than executing.
  plan_cache_mode: 'force_generic_plan',
  lock_timeout: '10s',
  statement_timeout: '30s',
};

/** A server that does not even cancel by itself is taken for gone. */
const SILENCE_MS = 40_000;

export interface ConnectionOptions {
  /** Off for a pooler in front of the server that hands a connection on after every transaction. */
  readonly prepare: boolean;
  onLost(error: unknown): void;
}

export class WireConnection {
  readonly #client: pg.Client;
  readonly #prepare: boolean;

  private constructor(client: pg.Client, prepare: boolean) {
    this.#client = client;
    this.#prepare = prepare;
  }

  static async open(target: ConnectionTarget, options: ConnectionOptions): Promise<WireConnection> {
    const client = new pg.Client({
      ...target,
      options: Object.entries(SESSION)
        .map(([name, value]) => `-c ${name}=${value}`)
        .join(' '),
      application_name: 'relay wire',
      connectionTimeoutMillis: 10_000,
      query_timeout: SILENCE_MS,
      keepAlive: true,
    });
    client.on('error', (error) => options.onLost(error));
    client.on('end', () => options.onLost(new Error('the connection ended')));
    await client.connect();
    return new WireConnection(client, options.prepare);
  }

  /** The accounts whose lease is ours: what was written for others is not there. */
  async write({ name, text, values }: Query): Promise<ReadonlySet<number>> {
    const { rows } = await this.#client.query<[string]>({
      ...(this.#prepare ? { name } : {}),
      text,
      values,
      rowMode: 'array',
    });
    return new Set(rows.map(([account]) => Number(account)));
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => {});
  }
}
