// Whether the server has pgvector, and the table for it. An owner of a server may have kept extensions to
// themselves: then the index in this process does the same.

import { createHash } from 'node:crypto';
import type { Log } from '@relay/core/log';
import { type RawBuilder, sql } from 'kysely';
import { asOwner, type Db, type Transaction } from '../../../platform/db/database.ts';
import { readSnapshot } from '../../../platform/db/transaction.ts';
import { isOfModel, type VectorTable, withinBounds } from './sql.ts';
import {
  decodeVectors,
  type MaintainedIndex,
  type NearDocument,
  type NearestOptions,
  type VectorRow,
} from './vector-index.ts';

export interface Pgvector {
  /** Where its types and operators are: the extension may have been there before Relay. */
  readonly schema: string;
}

/** Half floats came with the one, filters that do not starve a search with the other. */
const MIN_VERSION = [0, 8];

export async function findPgvector(db: Db, log: Log): Promise<Pgvector | null> {
  const found = (await installed(db)) ?? (await asOwner(db, (owner) => install(owner, log)));
  if (found === null) return null;
  const [major = 0, minor = 0] = found.version.split('.').map(Number);
  if (
    major < (MIN_VERSION[0] ?? 0) ||
    (major === MIN_VERSION[0] && minor < (MIN_VERSION[1] ?? 0))
  ) {
    log.warn('pgvector too old; comparing vectors in the daemon', { version: found.version });
    return null;
  }
  await asOwner(db, (owner) => makeTable(owner, found.schema));
  return { schema: found.schema };
}

async function installed(db: Db): Promise<{ schema: string; version: string } | null> {
  const { rows } = await sql<{ schema: string; version: string }>`
    SELECT n.nspname AS schema, e.extversion AS version
    FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector'`.execute(
    db,
  );
  return rows[0] ?? null;
}

async function install(db: Db, log: Log) {
  const { rows } = await sql`
    SELECT FROM pg_available_extensions WHERE name = 'vector'`.execute(db);
  if (rows.length === 0) return null;
  try {
    await sql`CREATE EXTENSION IF NOT EXISTS vector`.execute(db);
  } catch (error) {
    const reason =
      'The server has pgvector, but this role may not install it, so vectors are compared in the daemon. A superuser can run CREATE EXTENSION vector.';
    log.info('pgvector not used', { reason, error });
  }
  return installed(db);
}

