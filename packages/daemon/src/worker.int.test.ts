import { randomUUID } from 'node:crypto';
import type { AccountId } from '@relay/contract/ids';
import { silentLog } from '@relay/core/log';
import { type NetworkLine, openDatabaseLine } from '@relay/testing/network-line';
import { eventually, freshStore, sleep } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { expect, onTestFinished, test } from 'vitest';
import type { Lease } from './platform/db/lease.ts';
import { type LeaseTiming, Worker } from './worker.ts';

/** Short, so that a lost worker is noticed soon; the order of the steps is that of the real ones. */
const SHORT: LeaseTiming = { leaseMs: 1_500, fenceMs: 1_000, renewMs: 100 };

interface TestWorker {
  readonly worker: Worker;
  /** Between it and the database, if it is not on the same machine. */
  readonly line: NetworkLine | null;
  readonly running: ReadonlySet<AccountId>;
  readonly stopped: readonly AccountId[];
  /** The accounts that were asked to look for what another process wrote, in order. */
  readonly woken: AccountId[];
  /** How often its sockets were cut. */
  readonly cuts: number;
}

async function openCell(accounts: number) {
  const store = await freshStore(onTestFinished);
  const { database } = store;
  await store.sql(
    "INSERT INTO relay.accounts (label) SELECT 'me' FROM generate_series(2, $1::int)",
    [accounts],
  );
  /** Which worker each account runs on now; an account that runs twice is a fault. */
  const holders = new Map<AccountId, Worker>();
  const faults: string[] = [];
  /** Accounts open when this resolves. */
  const opening = { until: Promise.resolve() };
  const join = async (capacity = 100, place?: 'over a line'): Promise<TestWorker> => {
    const id = randomUUID();
    const running = new Set<AccountId>();
    const stopped: AccountId[] = [];
    const woken: AccountId[] = [];
    const line = place === undefined ? null : await openDatabaseLine(store.daemonUrl);
    const worker = new Worker({
      id,
      target: { connectionString: line?.url ?? store.daemonUrl },
      db: database.allAccounts,
      capacity,
      address: null,
      log: silentLog,
      timing: SHORT,
      open: async (lease: Lease) => {
        const { account } = lease;
        const holder = holders.get(account);
        // A worker whose fence is shut does not act, even if it has not stopped yet.
        if (holder?.gate.mayWrite()) faults.push(`account ${account} runs twice`);
        holders.set(account, worker);
        running.add(account);
        await opening.until;
        return {
          onWake: () => void woken.push(account),
          stop: async () => {
            running.delete(account);
            stopped.push(account);
            if (holders.get(account) === worker) holders.delete(account);
          },
        };
      },
      onCutOff() {},
      onStuck: (account) => faults.push(`account ${account} is stuck`),
    });
    const joined = { worker, line, running, stopped, woken, cuts: 0 };
    worker.gate.onShut(() => {
      joined.cuts += 1;
    });
    onTestFinished(async () => {
      await worker.stop();
      await line?.close();
    });
    await worker.join();
    await worker.serve();
    return joined;
  };
  return { store, join, holders, faults, opening };
}

test('accounts are shared with a worker that joins, and all are taken over from one that leaves', async () => {
  verifies('WORKERS-BALANCE', 'WORKERS-DRAIN');
  const { join, holders, faults } = await openCell(6);
  const first = await join();
  expect(first.running.size).toBe(6);
  const second = await join();
  expect(first.worker.isReady).toBe(true);
  await first.worker.stop();
  await eventually(() => second.running.size === 6);
  expect(holders.size).toBe(6);
  expect(faults).toEqual([]);
});

test('an account whose settings have changed is opened again, also after it was given up once', async () => {
  verifies('WORKERS-BALANCE');
  const { join, faults } = await openCell(2);
  const { worker, running, stopped } = await join();
  const [account = 0 as AccountId] = running;
  worker.reopen(account);
  await eventually(() => stopped.includes(account) && running.has(account));
  await worker.giveUp(account);
  expect(await worker.take(account)).toBe(true);
  worker.reopen(account);
  await eventually(() => stopped.length === 3 && running.has(account));
  expect(faults).toEqual([]);
});

test('a worker takes no more accounts than it may, and another takes the rest', async () => {
  const { join } = await openCell(5);
  const small = await join(2);
  expect(small.running.size).toBe(2);
  const large = await join(10);
  await eventually(() => large.running.size === 3);
});

test('a worker that is cut off from the database cuts its sockets before another one takes its accounts', async () => {
  verifies('WORKERS-LEASE', 'WORKERS-FENCE');
  const { join, faults, holders } = await openCell(3);
  const other = await join(1);
  const far = await join(2, 'over a line');
  expect([other.running.size, far.running.size]).toEqual([1, 2]);
  let takenAfterCut: boolean | null = null;
  const spare = await join(3);
  const { size } = spare.running;
  expect(size).toBe(0);
  far.line?.cut();
  await eventually(() => {
    if (spare.running.size > 0) takenAfterCut ??= far.cuts > 0;
    return spare.running.size === 2;
  });
  expect(takenAfterCut).toBe(true);
  expect(far.worker.gate.mayWrite()).toBe(false);
  expect(faults).toEqual([]);

  // It learns that it was declared lost, drops what it had, and joins again without accounts.
  far.line?.mend();
  await eventually(() => far.stopped.length === 2 && far.worker.isReady);
  expect(far.running.size).toBe(0);
  expect(holders.size).toBe(3);
  expect(faults).toEqual([]);
});

test('after an outage of the database workers renew their leases and no account moves', async () => {
  const { join, store, faults } = await openCell(4);
  const workers = [await join(2), await join(2)];
  const before = workers.map(({ running }) => [...running]);
  // All were overdue for long when the server came back.
  await store.sql("UPDATE relay.workers SET until = now() - interval '1 hour'");
  await sleep(5 * SHORT.renewMs);
  expect(workers.map(({ running }) => [...running])).toEqual(before);
  expect(workers.map(({ stopped }) => stopped.length)).toEqual([0, 0]);
  expect(faults).toEqual([]);
});

test('an account that is being opened hears afterwards of what another process wrote meanwhile', async () => {
  verifies('SEP-LOST-HINT');
  const { join, store, opening } = await openCell(1);
  const opened = Promise.withResolvers<void>();
  opening.until = opened.promise;
  const late = join(1);
  let account: AccountId | undefined;
  await eventually(async () => {
    const [lease] = await store.sql<{ account_id: AccountId }>(
      'SELECT account_id FROM relay.account_leases WHERE until > now()',
    );
    account = lease?.account_id;
    return account !== undefined;
  });
  await store.sql("SELECT pg_notify('relay_workers', $1)", [String(account)]);
  await sleep(2 * SHORT.renewMs);
  opened.resolve();
  const { woken } = await late;
  await eventually(() => woken.length > 0);
});

test('a worker whose connection was lost makes all its accounts look, because hints were lost with it', async () => {
  verifies('SEP-LOST-HINT');
  const { join, store } = await openCell(3);
  const { worker, woken, running } = await join();
  expect(woken).toEqual([]);
  await store.sql(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1',
    [`relay worker ${worker.id}`],
  );
  await eventually(() => new Set(woken).size === 3);
  expect(new Set(woken)).toEqual(new Set(running));
});
