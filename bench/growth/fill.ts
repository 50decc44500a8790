// Accounts with a year of messages each, as the daemon leaves them: contacts, chats, messages, their keys, search
// documents, ledger rows and the events of the last week. Rows are in the order of time, so the messages of one account
// lie between those of all others, as they do on a server that many accounts share.
import type { AccountId } from '@relay/contract/ids';
import { INDEX_VERSION } from '@relay/core/search/words';
import { toDocuments } from '@relay/daemon/features/search/indexer';
import type { SharedDatabase } from '@relay/daemon/platform/db/database';
import { text } from '../memory/vocabulary.ts';

export const PEOPLE = 50;
/** Different texts; the accounts begin at different ones. */
const TEXTS = 50_000;
/** Rows that one statement inserts. */
const SLICE = 50_000;

export const phoneOf = (person: number): string => `49171${String(person).padStart(7, '0')}`;

interface Size {
  readonly accounts: number;
  /** Of each account. */
  readonly messages: number;
}

export async function listAccounts({ pool }: SharedDatabase): Promise<readonly AccountId[]> {
  const { rows } = await pool.query<{ id: AccountId }>('SELECT id FROM accounts ORDER BY id');
  return rows.map(({ id }) => id);
}

export async function fillAccounts(
  database: SharedDatabase,
  { accounts, messages }: Size,
): Promise<void> {
  const { pool } = database;
  const client = await pool.connect();
  const run = (sql: string, values: unknown[] = []) => client.query(sql, values);
  try {
    await run('SET synchronous_commit = off');
    // The rows are known to be right: checking each against others takes most of the time.
    await run('SET session_replication_role = replica');
    await run(
      "SELECT ensure_message_month(month) FROM generate_series(now() - interval '1 year', now() + interval '1 month', interval '1 month') month",
    );
    await run(`INSERT INTO accounts (label) SELECT 'bench' FROM generate_series(1, $1::int)`, [
      accounts,
    ]);
    await run(`CREATE TEMP TABLE places AS
      SELECT a.id AS account, n, gen_random_uuid() AS contact, gen_random_uuid() AS chat
      FROM accounts a, generate_series(0, ${PEOPLE - 1}) n`);
    await run(`INSERT INTO contacts (account_id, id, push_name, last_message_at)
      SELECT account, contact, 'Person ' || n, now() FROM places`);
    await run(`INSERT INTO contact_aliases (account_id, kind, value, contact_id)
      SELECT account, 'phone', '49171' || lpad(n::text, 7, '0'), contact FROM places`);
    await run(`INSERT INTO chats (account_id, id, kind, contact_id, last_message_at)
      SELECT account, chat, 'direct', contact, now() - n * interval '1 hour' FROM places`);
    await run('CREATE UNIQUE INDEX ON places (account, n)');
    await fillTexts(run);
    await run('ANALYZE places, texts');
    const step = Math.max(1, Math.floor(SLICE / accounts));
    for (let from = 0; from < messages; from += step) {
      await fillSlice(run, { from, to: Math.min(from + step, messages), messages });
    }
    await run(`INSERT INTO search_progress (account_id, version, indexed_up_to, documents)
      SELECT id, ${INDEX_VERSION}, (SELECT last_value FROM message_ids), ${messages} FROM accounts`);
    await run('RESET ALL');
    await run('DISCARD TEMP');
  } finally {
    client.release();
  }
  await pool.query('VACUUM ANALYZE');
  await pool.query('CHECKPOINT');
}

type Run = (sql: string, values?: unknown[]) => Promise<unknown>;

/** Texts with their documents, made by the code that makes them for real messages. */
async function fillTexts(run: Run): Promise<void> {
  await run(
    'CREATE TEMP TABLE texts (n int PRIMARY KEY, body text, terms tsvector, length int, changes boolean)',
  );
  const rows = Array.from({ length: TEXTS }, (_, n) => ({
    id: n,
    chat_id: '' as never,
    sender_id: null,
    sent_at: '',
    kind: 'conversation',
    body: text(),
  }));
  const documents = await toDocuments(0 as AccountId, rows);
  const bodies = new Map(rows.map(({ id, body }) => [String(id), body]));
  for (let from = 0; from < documents.length; from += 5_000) {
    const batch = documents.slice(from, from + 5_000).map((one) => ({
      n: Number(one.id),
      body: bodies.get(String(one.id)),
      terms: one.terms,
      length: one.length,
      changes: one.changes,
    }));
    await run(
      `INSERT INTO texts SELECT n, body, terms::tsvector, length, changes FROM json_to_recordset($1::json)
         AS t(n int, body text, terms text, length int, changes boolean)`,
      [JSON.stringify(batch)],
    );
  }
}