/** Beside `search_vectors`, which stays the truth: every row of this goes with one of that. */
async function makeTable(db: Db, schema: string): Promise<void> {
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

// The index that pgvector keeps: the same questions and answers as of the one in this process, asked in one
// statement with all bounds. Every row is compared until there are too many; then a graph finds the way.

/** From here on comparing every row takes longer than people like to wait. */
const GRAPH_FROM_ROWS = 50_000;
const FILLED_AT_ONCE = 500;

interface Embedding {
  readonly document: number;
  readonly vector: ArrayLike<number>;
}

export class PgvectorIndex implements MaintainedIndex {
  readonly kind = 'pgvector';
  readonly #stored: VectorTable;
  readonly #dims: number;
  readonly #schema: string;
  readonly #many: number;
  #filled: Promise<void> | null = null;

  constructor(stored: VectorTable, dims: number, { schema }: Pgvector, many = GRAPH_FROM_ROWS) {
    this.#stored = stored;
    this.#dims = dims;
    this.#schema = schema;
    this.#many = many;
  }

  async nearest(query: Float32Array, options: NearestOptions): Promise<readonly NearDocument[]> {
    this.#filled ??= this.#fill();
    await this.#filled;
    const distance = sql`${this.#sized(sql`v.embedding`)} OPERATOR(${sql.id(this.#schema)}.<=>)
      ${this.#sized(sql`${toText(query)}`)}`;
    return readSnapshot(this.#stored.db, async (tx) => {
      // Follows the graph until enough rows match.
      await sql`SET LOCAL hnsw.iterative_scan = strict_order`.execute(tx);
      const { rows } = await sql<NearDocument>`
        SELECT v.document_id AS id, 1 - (${distance}) AS similarity
        FROM search_embeddings v JOIN search_documents d ON d.account_id = v.account_id AND d.id = v.document_id
        WHERE ${this.#mine()} AND ${withinBounds(options)}
        ORDER BY ${distance} LIMIT ${options.limit}`.execute(tx);
      return rows;
    });
  }

  async store(tx: Transaction, vectors: readonly VectorRow[]): Promise<void> {
    await this.#insert(tx, vectors);
  }

  /** The database has done it. */
  add(): void {}

  async reload(): Promise<void> {}

  /** The graph, once there are many. Nobody waits for it. */
  async maintain(): Promise<void> {
    const { db } = this.#stored;
    const name = `search_embeddings_${createHash('sha256').update(JSON.stringify(this.#stored.model)).digest('hex').slice(0, 12)}`;
    const { rows } = await sql<{ there: boolean; many: boolean }>`
      SELECT to_regclass(${name}) IS NOT NULL AS there, ${this.#many} <= (
        SELECT count(*) FROM (SELECT FROM search_embeddings v WHERE ${this.#mine()} LIMIT ${this.#many}) few) AS many`.execute(
      db,
    );
    if (rows[0]?.there !== false || !rows[0].many) return;
    const { provider, model } = this.#stored.model;
    const graph = sql`CREATE INDEX CONCURRENTLY IF NOT EXISTS ${sql.id(name)} ON search_embeddings
      USING hnsw ((${this.#sized(sql`embedding`)}) ${sql.id(this.#schema, 'halfvec_cosine_ops')})
      WHERE provider = ${sql.lit(provider)} AND model = ${sql.lit(model)}`;
    await asOwner(db, (owner) => graph.execute(owner));
  }

  /** Vectors that were made while the server had no pgvector, or Relay could not use it. */
  async #fill(): Promise<void> {
    const { db } = this.#stored;
    for (;;) {
      const { rows } = await sql<{ document: number; vector: Buffer }>`
        SELECT v.document_id AS document, v.vector FROM search_vectors v
        WHERE ${isOfModel(this.#stored)} AND NOT EXISTS (SELECT FROM search_embeddings e
          WHERE e.account_id = v.account_id AND e.document_id = v.document_id
            AND e.provider = v.provider AND e.model = v.model)
        LIMIT ${FILLED_AT_ONCE}`.execute(db);
      if (rows.length === 0) return;
      await this.#insert(
        db,
        rows.map(({ document, vector }) => ({ document, vector: decodeVectors(vector) })),
      );
    }
  }

  async #insert(db: VectorTable['db'], vectors: readonly Embedding[]): Promise<void> {
    const { account, model } = this.#stored;
    await sql`
      INSERT INTO search_embeddings (account_id, document_id, provider, model, embedding)
      SELECT v.account_id, v.document_id, v.provider, v.model, n.vector::${sql.id(this.#schema, 'halfvec')}
      FROM unnest(${vectors.map(({ document }) => document)}::bigint[], ${vectors.map(({ vector }) => toText(vector))}::text[])
        AS n(id, vector) JOIN search_vectors v ON v.document_id = n.id
      WHERE ${isOfModel({ account, model })} ON CONFLICT DO NOTHING`.execute(db);
  }

  #sized(value: RawBuilder<unknown>): RawBuilder<unknown> {
    return sql`${value}::${sql.id(this.#schema, 'halfvec')}(${sql.lit(this.#dims)})`;
  }

  /** Written out: the graph is of one model, and only what is written out is known to be it. */
  #mine(): RawBuilder<unknown> {
    const { account, model } = this.#stored;
    return sql`v.account_id = ${account} AND v.provider = ${sql.lit(model.provider)} AND v.model = ${sql.lit(model.model)}`;
  }
}

const toText = (vector: ArrayLike<number>): string => `[${Array.from(vector).join(',')}]`;
