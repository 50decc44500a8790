import { randomUUID } from 'node:crypto';
import { eventually, freshStore, times } from '@relay/testing/store';
import { expect, test } from 'vitest';
import { setAccount, type Transaction } from './database.ts';
import { isLeaseHeld, releaseLease, takeLease } from './lease.ts';
import { holdLease } from './transaction.ts';

const store = await freshStore();
const db = store.database.allAccounts;

async function newAccount() {
  const row = await db
    .insertInto('accounts')
    .values({ label: 'x' })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

async function held() {
  const account = await newAccount();
  const lease = await takeLease(db, account, randomUUID());
  if (lease === null) throw new Error('a fresh account is free');
  return lease;
}

/** A transaction that stays open until told to end. */
function openTransaction(work: (tx: Transaction) => Promise<void>) {
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const done = db.transaction().execute(async (tx) => {
    await work(tx);
    begun.resolve();
    await gate.promise;
  });
  done.catch(begun.reject);
  const commit = () => {
    gate.resolve();
    return done;
  };
  return { begun: begun.promise, commit };
}

const waiters = async () =>
  (await store.sql("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'")).length;

test('of many concurrent workers one gets the lease and keeps it', async () => {
  const account = await newAccount();
  const leases = await Promise.all(times(12, () => takeLease(db, account, randomUUID())));
  const [winner, ...others] = leases.filter((lease) => lease !== null);
  expect(others).toEqual([]);
  expect(winner && (await isLeaseHeld(db, winner))).toBe(true);
});

test('a worker that finds no lease while another is creating it does not get it too', async () => {
  const account = await newAccount();
  const first = openTransaction(async (tx) => {
    const until = new Date(Date.now() + 30_000);
    await tx
      .insertInto('account_leases')
      .values({ account_id: account, holder: randomUUID(), epoch: 1, until })
      .execute();
  });
  await first.begun;
  const second = takeLease(db, account, randomUUID());
  await eventually(async () => (await waiters()) > 0);
  await first.commit();
  expect(await second).toBeNull();
});

test('a lease is free once it is released or expired, and its epoch grows', async () => {
  const first = await held();
  expect(await takeLease(db, first.account, randomUUID())).toBeNull();
  await releaseLease(db, first);
  const second = await takeLease(db, first.account, randomUUID());
  expect(second?.epoch).toBe(2);
  await store.sql("UPDATE account_leases SET until = now() - interval '1 second'");
  expect((await takeLease(db, first.account, randomUUID()))?.epoch).toBe(3);
});

test('a restarted daemon gets its own lease back immediately', async () => {
  const first = await held();
  expect((await takeLease(db, first.account, first.holder))?.epoch).toBe(2);
});

test('a takeover waits for the write in flight, and the former holder writes nothing after it', async () => {
  const lease = await held();
  const { account } = lease;
  const write = (value: string) => async (tx: Transaction) => {
    await setAccount(tx, account);
    await holdLease(tx, lease);
    await setAccount(tx, account);
    await tx
      .insertInto('settings')
      .values({ account_id: account, key: value, value: '1' })
      .execute();
  };
  const writer = openTransaction(write('in flight'));
  await writer.begun;
  let taken = false;
  await store.sql("UPDATE account_leases SET until = now() - interval '1 second'");
  const takeover = takeLease(db, account, randomUUID()).finally(() => {
    taken = true;
  });
  await eventually(async () => (await waiters()) > 0);
  expect(taken).toBe(false);
  await writer.commit();
  expect((await takeover)?.epoch).toBe(2);

  await expect(db.transaction().execute(write('too late'))).rejects.toMatchObject({
    code: 'lease_lost',
    status: 503,
  });
  expect(await isLeaseHeld(db, lease)).toBe(false);
  const rows = await store.sql('SELECT key FROM settings WHERE account_id = $1', [account]);
  expect(rows).toEqual([{ key: 'in flight' }]);
});

test("a write during a change of the lease's holder is refused", async () => {
  const lease = await held();
  const takeover = openTransaction(async (tx) => {
    await tx.selectFrom('account_leases').select('epoch').forUpdate().execute();
    await tx.updateTable('account_leases').set({ epoch: 9 }).execute();
  });
  await takeover.begun;
  const late = db.transaction().execute((tx) => holdLease(tx, lease));
  late.catch(() => {});
  await eventually(async () => (await waiters()) > 0);
  await takeover.commit();
  await expect(late).rejects.toMatchObject({ code: 'lease_lost' });
});