/** The messages with these numbers of every account. */
async function fillSlice(
  run: Run,
  { from, to, messages }: { readonly from: number; readonly to: number; readonly messages: number },
): Promise<void> {
  await run(`CREATE TEMP TABLE slice AS
    SELECT p.account, k, nextval('message_ids') AS id, p.chat, p.contact, k % 2 = 0 AS from_me,
      now() - interval '1 year' + k * (interval '1 year' / ${messages}) + p.account * interval '7 ms' AS at,
      '3EB0' || upper(substr(md5(p.account || ' ' || k), 1, 18)) AS message_id, t.body,
      replace(t.terms::text, '''0/', '''' || p.account || '/')::tsvector AS terms, t.length, t.changes
    FROM generate_series(${from}, ${to - 1}) k CROSS JOIN accounts a
      JOIN places p ON p.account = a.id AND p.n = (k * 7 + a.id) % ${PEOPLE}
      JOIN texts t ON t.n = (a.id * 7919 + k) % ${TEXTS}
    ORDER BY k, p.account`);
  await run(`INSERT INTO message_keys (account_id, chat_id, sender, message_id, id, sent_at)
    SELECT account, chat, CASE WHEN from_me THEN 'me' ELSE contact::text END, message_id, id, at FROM slice ORDER BY id`);
  await run(`INSERT INTO messages (account_id, sent_at, id, chat_id, sender_id, from_me, message_id, kind, body)
    SELECT account, at, id, chat, CASE WHEN from_me THEN NULL ELSE contact END, from_me, message_id, 'conversation', body
    FROM slice ORDER BY id`);
  await run(`INSERT INTO search_documents (account_id, source_kind, source_id, chat_id, contact_id, at, terms, length, changes)
    SELECT account, 'message', id::text, chat, CASE WHEN from_me THEN NULL ELSE contact END, at, terms, length, changes
    FROM slice ORDER BY id`);
  await run(`INSERT INTO ledger (account_id, seq, at, actor, action, subject_kind, subject_id, outcome, reason, detail, hash)
    SELECT account, k + 1, at, 'router', 'route_message', 'message', message_id, 'nobody', 'read_only',
      jsonb_build_object('chat', chat, 'number', id), sha256(message_id::bytea) FROM slice ORDER BY id`);
  await run(`INSERT INTO events (account_id, kind, subject, data)
    SELECT account, 'message', chat::text, jsonb_build_object('number', id, 'message', message_id)
    FROM slice WHERE at > now() - interval '7 days' ORDER BY id`);
  await run('DROP TABLE slice');
}

/** Each table with its partitions in one line, and its indexes. */
export async function printSizes({ pool }: SharedDatabase): Promise<void> {
  const { rows } = await pool.query<{
    name: string;
    rows: number;
    table_mb: number;
    indexes: string;
  }>(`
    WITH leaves AS (
      SELECT coalesce(t.root, c.oid) AS root, c.oid FROM pg_class c
        LEFT JOIN LATERAL (SELECT pg_partition_root(c.oid) AS root) t ON true
      WHERE c.relnamespace = 'relay'::regnamespace AND c.relkind = 'r')
    SELECT root::regclass::text AS name, sum(s.n_live_tup)::float8 AS rows,
      sum(pg_table_size(l.oid)) / 1e6 AS table_mb,
      (SELECT string_agg(format('%s %s MB', name, round(mb, 1)), ', ' ORDER BY mb DESC) FROM (
        SELECT coalesce(parent.relname, own.relname) AS name, sum(pg_relation_size(i.indexrelid)) / 1e6 AS mb
        FROM leaves o JOIN pg_index i ON i.indrelid = o.oid JOIN pg_class own ON own.oid = i.indexrelid
          LEFT JOIN pg_inherits h ON h.inhrelid = own.oid LEFT JOIN pg_class parent ON parent.oid = h.inhparent
        WHERE o.root = l.root GROUP BY 1) x WHERE mb >= 1) AS indexes
    FROM leaves l JOIN pg_stat_user_tables s ON s.relid = l.oid
    GROUP BY root HAVING sum(pg_total_relation_size(l.oid)) > 1e6 ORDER BY sum(pg_total_relation_size(l.oid)) DESC`);
  for (const { name, rows: count, table_mb, indexes } of rows) {
    console.log(
      `${name.padEnd(18)} ${String(count).padStart(9)} rows ${Number(table_mb).toFixed(1).padStart(8)} MB; ${indexes ?? ''}`,
    );
  }
}
