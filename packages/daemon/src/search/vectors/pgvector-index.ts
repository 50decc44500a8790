// The index that pgvector keeps: the same questions and answers as of the one in this process, asked in one
// statement with all bounds. Every row is compared until there are too many; then a graph finds the way.
import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { asOwner, type Transaction } from '../../store/database.ts';
import type { NewVector } from './columns.ts';
import type { Pgvector } from './pgvector.ts';
import { fromStored } from './sketch.ts';
import { ofModel, type Stored, within } from './stored.ts';
import type { KeptIndex, Near, NearestOptions } from './vector-index.ts';

/** From here on comparing every row takes longer than people like to wait. */
const MANY = 50_000;
const FILLED_AT_ONCE = 500;

interface Embedding {
  readonly document: number;
  readonly vector: ArrayLike<number>;
}

export class PgvectorIndex implements KeptIndex {
  readonly kind = 'pgvector';
  readonly #stored: Stored;
  readonly #dims: number;
  readonly #schema: string;
  readonly #many: number;
  #filled: Promise<void> | null = null;

  constructor(stored: Stored, dims: number, { schema }: Pgvector, many = MANY) {
    this.#stored = stored;
    this.#dims = dims;
    this.#schema = schema;
    this.#many = many;
  }

  async nearest(query: Float32Array, options: NearestOptions): Promise<readonly Near[]> {
    this.#filled ??= this.#fill();
    await this.#filled;
    const distance = sql`${this.#sized(sql`v.embedding`)} OPERATOR(${sql.id(this.#schema)}.<=>)
      ${this.#sized(sql`${toText(query)}`)}`;
    return this.#stored.db.transaction().execute(async (tx) => {
      // Goes on along the graph until enough rows were let through.
      await sql`SET LOCAL hnsw.iterative_scan = strict_order`.execute(tx);
      const { rows } = await sql<Near>`
        SELECT v.document_id AS id, 1 - (${distance}) AS similarity
        FROM search_embeddings v JOIN search_documents d ON d.account_id = v.account_id AND d.id = v.document_id
        WHERE ${this.#mine()} AND ${within(options)}
        ORDER BY ${distance} LIMIT ${options.limit}`.execute(tx);
      return rows;
    });
  }

  async store(tx: Transaction, vectors: readonly NewVector[]): Promise<void> {
    await this.#insert(tx, vectors);
  }

  /** The database has done it. */
  add(): void {}

  async renew(): Promise<void> {}

  /** The graph, once there are many. Nobody waits for it. */
  async tend(): Promise<void> {
    const { db } = this.#stored;
    const name = `search_embeddings_${createHash('sha256').update(JSON.stringify(this.#stored.of)).digest('hex').slice(0, 12)}`;
    const { rows } = await sql<{ there: boolean; many: boolean }>`
      SELECT to_regclass(${name}) IS NOT NULL AS there, ${this.#many} <= (
        SELECT count(*) FROM (SELECT FROM search_embeddings v WHERE ${this.#mine()} LIMIT ${this.#many}) few) AS many`.execute(
      db,
    );
    if (rows[0]?.there !== false || !rows[0].many) return;
    const { provider, model } = this.#stored.of;
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
        WHERE ${ofModel(this.#stored)} AND NOT EXISTS (SELECT FROM search_embeddings e
          WHERE e.account_id = v.account_id AND e.document_id = v.document_id
            AND e.provider = v.provider AND e.model = v.model)
        LIMIT ${FILLED_AT_ONCE}`.execute(db);
      if (rows.length === 0) return;
      await this.#insert(
        db,
        rows.map(({ document, vector }) => ({ document, vector: fromStored(vector) })),
      );
    }
  }

  async #insert(db: Stored['db'], vectors: readonly Embedding[]): Promise<void> {
    const { account, of } = this.#stored;
    await sql`
      INSERT INTO search_embeddings (account_id, document_id, provider, model, embedding)
      SELECT v.account_id, v.document_id, v.provider, v.model, n.vector::${sql.id(this.#schema, 'halfvec')}
      FROM unnest(${vectors.map(({ document }) => document)}::bigint[], ${vectors.map(({ vector }) => toText(vector))}::text[])
        AS n(id, vector) JOIN search_vectors v ON v.document_id = n.id
      WHERE ${ofModel({ account, of })} ON CONFLICT DO NOTHING`.execute(db);
  }

  #sized(value: RawBuilder<unknown>): RawBuilder<unknown> {
    return sql`${value}::${sql.id(this.#schema, 'halfvec')}(${sql.lit(this.#dims)})`;
  }

  /** Written out: the graph is of one model, and only what is written out is known to be it. */
  #mine(): RawBuilder<unknown> {
    const { account, of } = this.#stored;
    return sql`v.account_id = ${account} AND v.provider = ${sql.lit(of.provider)} AND v.model = ${sql.lit(of.model)}`;
  }
}

const toText = (vector: ArrayLike<number>): string => `[${Array.from(vector).join(',')}]`;
