import { silentLog } from '@relay/core/log';
import { freshStore } from '@relay/testing/store';
import { expect, test } from 'vitest';
import { Jobs } from '../../platform/jobs/jobs.ts';
import { columnNames, ERASURE_COLUMNS } from './columns.ts';

const { database, sql } = await freshStore();
const KINDS = ['words', 'who', 'sealed', 'ids', 'plain', 'owner'] as const;

async function inDatabase(): Promise<string[]> {
  const rows = await sql<{ name: string }>(`
    SELECT c.relname || '.' || a.attname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relnamespace = 'relay'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND a.attnum > 0 AND NOT a.attisdropped`);
  return rows.map(({ name }) => name);
}

const classified = (): string[] =>
  Object.entries(ERASURE_COLUMNS).flatMap(([table, columns]) =>
    KINDS.flatMap((kind) => columnNames(columns[kind]).map((column) => `${table}.${column}`)),
  );

test('classifies every column and how it is erased: add yours in features/retention/columns.ts', async () => {
  const [there, said] = [await inDatabase(), classified()];
  expect({ unsaid: there.filter((name) => !said.includes(name)) }).toEqual({ unsaid: [] });
  expect({ gone: said.filter((name) => !there.includes(name)) }).toEqual({ gone: [] });
  expect(said).toHaveLength(new Set(said).size);
});

test('finds a column that is not classified', async () => {
  await sql('CREATE TABLE diary (words text)');
  await sql('ALTER TABLE messages ADD COLUMN mood text');
  const said = classified();
  const unsaid = (await inDatabase()).filter((name) => !said.includes(name));
  expect(unsaid.sort()).toEqual(['diary.words', 'messages.mood']);
  await sql('ALTER TABLE messages DROP COLUMN mood');
  await sql('DROP TABLE diary');
});

test('has a cascading foreign key for every table that is erased by foreign key', async () => {
  const rows = await sql<{ name: string }>(`SELECT DISTINCT conrelid::regclass::text AS name
    FROM pg_constraint WHERE contype = 'f' AND confdeltype = 'c' AND connamespace = 'relay'::regnamespace
      AND confrelid <> 'accounts'::regclass`);
  const taken = new Set(rows.map(({ name }) => name));
  const promised = Object.entries(ERASURE_COLUMNS).filter(([, { goes }]) =>
    /by foreign key/.test(goes),
  );
  expect(promised.filter(([name]) => !taken.has(name)).map(([name]) => name)).toEqual([]);
});

test('allows only ids, keys and an error name in a job, and no column for text', async () => {
  const jobs = await Jobs.start(database, silentLog);
  await jobs.stop(100);
  const rows = await sql<{
    name: string;
  }>(`SELECT column_name AS name FROM information_schema.columns
    WHERE table_schema = 'relay_jobs' AND table_name = 'job' AND data_type IN ('text', 'jsonb')
    ORDER BY 1`);
  // A newer pg-boss may add a column: check what it contains.
  expect(rows.map(({ name }) => name)).toEqual([
    'data',
    'dead_letter',
    'group_id',
    'group_tier',
    'name',
    'output',
    'policy',
    'singleton_key',
    'source_name',
    'source_output',
  ]);
});
