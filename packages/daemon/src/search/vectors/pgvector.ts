// Whether the server has pgvector, and the table for it. An owner of a server may have kept extensions to
// themselves: then the index in this process does the same.
import type { Log } from '@relay/core/log';
import { sql } from 'kysely';
import { asOwner, type Reader } from '../../store/database.ts';

export interface Pgvector {
  /** Where its types and operators are: the extension may have been there before Relay. */
  readonly schema: string;
}

/** Half floats came with the one, filters that do not starve a search with the other. */
const LEAST = [0, 8];

export async function findPgvector(db: Reader, log: Log): Promise<Pgvector | null> {
  const found = (await installed(db)) ?? (await asOwner(db, (owner) => install(owner, log)));
  if (found === null) return null;
  const [major = 0, minor = 0] = found.version.split('.').map(Number);
  if (major < (LEAST[0] ?? 0) || (major === LEAST[0] && minor < (LEAST[1] ?? 0))) {
    log.warn('pgvector is too old; vectors are compared in the daemon', { version: found.version });
    return null;
  }
  await asOwner(db, (owner) => makeTable(owner, found.schema));
  return { schema: found.schema };
}

async function installed(db: Reader): Promise<{ schema: string; version: string } | null> {
  const { rows } = await sql<{ schema: string; version: string }>`
    SELECT n.nspname AS schema, e.extversion AS version
    FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector'`.execute(
    db,
  );
  return rows[0] ?? null;
}

async function install(db: Reader, log: Log) {
  const { rows } = await sql`
    SELECT FROM pg_available_extensions WHERE name = 'vector'`.execute(db);
  if (rows.length === 0) return null;
  try {
    await sql`CREATE EXTENSION IF NOT EXISTS vector`.execute(db);
  } catch (error) {
    const reason =
      'The server has pgvector, but this role may not install it: vectors are compared in the daemon. A superuser can run CREATE EXTENSION vector.';
    log.info('pgvector is not used', { reason, error });
  }
  return installed(db);
}

/** Beside `search_vectors`, which stays the truth: every row of this goes with one of that. */
async function makeTable(db: Reader, schema: string): Promise<void> {
  await sql`CREATE TABLE IF NOT EXISTS search_embeddings (
    account_id  bigint NOT NULL,
    document_id bigint NOT NULL,
    provider    text NOT NULL,
    model       text NOT NULL,
    embedding   ${sql.id(schema, 'halfvec')} NOT NULL,
    PRIMARY KEY (account_id, document_id, provider, model),
    FOREIGN KEY (account_id, document_id, provider, model) REFERENCES search_vectors ON DELETE CASCADE
  )`.execute(db);
}
