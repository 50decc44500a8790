import { randomUUID } from 'node:crypto';
import type { InstanceId } from '@relay/contract/ids';
import type { LogFields } from '@relay/core/log';
import { silentLog } from '@relay/core/log';
import { longestWait } from '@relay/core/retry';
import { eventually, freshStore, times } from '@relay/testing/store';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Transaction } from '../db/database.ts';
import { type Lease, takeLease } from '../db/lease.ts';
import { holdLease } from '../db/transaction.ts';
import { Jobs } from './jobs.ts';
import type { Job } from './queue-worker.ts';
import { QUEUES } from './queues.ts';

const { account, database, sql } = await freshStore();
const db = database.kysely;

beforeEach(async () => {
  await sql('DELETE FROM relay_jobs.job');
  await sql('DELETE FROM settings');
});

const failures: LogFields[] = [];
const log = { ...silentLog, error: (_: string, fields: LogFields = {}) => failures.push(fields) };

async function startJobs(): Promise<Jobs> {
  const jobs = await Jobs.start(database, log);
  onTestFinished(() => jobs.stop(500));
  return jobs;
}

/** The lease of a daemon that takes over from the previous one. */
async function nextLease(): Promise<Lease> {
  await sql("UPDATE account_leases SET until = now() - interval '1 second'");
  const lease = await takeLease(db, account, randomUUID());
  if (lease === null) throw new Error('the lease before it has run out');
  return lease;
}

const enqueue = (jobs: Jobs, ...keys: string[]) =>
  db.transaction().execute((tx) =>
    jobs.enqueue(
      tx,
      'conversation',
      keys.map((key) => ({
        key,
        data: { account, subject: key as InstanceId, epoch: 1, wake: 'reply' },
      })),
    ),
  );

const hurry = async (jobs: Jobs) => {
  await sql("UPDATE relay_jobs.job SET start_after = now() WHERE state = 'retry'");
  jobs.wake('conversation');
};

/** The effect of a handler. */
const note = (tx: Transaction, key: string) =>
  tx.insertInto('settings').values({ account_id: account, key, value: '1' }).execute();
const noted = async () => (await sql('SELECT key FROM settings')).map(({ key }) => key);
const states = async () =>
  (await sql('SELECT state FROM relay_jobs.job ORDER BY created_on')).map(({ state }) => state);

test('a job settled in the transaction of its effect commits with it', async () => {
  const jobs = await startJobs();
  await enqueue(jobs, 'a');
  let stateInside: unknown;
  jobs.work('conversation', 1, (job) =>
    db.transaction().execute(async (tx) => {
      await note(tx, 'effect');
      await job.complete(tx);
      stateInside = await states();
    }),
  );
  await eventually(async () => (await states()).length === 0);
  expect(stateInside).toEqual(['active']);
  expect(await noted()).toEqual(['effect']);
});

test('an effect that fails after its job was settled rolls back the settling', async () => {
  const jobs = await startJobs();
  await enqueue(jobs, 'a');
  jobs.work('conversation', 1, (job) =>
    db.transaction().execute(async (tx) => {
      await note(tx, `try ${job.attempt}`);
      await job.complete(tx);
      if (job.attempt === 1) throw new Error('once');
    }),
  );
  await eventually(async () => {
    await hurry(jobs);
    return (await states()).length === 0;
  });
  expect(await noted()).toEqual(['try 2']);
});

test('a worker whose job was given to another worker rolls back its effect', async () => {
  const jobs = await startJobs();
  await enqueue(jobs, 'a');
  let tries = 0;
  jobs.work('conversation', 1, async (job) => {
    tries += 1;
    // While it runs, its job is taken away and counted as failed once.
    if (tries === 1)
      await sql("UPDATE relay_jobs.job SET state = 'retry', retry_count = 1, start_after = now()");
    await db.transaction().execute(async (tx) => {
      await note(tx, `try ${tries}`);
      await job.complete(tx);
    });
  });
  await eventually(async () => {
    await hurry(jobs);
    return (await states()).length === 0;
  });
  expect(await noted()).toEqual(['try 2']);
});

test('a job that keeps failing waits longer each time, then becomes a dead letter', async () => {
  const jobs = await startJobs();
  const { retry } = QUEUES.conversation;
  const { retries } = retry;
  const delay = retry.stepsMs[0] / 1000;
  const maxDelay = longestWait(retry) / 1000;
  await enqueue(jobs, 'bad', 'bad', 'good');
  const tried: string[] = [];
  const waits: number[] = [];
  let failing = '';
  jobs.work('conversation', 4, async (job) => {
    tried.push(job.data.subject);
    failing ||= job.data.subject === 'bad' ? job.id : '';
    if (job.id === failing) throw new Error('always');
  });
  await eventually(async () => {
    // Read and shortened in one statement: a wait that began in between would be missed.
    const [row] = await sql<{ seconds: number }>(
      `WITH waiting AS (
         SELECT id, extract(epoch FROM start_after - now())::float8 AS seconds FROM relay_jobs.job
         WHERE state = 'retry' AND start_after > now() FOR UPDATE),
       hurried AS (UPDATE relay_jobs.job j SET start_after = now() FROM waiting w WHERE j.id = w.id)
       SELECT seconds FROM waiting`,
    );
    if (row) waits.push(row.seconds);
    jobs.wake('conversation');
    return tried.length === retries + 3;
  });
  // Backoff is random, but grows from the first delay and never exceeds the last.
  expect(waits).toHaveLength(retries);
  expect(Math.max(...waits)).toBeLessThanOrEqual(maxDelay);
  expect(waits.at(-1)).toBeGreaterThan(delay * 2);
  expect(tried.filter((key) => key === 'good')).toHaveLength(1);
  await eventually(async () => (await jobs.counts(account)).running === 0);
  expect(await jobs.counts(account)).toEqual({
    waiting: 0,
    running: 0,
    dead: [{ queue: 'conversation', count: 1 }],
  });
  expect(failures.at(-1)).toMatchObject({ queue: 'conversation', attempt: retries + 1 });
});

