// Records the statements that a piece of our code sends to the database, so that the same statements can be run again
// bare.
import type { Database } from '@relay/daemon/platform/db/database';

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

type Query = (text: unknown, values?: unknown, ...rest: unknown[]) => unknown;

export interface Statements {
  /** Runs it and returns its statements. */
  of(run: () => Promise<unknown>): Promise<readonly Statement[]>;
  /** Runs them one after the other, with the same values and plans, ignoring the results. */
  bare(statements: readonly Statement[]): Promise<void>;
}

export function listenTo({ pool }: Database): Statements {
  let heard: Statement[] | null = null;
  const known = new WeakSet<object>();
  pool.on('acquire', (client) => {
    if (known.has(client)) return;
    known.add(client);
    const query = client.query.bind(client) as Query;
    client.query = ((text: unknown, values?: unknown, ...rest: unknown[]) => {
      if (typeof text === 'string' && Array.isArray(values)) heard?.push({ text, values });
      return query(text, values, ...rest);
    }) as typeof client.query;
  });
  return {
    async of(run) {
      heard = [];
      await run();
      const all = heard;
      heard = null;
      return all;
    },
    async bare(statements) {
      const client = await pool.connect();
      try {
        for (const { text, values } of statements) await client.query(text, [...values]);
      } finally {
        client.release();
      }
    },
  };
}
