import type { AccountId } from '@relay/contract/ids';
import { eventually, freshStore, sleep, times } from '@relay/testing/store';
import { expect, test } from 'vitest';
import { databaseOf } from './database.ts';
import { appendEvent, PostgresEventLog } from './events.ts';

const store = await freshStore();
const dbOf = (account: AccountId) => databaseOf(store.database, account).kysely;

async function newLog() {
  const { id: account } = await store.database.allAccounts
    .insertInto('accounts')
    .values({ label: 'x' })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { account, log: new PostgresEventLog(dbOf(account), account) };
}

/** Appends in a transaction that commits when told to. */
function appending(account: AccountId, kind: string) {
  const appended = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const done = dbOf(account)
    .transaction()
    .execute(async (tx) => {
      await appendEvent(tx, account, { kind, subject: null, data: {} });
      appended.resolve();
      await gate.promise;
    });
  return {
    appended: appended.promise,
    commit: () => {
      gate.resolve();
      return done;
    },
  };
}

const append = (account: AccountId, kind: string) => appending(account, kind).commit();
/** Transactions in other databases of the server count as running too: rows may settle a moment later. */
const settled = (log: PostgresEventLog, count: number) =>
  eventually(async () => (await log.read(null, 10_000)).length === count);
const kinds = async (log: PostgresEventLog, after: string | null) =>
  (await log.read(after, 100)).map(({ kind }) => kind);

test('a reader never skips an event that began earlier and commits later', async () => {
  const { account, log } = await newLog();
  const slow = appending(account, 'slow');
  await slow.appended;
  await append(account, 'quick');
  // The faster event is held back until nothing can come before it any more.
  expect(await kinds(log, null)).toEqual([]);
  await slow.commit();
  await settled(log, 2);
  expect(await kinds(log, null)).toEqual(['slow', 'quick']);
});

test('a reader by cursor sees each event of many writers once, in one order', async () => {
  const { account, log } = await newLog();
  const WRITERS = 8;
  const EACH = 25;
  let writing = true;
  const writers = Promise.all(
    times(WRITERS, async (w) => {
      for (let i = 0; i < EACH; i++) {
        await dbOf(account)
          .transaction()
          .execute(async (tx) => {
            await appendEvent(tx, account, { kind: 'first', subject: `${w}.${i}`, data: { i } });
            if (i % 5 === 0) await sleep(3);
            await appendEvent(tx, account, { kind: 'second', subject: `${w}.${i}`, data: { i } });
          });
      }
    }),
  ).finally(() => {
    writing = false;
  });
  const seen: string[] = [];
  let cursor: string | null = null;
  while (writing || seen.length < WRITERS * EACH * 2) {
    for (const event of await log.read(cursor, 7)) {
      seen.push(`${event.kind} ${event.subject}`);
      cursor = event.cursor;
    }
  }
  await writers;
  const afterwards = (await log.read(null, 10_000)).map((e) => `${e.kind} ${e.subject}`);
  expect(seen).toEqual(afterwards);
  expect(new Set(seen).size).toBe(WRITERS * EACH * 2);
  for (const [index, one] of seen.entries()) {
    // The events of one transaction stay together.
    if (one.startsWith('first ')) expect(seen[index + 1]).toBe(one.replace('first', 'second'));
  }
});

test('transactions are ordered by number, also when the number gains a digit', async () => {
  const { account, log } = await newLog();
  for (const xid of ['9', '10', '99', '100'])
    await store.sql('INSERT INTO events (account_id, xid, kind) VALUES ($1, $2::text::xid8, $2)', [
      account,
      xid,
    ]);
  const seen: string[] = [];
  for (let cursor: string | null = null; ; ) {
    const [event] = await log.read(cursor, 1);
    if (event === undefined) break;
    seen.push(event.kind);
    cursor = event.cursor;
  }
  expect(seen).toEqual(['9', '10', '99', '100']);
});

test('reading continues after the cursor, and a new stream begins at the newest event', async () => {
  const { account, log } = await newLog();
  expect(await log.latest()).toBeNull();
  for (const kind of ['a', 'b', 'c']) await append(account, kind);
  await settled(log, 3);
  const all = await log.read(null, 10);
  expect(all.map(({ cursor }) => cursor).at(-1)).toBe(await log.latest());
  expect(await kinds(log, all[0]?.cursor ?? null)).toEqual(['b', 'c']);
  expect((await log.read(null, 2)).map(({ kind }) => kind)).toEqual(['a', 'b']);
});

test('a cursor is covered while its event is kept, and only for its own account', async () => {
  const { account, log } = await newLog();
  const other = await newLog();
  await append(account, 'a');
  await settled(log, 1);
  const cursor = (await log.latest()) ?? '';
  expect(await log.covers(cursor)).toBe(true);
  expect(await other.log.covers(cursor)).toBe(false);
  await dbOf(account).deleteFrom('events').where('account_id', '=', account).execute();
  expect(await log.covers(cursor)).toBe(false);
});

test.each(['', 'x', '1', '1-', '-1', '1-1-1', '9999999999999999999-9999999999999999999', "1-1'"])(
  'an invalid cursor (%j) is not covered and reads nothing',
  async (cursor) => {
    const { log } = await newLog();
    expect(await log.covers(cursor)).toBe(false);
    expect(await log.read(cursor, 10)).toEqual([]);
  },
);

test('an event of a rolled back transaction never appears', async () => {
  const { account, log } = await newLog();
  const failed = dbOf(account)
    .transaction()
    .execute(async (tx) => {
      await appendEvent(tx, account, { kind: 'never', subject: null, data: {} });
      throw new Error('no');
    });
  await expect(failed).rejects.toThrow('no');
  await append(account, 'after');
  await settled(log, 1);
  expect(await kinds(log, null)).toEqual(['after']);
});

test('a hint reaches every follower until it stops', async () => {
  const { log } = await newLog();
  const woken: string[] = [];
  const stop = log.subscribe(() => woken.push('one'));
  log.subscribe(() => woken.push('two'));
  log.hint();
  stop();
  log.hint();
  expect(woken).toEqual(['one', 'two', 'two']);
});