test('jobs that a killed worker left running are ready again once the account is adopted', async () => {
  const killed = await startJobs();
  killed.work('conversation', 2, () => new Promise(() => {}));
  await enqueue(killed, 'a', 'a', 'b');
  killed.wake('conversation');
  await eventually(async () => (await killed.counts(account)).running === 2);

  const heir = await startJobs();
  expect(await heir.adoptLease(await nextLease())).toBe(2);
  const ran: string[] = [];
  heir.work('conversation', 4, async (job) => {
    ran.push(`${job.data.subject}.${job.attempt}`);
  });
  await eventually(() => ran.length === 3);
  expect(ran.sort()).toEqual(['a.1', 'a.1', 'b.1']);
});

test('a key blocked by a job that failed for good before its worker was killed is free after adoption', async () => {
  const jobs = await startJobs();
  await enqueue(jobs, 'a');
  await sql("UPDATE relay_jobs.job SET state = 'failed', completed_on = now()");
  await enqueue(jobs, 'a');
  await jobs.adoptLease(await nextLease());
  const ran: string[] = [];
  jobs.work('conversation', 1, async (job) => {
    ran.push(job.data.subject);
  });
  await eventually(() => ran.length === 1);
});

test('adopting an account does not touch jobs of another account', async () => {
  const jobs = await startJobs();
  await enqueue(jobs, ...times(2, (n) => `${n}`));
  await sql(
    "UPDATE relay_jobs.job SET state = 'active', data = jsonb_set(data, '{account}', '77')",
  );
  expect(await jobs.adoptLease(await nextLease())).toBe(0);
  expect(await states()).toEqual(['active', 'active']);
  expect(await jobs.counts(account)).toEqual({ waiting: 0, running: 0, dead: [] });
});

describe('a daemon that lost its lease', () => {
  /** The effect of a job, under the lease and settled with it. */
  const act = (lease: Lease, job: Job<'conversation'>, effect: string) =>
    db.transaction().execute(async (tx) => {
      await holdLease(tx, lease);
      await note(tx, effect);
      await job.complete(tx);
    });

  test.each([
    ['its first attempt', 0],
    ['its last attempt', QUEUES.conversation.retry.retries],
  ])('does not touch a job that its successor is running, at %s', async (_, retryCount) => {
    const lost = await nextLease();
    const frozen = await startJobs();
    await frozen.adoptLease(lost);
    await enqueue(frozen, 'a');
    await sql(`UPDATE relay_jobs.job SET retry_count = ${retryCount}`);
    const [fetched, thawed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    frozen.work('conversation', 1, async (job) => {
      fetched.resolve();
      await thawed.promise;
      await act(lost, job, 'the former');
    });
    await fetched.promise;

    const lease = await nextLease();
    const successor = await startJobs();
    expect(await successor.adoptLease(lease)).toBe(1);
    const [running, ending] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const attempts: number[] = [];
    successor.work('conversation', 1, async (job) => {
      attempts.push(job.attempt);
      running.resolve();
      await ending.promise;
      await act(lease, job, 'the successor');
    });
    await running.promise;
    thawed.resolve();
    await frozen.stop(10_000);
    ending.resolve();
    await eventually(async () => (await successor.counts(account)).running === 0);
    expect(await states()).toEqual([]);
    expect(await noted()).toEqual(['the successor']);
    expect(attempts).toEqual([retryCount + 1]);
  });

  test('returns a job that it fetched after losing the lease, and fetches no more', async () => {
    const lost = await nextLease();
    const jobs = await startJobs();
    await jobs.adoptLease(lost);
    await nextLease();
    await enqueue(jobs, 'a', 'b');
    let tries = 0;
    jobs.work('conversation', 1, async (job) => {
      tries += 1;
      await act(lost, job, 'the former');
    });
    await eventually(async () => tries > 0 && (await jobs.counts(account)).running === 0);
    // The end of the first job would have woken it.
    await jobs.stop(1_000);
    expect(tries).toBe(1);
    expect(await sql('SELECT state, retry_count, started_on FROM relay_jobs.job')).toEqual(
      times(2, () => ({ state: 'created', retry_count: 0, started_on: null })),
    );
  });

  test('does not make a job ready that its successor is running', async () => {
    const lost = await nextLease();
    await nextLease();
    const jobs = await startJobs();
    await enqueue(jobs, 'a');
    await sql("UPDATE relay_jobs.job SET state = 'active'");
    expect(await jobs.adoptLease(lost)).toBe(0);
    expect(await states()).toEqual(['active']);
  });
});
