import { expect, inject, test } from 'vitest';
import { freshDatabase, onServer } from './postgres.ts';

async function names(): Promise<string[]> {
  return onServer(inject('postgres').url, async (client) => {
    const { rows } = await client.query<{ datname: string }>('SELECT datname FROM pg_database');
    return rows.map((row) => row.datname);
  });
}

test('every database is fresh, and gone once dropped, even with open connections', async () => {
  const [one, other] = await Promise.all([freshDatabase(), freshDatabase()]);
  await onServer(one.url, (client) => client.query('CREATE TABLE mine ()'));
  const tables = await onServer(other.url, (client) => client.query(`SELECT to_regclass('mine')`));
  expect(tables.rows).toEqual([{ to_regclass: null }]);

  const mine = [one, other].map(({ url }) => new URL(url).pathname.slice(1));
  expect(await names()).toEqual(expect.arrayContaining(mine));
  await onServer(one.url, async (client) => {
    client.on('error', () => {});
    await one.drop();
  }).catch(() => {});
  await other.drop();
  await other.drop();
  // Searched by name: files that run in parallel create and drop their own.
  const left = await names();
  expect(mine.filter((name) => left.includes(name))).toEqual([]);
});
