// Which tables an archive holds, and in which order they can be filled: parents before children, read from
// the database itself, so that a table added tomorrow is in tomorrow's backup.
import { sql } from 'kysely';
import type { Reader } from '../store/database.ts';

export const LEFT_OUT: Readonly<Record<string, string>> = {
  schema_migrations: 'belongs to the database, not to its contents',
  account_leases: 'says which worker runs now',
  daemon_runs: 'says which daemon ran here',
  events: 'feeds open streams and is pruned within days',
  login_codes: 'valid for a minute',
  browser_sessions: 'browsers sign in again',
  whatsapp_credentials:
    'a session that runs in two places breaks in both: a restored home links anew',
  whatsapp_keys: 'belongs to that session',
  decrypt_journal: 'belongs to that session',
  search_documents: 'made anew from the messages',
  search_vectors: 'belongs to those documents',
  search_progress: 'says how far they have come here',
  search_vector_progress: 'says how far their vectors have come here',
  search_vectors_changed: 'tells the daemon what it no longer knows of them',
  search_embeddings: 'a copy of those vectors that pgvector keeps',
  webhook_progress: 'says how far the events of this database were told',
  trace_progress: 'says how far the work of this home was traced',
  traced: 'belongs to that',
  retention_runs: 'says when this home last deleted what was too old',
  inbox: 'sealed with the key of its home; what it holds becomes messages within a moment',
};

export async function tablesInOrder(db: Reader): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    SELECT relname AS name FROM pg_class
    WHERE relnamespace = 'relay'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
    ORDER BY relname`.execute(db);
  const { rows: links } = await sql<{ child: string; parent: string }>`
    SELECT c.relname AS child, p.relname AS parent FROM pg_constraint k
      JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class p ON p.oid = k.confrelid
    WHERE k.contype = 'f' AND c.relnamespace = 'relay'::regnamespace AND c.oid <> p.oid`.execute(
    db,
  );
  const kept = tables.map((table) => table.name).filter((name) => !(name in LEFT_OUT));
  return inOrder(kept, links);
}

function inOrder(
  names: readonly string[],
  links: readonly { child: string; parent: string }[],
): string[] {
  const done: string[] = [];
  const visit = (name: string): void => {
    if (done.includes(name)) return;
    for (const { child, parent } of links) {
      if (child === name && names.includes(parent)) visit(parent);
    }
    done.push(name);
  };
  for (const name of names) visit(name);
  return done;
}
