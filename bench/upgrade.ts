// An upgrade of a database with a million messages: how long the migrations after the squashed schema take, and for how
// long they keep others from reading or writing. A reader and a writer stay connected; a daemon would be stopped.
// An index over all messages stands for the most that a migration of a later version may do.
import { setTimeout as sleep } from 'node:timers/promises';
import { loadMigrations, migrate } from '@relay/daemon/platform/db/migrate';
import pg from 'pg';
import type { Limit } from './figures.ts';
import { benchServer } from './harness.ts';

/** The schema that the first migrations were squashed into: 0014_operations.sql. */
const SQUASHED = 14;
const CHATS = 1_000;
const LOOK_EVERY_MS = 2;

export async function benchUpgrade(messages = 1_000_000): Promise<readonly Limit[]> {
  const server = await benchServer();
  const pool = new pg.Pool({ ...server.target, options: '-c search_path=relay -c timezone=UTC' });
  try {
    const known = await loadMigrations();
    await migrate(
      pool,
      known.filter(({ number }) => number <= SQUASHED),
    );
    const filled = await timed(() => fill(pool, messages));
    console.log(`filled ${messages} messages in ${(filled / 1_000).toFixed(0)} s`);
    const upgrade = await watched(server.target, () => migrate(pool, known));
    const index = await watched(server.target, () =>
      pool.query('CREATE INDEX messages_next ON messages (account_id, kind, sent_at)'),
    );
    const { rows } = await pool.query<{ mb: number }>(
      'SELECT pg_database_size(current_database()) / 1e6::float8 AS mb',
    );
    const steps = known.length - SQUASHED;
    return [
      {
        name: `size of the database, ${messages} messages`,
        measured: rows[0]?.mb ?? 0,
        unit: 'MB',
      },
      ...figures(`upgrade by ${steps} migrations`, upgrade),
      ...figures('an index over all messages', index),
    ];
  } finally {
    await pool.end();
    await server.close();
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Rows as the daemon leaves them, in the squashed schema: one year of messages in a thousand chats. */
async function fill(pool: pg.Pool, messages: number): Promise<void> {
  const run = (text: string, values: unknown[] = []) => pool.query(text, values);
  await run("INSERT INTO accounts (id, label) VALUES (1, 'me')");
  await run(
    `WITH people AS (INSERT INTO contacts (account_id) SELECT 1 FROM generate_series(1, ${CHATS}) RETURNING id)
     INSERT INTO chats (account_id, kind, contact_id) SELECT 1, 'direct', id FROM people`,
  );
  await run(
    "SELECT ensure_message_month(month) FROM generate_series(now() - interval '1 year', now(), interval '1 month') month",
  );
  await run(
    'CREATE TEMP TABLE places AS SELECT id, contact_id, row_number() OVER () AS number FROM chats',
  );
  await run(
    `CREATE TABLE history AS SELECT n, p.id AS chat, p.contact_id AS contact,
       now() - interval '1 year' + n * (interval '1 year' / $1::int) AS at,
       '3EB0' || upper(substr(md5(n::text), 1, 18)) AS message_id,
       'On ' || md5(n::text) || ' we could meet at the station' AS body
     FROM generate_series(1, $1::int) n JOIN places p ON p.number = 1 + n % ${CHATS}`,
    [messages],
  );
  await run(`INSERT INTO message_keys (account_id, chat_id, sender, message_id, id, sent_at)
    SELECT 1, chat, contact::text, message_id, n, at FROM history`);
  await run(`INSERT INTO messages (account_id, sent_at, id, chat_id, sender_id, from_me, message_id, kind, body)
    SELECT 1, at, n, chat, contact, false, message_id, 'conversation', body FROM history`);
  await run(`INSERT INTO search_documents (account_id, source_kind, source_id, chat_id, contact_id, at, terms, length)
    SELECT 1, 'message', n::text, chat, contact, at, to_tsvector('simple', body), 8 FROM history`);
  await run(`INSERT INTO ledger (account_id, seq, at, actor, action, subject_kind, subject_id, outcome, reason, detail, hash)
    SELECT 1, n, at, 'router', 'route_message', 'message', message_id, 'nobody', 'read_only',
      jsonb_build_object('chat', chat, 'number', n), sha256(message_id::bytea) FROM history`);
  await run(`INSERT INTO events (account_id, kind, subject, data)
    SELECT 1, 'message', chat::text, jsonb_build_object('number', n, 'message', message_id)
    FROM history WHERE at > now() - interval '7 days'`);
  await run('DROP TABLE history');
  await run('VACUUM ANALYZE');
}

interface Watched {
  readonly ms: number;
  /** The longest time that a lock kept others from writing to a table, and which one. */
  readonly lockMs: number;
  readonly lockOn: string;
  /** The longest time that a statement of another connection took. */
  readonly readMs: number;
  readonly writeMs: number;
}

async function watched(target: pg.ClientConfig, work: () => Promise<unknown>): Promise<Watched> {
  let isOver = false;
  const whileWorking = async (look: (client: pg.Client) => Promise<void>) => {
    const client = new pg.Client(target);
    await client.connect();
    try {
      while (!isOver) {
        await look(client);
        await sleep(LOOK_EVERY_MS);
      }
    } finally {
      await client.end();
    }
  };
  const longest = async (text: string) => {
    let most = 0;
    await whileWorking(async (client) => {
      // A migration and the writer may lock the same tables in another order; then PostgreSQL ends one of them.
      most = Math.max(most, await timed(() => client.query(text).catch(unlessDeadlock)));
    });
    return most;
  };
  const locks = new Map<string, { since: number; until: number }>();
  const others = [
    longest('SELECT FROM relay.messages LIMIT 1'),
    longest('INSERT INTO relay.events (account_id, kind) VALUES (1, $$bench$$)'),
    whileWorking((client) => noteLocks(client, locks)),
  ] as const;
  // All three have looked once.
  await sleep(500);
  const ms = await timed(work);
  isOver = true;
  const [readMs, writeMs] = await Promise.all(others);
  const held = [...locks].map(([table, { since, until }]) => ({ table, ms: until - since }));
  const most = held.toSorted((a, b) => b.ms - a.ms)[0];
  return { ms, lockMs: most?.ms ?? 0, lockOn: most?.table ?? 'none', readMs, writeMs };
}

function unlessDeadlock(error: unknown): void {
  if (!(error instanceof pg.DatabaseError && error.code === '40P01')) throw error;
}

/** Locks on tables with rows that exclude writers: SHARE and stronger. */
const LOCKS = `SELECT DISTINCT c.relname AS table FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
  WHERE l.granted AND l.pid <> pg_backend_pid() AND c.relkind IN ('r', 'p') AND c.reltuples > 0
    AND c.relnamespace = 'relay'::regnamespace
    AND l.mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')`;

async function noteLocks(
  client: pg.Client,
  locks: Map<string, { since: number; until: number }>,
): Promise<void> {
  const { rows } = await client.query<{ table: string }>(LOCKS);
  const now = performance.now();
  for (const { table } of rows) {
    const known = locks.get(table);
    locks.set(table, { since: known?.since ?? now - LOOK_EVERY_MS, until: now });
  }
}

const figures = (name: string, { ms, lockMs, lockOn, readMs, writeMs }: Watched): Limit[] => [
  { name, measured: ms / 1_000, unit: 's' },
  { name: `  its longest lock on a table with rows (${lockOn})`, measured: lockMs, unit: 'ms' },
  { name: '  the longest wait of a reader meanwhile', measured: readMs, unit: 'ms' },
  { name: '  the longest wait of a writer meanwhile', measured: writeMs, unit: 'ms' },
];
