import { randomUUID } from 'node:crypto';
import { freshStore, times } from '@relay/testing/store';
import { expect, test } from 'vitest';

const { account, sql, database } = await freshStore();

const ensure = async (at: string, buckets = 1) =>
  (await sql<{ name: string }>('SELECT ensure_message_month($1, $2) AS name', [at, buckets]))[0]
    ?.name;

const insert = async (sentAt: string, owner: number = account) =>
  (
    await sql<{ place: string }>(
      `INSERT INTO messages (account_id, sent_at, chat_id, from_me, message_id, kind, body)
      VALUES ($1, $2, $3, true, 'M', 'text', '') RETURNING tableoid::regclass::text AS place`,
      [owner, sentAt, randomUUID()],
    )
  )[0]?.place;

test.each([
  ['2026-02-01T00:00:00Z', 'messages_2026_02'],
  ['2026-01-31T23:59:59.999999Z', 'messages_2026_01'],
  ['2025-12-31T23:30:00-01:00', 'messages_2026_01'],
  ['2024-02-29T12:00:00Z', 'messages_2024_02'],
  ['1999-12-15T00:00:00Z', 'messages_1999_12'],
])('a message of %s is stored in %s', async (at, month) => {
  expect(await ensure(at)).toBe(month);
  expect(await ensure(at)).toBe(month);
  expect(await insert(at)).toBe(month);
});

test('a message of a month without a partition is refused', async () => {
  await expect(insert('2031-05-05T00:00:00Z')).rejects.toThrow('no partition');
});

test('a month can be split by account: each account has its bucket', async () => {
  expect(await ensure('2027-03-10T00:00:00Z', 4)).toBe('messages_2027_03');
  const places = await Promise.all(times(40, (i) => insert('2027-03-31T23:00:00Z', i + 1)));
  expect(new Set(places).size).toBe(4);
  for (const place of places) expect(place).toMatch(/^messages_2027_03_[0-3]$/);
  expect(await insert('2027-03-01T00:00:00Z', 7)).toBe(places[6]);
});

test('many callers can ensure the same month concurrently', async () => {
  const names = await Promise.all(times(12, () => ensure('2028-08-08T00:00:00Z')));
  expect(new Set(names)).toEqual(new Set(['messages_2028_08']));
});

test('callers that each ensure several months, in any order, do not block each other', async () => {
  const months = times(6, (i) => `2029-0${i + 1}-10T00:00:00Z`);
  await Promise.all(
    times(6, (caller) =>
      database.kysely.transaction().execute(async (tx) => {
        const mine = caller % 2 === 0 ? months : months.toReversed();
        for (const month of mine) {
          await tx.executeQuery(rawQuery('SELECT ensure_message_month($1)', [month]));
          await tx.executeQuery(rawQuery('SELECT pg_sleep(0.01)', []));
        }
      }),
    ),
  );
  expect(await sql("SELECT 1 FROM pg_class WHERE relname ~ '^messages_2029_0.$'")).toHaveLength(6);
});

test('creating a month does not wait for concurrent readers and writers', async () => {
  await ensure('2026-02-01T00:00:00Z');
  await database.kysely.transaction().execute(async (tx) => {
    await tx.executeQuery(rawQuery('SELECT count(*) FROM messages', []));
    await tx.executeQuery(rawQuery('DELETE FROM messages WHERE false', []));
    expect(await ensure('2030-01-01T00:00:00Z')).toBe('messages_2030_01');
  });
});

test('a message is stored once, even after its month was dropped', async () => {
  const key = [account, randomUUID(), '49151@s', 'ABC', 1, '2020-01-01'];
  const remember = () =>
    sql(
      `INSERT INTO message_keys VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING RETURNING id`,
      key,
    );
  const first = await Promise.all(times(10, remember));
  expect(first.flat()).toHaveLength(1);
  await ensure('2020-01-01T00:00:00Z');
  await sql('DROP TABLE messages_2020_01');
  expect(await remember()).toEqual([]);
});

function rawQuery(text: string, parameters: unknown[]) {
  return {
    sql: text,
    parameters,
    query: { kind: 'RawNode' as const, sqlFragments: [], parameters: [] },
    queryId: { queryId: 'test' },
  };
}
