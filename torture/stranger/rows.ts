// What a person without a grant may add to the database: a limited number of rows per message, per person and per chat,
// and none anywhere else.
import type pg from 'pg';

export interface AddedCounts {
  readonly messages: number;
  /** Messages that were resent because they could not be decrypted. */
  readonly again: number;
  readonly people: number;
  readonly groups: number;
  /** Connections that Relay opened to the server: after each one it may report how long it was away. */
  readonly lines: number;
}

/** For tables that nobody else writes meanwhile. A table that is not listed may not grow at all. */
const MAY_GROW: Readonly<Record<string, (added: AddedCounts) => number>> = {
  // Once per message: as received, decrypted (and the key of a group on first use), as text, its outcome, and for the
  // streams.
  'relay.inbox': ({ messages }) => messages,
  'relay.decrypt_journal': ({ messages, again, groups }) => messages + again + groups,
  'relay.messages': ({ messages }) => messages,
  'relay.message_keys': ({ messages }) => messages,
  'relay.ledger': ({ messages }) => messages,
  // Once per message with a file: what it is and that it is not downloaded.
  'relay.media': ({ messages }) => messages,
  'relay.events': ({ messages }) => messages,
  'reports among relay.events': ({ lines }) => lines,
  'relay.search_documents': ({ messages }) => messages,
  // The job to route it, until it is done.
  'relay_jobs.job': ({ messages }) => messages,
  // Each person and chat once, however much they write.
  'relay.contacts': ({ people }) => people,
  'relay.contact_aliases': ({ people }) => 2 * people,
  'relay.knocks': ({ people }) => people,
  // One per day, and midnight may pass.
  'relay.stranger_use': ({ people }) => 2 * people,
  'relay.chats': ({ people, groups }) => people + groups,
  // The keys of their phones and group memberships, and both ids of each.
  'relay.whatsapp_keys': ({ people, groups }) => 3 * people + 2 * groups,
};

export type Rows = Readonly<Record<string, number>>;

/** A reconnect is not a message: its reports are counted separately. */
const BUT: Readonly<Record<string, string>> = { 'relay.events': "WHERE kind <> 'report'" };
const REPORTS = `SELECT 'reports among relay.events' AS name, count(*)::int AS n
  FROM relay.events WHERE kind = 'report'`;

/** Of each of our tables, partitions counted with their parent. */
export async function countRows(pool: pg.Pool): Promise<Rows> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT n.nspname || '.' || c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname IN ('relay', 'relay_jobs') AND c.relkind IN ('r', 'p') AND NOT c.relispartition`,
  );
  const counts = rows.map(
    ({ name }) => `SELECT '${name}' AS name, count(*)::int AS n FROM ${name} ${BUT[name] ?? ''}`,
  );
  const counted = await pool.query<{ name: string; n: number }>(
    [...counts, REPORTS].join(' UNION ALL '),
  );
  return Object.fromEntries(counted.rows.map(({ name, n }) => [name, n]));
}

export function growth(before: Rows, after: Rows): Rows {
  const grown = Object.entries(after).map(([name, n]): [string, number] => [
    name,
    n - (before[name] ?? 0),
  ]);
  return Object.fromEntries(grown.filter(([, n]) => n > 0));
}

export function beyondBounds(grown: Rows, added: AddedCounts): string[] {
  return Object.entries(grown).flatMap(([name, n]) => {
    const most = MAY_GROW[name]?.(added) ?? 0;
    return n <= most ? [] : [`${name} grew by ${n} rows, ${most} are allowed`];
  });
}
