// The SQL for pgvector, on a PostgreSQL inside this process that has it.
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import type { AccountId, ChatId } from '@relay/contract/ids';
import { type Log, silentLog } from '@relay/core/log';
import { Kysely, PGliteDialect, sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Tables } from '../../../platform/db/tables.ts';
import { findPgvector, PgvectorIndex } from './pgvector.ts';
import { toBuffer } from './vector-index.ts';

const DIMS = 8;
const ACCOUNT = 1 as AccountId;
const [HERE, THERE] = [
  '11111111-1111-4111-8111-111111111111',
  '22222222-2222-4222-8222-222222222222',
] as ChatId[];
const MODEL = { provider: 'test', model: "it's small" };

let lite: PGlite;
let db: Kysely<Tables>;
beforeAll(async () => {
  lite = await PGlite.create({ extensions: { vector } });
  await lite.exec(`
    CREATE SCHEMA relay; SET search_path TO relay;
    CREATE TABLE search_documents (account_id bigint, id bigint, chat_id uuid, contact_id uuid, at timestamptz,
      PRIMARY KEY (account_id, id));
    CREATE TABLE search_vectors (account_id bigint, document_id bigint, provider text, model text, dims integer,
      vector bytea, PRIMARY KEY (account_id, document_id, provider, model),
      FOREIGN KEY (account_id, document_id) REFERENCES search_documents ON DELETE CASCADE)`);
  db = new Kysely<Tables>({ dialect: new PGliteDialect({ pglite: lite }) });
}, 120_000);
afterAll(() => lite.close());

function vectorOf(seed: number): Float32Array {
  const raw = Float32Array.from({ length: DIMS }, (_, n) => Math.sin(seed * (n + 1)));
  const length = Math.hypot(...raw);
  return raw.map((value) => value / length);
}

async function put(id: number, chat: ChatId | undefined): Promise<void> {
  const made = vectorOf(id);
  await sql`INSERT INTO search_documents VALUES (${ACCOUNT}, ${id}, ${chat}, NULL, now())`.execute(
    db,
  );
  await sql`INSERT INTO search_vectors VALUES (${ACCOUNT}, ${id}, ${MODEL.provider}, ${MODEL.model}, ${DIMS},
    ${toBuffer(Float16Array.from(made))})`.execute(db);
}

const open = async (many?: number) => {
  const found = await findPgvector(db, silentLog);
  if (found === null) throw new Error('there is no pgvector');
  return new PgvectorIndex({ db, account: ACCOUNT, model: MODEL }, DIMS, found, many);
};

test('where the extension may not be installed, it is said once and done without', async () => {
  await lite.exec('CREATE ROLE guest; GRANT ALL ON SCHEMA relay TO guest; SET ROLE guest');
  const said: unknown[] = [];
  const log: Log = { ...silentLog, info: (_message, fields) => said.push(fields?.reason) };
  expect(await findPgvector(db, log)).toBeNull();
  expect(said).toEqual([expect.stringContaining('may not install it')]);
  await lite.exec('RESET ROLE');
});

test('what was stored before is taken over; the nearest come first, within the bounds, also along a graph', async () => {
  for (let id = 1; id <= 40; id++) await put(id, id % 2 === 0 ? HERE : THERE);
  const index = await open(10);
  const ids = async (chats: readonly ChatId[] | 'all') =>
    (await index.nearest(vectorOf(7), { chats, limit: 5 })).map(({ id }) => id);
  const exact = Array.from({ length: 40 }, (_, n) => n + 1)
    .map((id) => ({
      id,
      near: vectorOf(id).reduce((sum, x, n) => sum + x * (vectorOf(7)[n] ?? 0), 0),
    }))
    .sort((a, b) => b.near - a.near);
  const nearest = (fits: (id: number) => boolean) =>
    exact
      .filter(({ id }) => fits(id))
      .slice(0, 5)
      .map(({ id }) => id);
  expect(await ids('all')).toEqual(nearest(() => true));
  expect(await ids([HERE as ChatId])).toEqual(nearest((id) => id % 2 === 0));
  await index.maintain();
  const { rows } = await sql`SELECT FROM pg_indexes WHERE indexdef LIKE '%hnsw%'`.execute(db);
  expect(rows).toHaveLength(1);
  await sql`SET enable_seqscan = off`.execute(db);
  expect(await ids('all')).toEqual(nearest(() => true));
  expect(await ids([HERE as ChatId])).toEqual(nearest((id) => id % 2 === 0));
}, 60_000);

test('a document that is erased is gone from it as well', async () => {
  await sql`DELETE FROM search_documents WHERE id = 7`.execute(db);
  const index = await open();
  const found = await index.nearest(vectorOf(7), { chats: 'all', limit: 40 });
  expect(found.map(({ id }) => id)).not.toContain(7);
});

test('new vectors are there with the transaction that stores them', async () => {
  await put(50, HERE);
  const made = vectorOf(50);
  const index = await open();
  const row = { document: 50, chat: HERE as ChatId, contact: null, seconds: 0 };
  await db
    .transaction()
    .execute((tx) => index.store(tx, [{ ...row, vector: Float16Array.from(made) }]));
  const [first] = await index.nearest(made, { chats: [HERE as ChatId], limit: 1 });
  expect(first?.id).toBe(50);
  expect(first?.similarity).toBeCloseTo(1, 2);
});
