import { randomUUID } from 'node:crypto';
import { freshStore, sleep, times } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import pg from 'pg';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { type Lease, releaseLease, takeLease } from './lease.ts';
import { holdLease } from './transaction.ts';
import {
  type CellView,
  noteWorkerStopped,
  registerWorker,
  renewAndLook,
  type WorkerIdentity,
} from './workers.ts';

const store = await freshStore();
const db = store.database.kysely;
const client = new pg.Client({ connectionString: store.url });
await client.connect();
afterAll(() => client.end());

const LEASE_MS = 600_000;
const look = (worker: WorkerIdentity, judges = true) =>
  renewAndLook(client, worker, { leaseMs: LEASE_MS, draining: false, judges });

async function newWorker(id: string = randomUUID(), host = 'here'): Promise<WorkerIdentity> {
  const worker = { id, run: randomUUID() };
  const facts = { host, pid: 1, address: null, version: '0', capacity: 10 };
  expect(await registerWorker(client, { ...worker, ...facts }, LEASE_MS)).toBe(true);
  return worker;
}

async function take({ id }: WorkerIdentity, account = store.account): Promise<Lease> {
  const lease = await takeLease(db, account, id);
  if (lease === null) throw new Error('the account is free');
  return lease;
}

const free = (view: CellView) => view.free.map(({ account }) => account);

/** Nothing of it was heard for longer than its lease. */
const silence = ({ id }: WorkerIdentity) =>
  store.sql("UPDATE relay.workers SET until = now() - interval '1 second' WHERE id = $1", [id]);

beforeEach(async () => {
  await store.sql('DELETE FROM relay.workers');
  await store.sql("UPDATE relay.account_leases SET until = now() - interval '1 second'");
});

test('a worker keeps its leases for as long as it renews itself, without touching them', async () => {
  verifies('WORKERS-LEASE');
  const worker = await newWorker();
  const lease = await take(worker);
  const other = await newWorker();
  for (const _ of times(3, () => 0)) expect((await look(worker)).alive).toBe(true);
  expect(await takeLease(db, store.account, other.id)).toBeNull();
  const view = await look(worker);
  expect(view.own).toEqual([lease.account]);
  expect(view.free).toEqual([]);
  expect(view.workers.find(({ id }) => id === worker.id)?.held).toBe(1);
  expect(view.workers.find(({ id }) => id === other.id)?.held).toBe(0);
});

test('an overdue worker keeps its leases until another declares it lost, and then cannot renew', async () => {
  verifies('WORKERS-LEASE');
  const [silent, other] = [await newWorker(), await newWorker()];
  await take(silent);
  await silence(silent);
  expect(await takeLease(db, store.account, other.id)).toBeNull();
  expect((await look(other, false)).free).toEqual([]);
  const judged = await look(other);
  expect(judged.lost).toEqual([silent.id]);
  expect(judged.free).toEqual([
    { account: store.account, unservedSince: expect.any(String), wasOwn: false },
  ]);
  expect(free(await look(other))).toEqual([store.account]);
  expect((await take(other)).epoch).toBeGreaterThan(1);
  expect(await look(silent)).toMatchObject({ alive: false, own: [] });
  expect(await takeLease(db, store.account, silent.id)).toBeNull();
});

test('an overdue worker that renews first is not declared lost', async () => {
  const [slow, other] = [await newWorker(), await newWorker()];
  await take(slow);
  await silence(slow);
  expect((await look(slow)).alive).toBe(true);
  expect((await look(other)).free).toEqual([]);
});

test('a worker that was declared lost takes no free account', async () => {
  const [silent, other] = [await newWorker(), await newWorker()];
  await silence(silent);
  await look(other);
  expect(await takeLease(db, store.account, silent.id)).toBeNull();
});

test('a worker that starts again frees what its former run held, and the former run cannot renew', async () => {
  const before = await newWorker();
  await take(before);
  const after = await newWorker(before.id);
  expect((await look(before)).alive).toBe(false);
  expect(free(await look(after))).toEqual([store.account]);
});

test('a copied home on another machine does not replace the worker that is alive', async () => {
  const worker = await newWorker();
  const copy = { id: worker.id, run: randomUUID(), host: 'elsewhere', pid: 2 };
  const more = { address: null, version: '0', capacity: 1 };
  expect(await registerWorker(client, { ...copy, ...more }, LEASE_MS)).toBe(false);
  expect((await look(worker)).alive).toBe(true);
  await silence(worker);
  expect(await registerWorker(client, { ...copy, ...more }, LEASE_MS)).toBe(true);
});

test('the accounts of a worker that stopped are free at once', async () => {
  const [worker, other] = [await newWorker(), await newWorker()];
  await take(worker);
  await noteWorkerStopped(client, worker);
  expect(free(await look(other))).toEqual([store.account]);
  await take(other);
});

test('a released lease is free while its worker continues', async () => {
  const worker = await newWorker();
  await releaseLease(db, await take(worker));
  const view = await look(worker);
  expect([free(view), view.own]).toEqual([[store.account], []]);
});

test('renewing never waits for a writer of an account', async () => {
  const worker = await newWorker();
  const lease = await take(worker);
  await db.transaction().execute(async (tx) => {
    await holdLease(tx, lease);
    expect(await Promise.race([look(worker), sleep(5_000)])).toMatchObject({ alive: true });
  });
});

test('of two workers that judge each other one continues', async () => {
  const second = new pg.Client({ connectionString: store.url });
  await second.connect();
  try {
    for (const _ of times(20, () => 0)) {
      const [one, two] = [await newWorker(), await newWorker()];
      await silence(one);
      await silence(two);
      const asked = { leaseMs: LEASE_MS, draining: false, judges: true };
      const views = await Promise.all([
        renewAndLook(client, one, asked),
        renewAndLook(second, two, asked),
      ]);
      expect(views.filter(({ alive }) => alive).length).toBeGreaterThan(0);
    }
  } finally {
    await second.end();
  }
});
