import { randomUUID } from 'node:crypto';
import type { InstanceId } from '@relay/contract/ids';
import { silentLog } from '@relay/core/log';
import { eventually, freshStore, sleep, times } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { PgBoss } from 'pg-boss';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { takeLease } from '../db/lease.ts';
import { JOB_CLOCK_GATHER_MS, LOST_HINT_MS } from './job-clock.ts';
import { Jobs } from './jobs.ts';
import { createJobSource, QueueWorker } from './queue-worker.ts';
import { QUEUES } from './queues.ts';

const store = await freshStore();
const { account, database, sql } = store;

beforeEach(() => sql('DELETE FROM relay_jobs.job'));

async function startJobs(): Promise<Jobs> {
  const jobs = await Jobs.start(database, silentLog);
  onTestFinished(() => jobs.stop(1_000));
  return jobs;
}

const job = (key: string, n: number) => ({
  key,
  data: { account, subject: key as InstanceId, epoch: n, wake: 'reply' as const },
});
const enqueue = (jobs: Jobs, list: ReturnType<typeof job>[]) =>
  database.kysely.transaction().execute((tx) => jobs.enqueue(tx, 'conversation', list));
const waiting = async () => (await sql('SELECT 1 FROM relay_jobs.job')).length;
const forgetSchedules = async () => void (await sql('DELETE FROM relay_jobs.schedule'));
/** The first retry comes after a second; the tests do not wait for it. */
const hurryRetries = () =>
  sql("UPDATE relay_jobs.job SET start_after = now() WHERE state = 'retry'");

test('a job exists exactly if the transaction that enqueued it commits', async () => {
  const jobs = await startJobs();
  const failed = database.kysely.transaction().execute(async (tx) => {
    await jobs.enqueue(tx, 'conversation', [job('a', 1)]);
    throw new Error('no');
  });
  await expect(failed).rejects.toThrow('no');
  expect(await waiting()).toBe(0);
  await enqueue(jobs, [job('a', 1)]);
  expect(await waiting()).toBe(1);
});

test('jobs of one key run one after the other, in order, also those of one transaction', async () => {
  const jobs = await startJobs();
  const ran: Record<string, number[]> = { a: [], b: [], c: [] };
  const running = new Map<string, number>();
  for (let n = 0; n < 30; n += 10) {
    const batch = times(10, (i) => n + i).flatMap((i) => ['a', 'b', 'c'].map((k) => job(k, i)));
    await enqueue(jobs, batch);
  }
  jobs.work('conversation', 20, async ({ data: { subject, epoch } }) => {
    running.set(subject, (running.get(subject) ?? 0) + 1);
    expect(running.get(subject)).toBe(1);
    await sleep(Math.random() * 4);
    ran[subject]?.push(epoch);
    running.set(subject, 0);
  });
  await eventually(() => Object.values(ran).flat().length === 90);
  for (const order of Object.values(ran)) expect(order).toEqual(times(30, (i) => i));
});

test('a failed job is retried before the next job of its key', async () => {
  const jobs = await startJobs();
  const ran: string[] = [];
  await enqueue(jobs, [...times(3, (n) => job('a', n)), ...times(3, (n) => job('b', n))]);
  jobs.work('conversation', 20, async ({ data: { subject, epoch }, attempt }) => {
    ran.push(`${subject}${epoch}.${attempt}`);
    if (subject === 'a' && epoch === 1 && attempt === 1) throw new Error('once');
  });
  await eventually(async () => {
    await hurryRetries();
    jobs.wake('conversation');
    return ran.length === 7;
  });
  expect(ran.filter((name) => name.startsWith('a'))).toEqual(['a0.1', 'a1.1', 'a1.2', 'a2.1']);
  expect(ran.filter((name) => name.startsWith('b'))).toEqual(['b0.1', 'b1.1', 'b2.1']);
});

test('jobs of different keys run concurrently, up to the limit', async () => {
  const jobs = await startJobs();
  let now = 0;
  let most = 0;
  let done = 0;
  await enqueue(
    jobs,
    times(30, (n) => job(`key ${n}`, n)),
  );
  jobs.work('conversation', 20, async () => {
    now += 1;
    most = Math.max(most, now);
    await sleep(50);
    now -= 1;
    done += 1;
  });
  await eventually(() => done === 30);
  expect(most).toBe(20);
});

describe('a worker that waits for jobs', () => {
  const roundTrip = () => sql('SELECT pg_sleep(0.005)');

  /** From now on the wait for a lost hint never ends by itself; it ends when its function is called. */
  function holdLongWaits() {
    const looks: (() => void)[] = [];
    const { setTimeout: start } = globalThis;
    const timers = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((
      call: () => void,
      ms: number,
    ) => {
      if (ms < LOST_HINT_MS / 2) return start(call, ms);
      looks.push(call);
      return start(() => {}, 1);
    }) as typeof setTimeout);
    const release = () => {
      timers.mockRestore();
      // Ends the wait that was held, so that the loop stops.
      for (const look of looks) look();
    };
    return { looks, release };
  }

  /** While a job is enqueued and `then` runs. */
  async function picksUpAfter(
    enqueueFrom: (own: Jobs) => Promise<Jobs>,
    then: (look: () => void) => void,
  ): Promise<void> {
    const { looks, release } = holdLongWaits();
    try {
      const own = await startJobs();
      let pickedUp = 0;
      own.work('conversation', 2, async () => {
        pickedUp += 1;
      });
      while (looks.length === 0) await roundTrip();
      await enqueue(await enqueueFrom(own), [job('a', 1)]);
      const lookNow = () => {
        for (const look of looks.splice(0)) look();
      };
      while (pickedUp === 0) {
        then(lookNow);
        await roundTrip();
      }
      expect(pickedUp).toBe(1);
    } finally {
      release();
    }
  }

  test('runs a job as soon as the transaction that enqueued it commits', async () => {
    await picksUpAfter(
      async (own) => own,
      () => {},
    );
  });

  test('finds a job whose hint was lost at the next look for all queues', async () => {
    verifies('SEP-LOST-HINT');
    // Enqueued by another process: no hint reaches this one.
    await picksUpAfter(startJobs, (look) => look());
  });

  test('runs a delayed job in time while a ready job of its queue waits for another of its key', async () => {
    verifies('SEP-LOST-HINT');
    const { release } = holdLongWaits();
    const end = Promise.withResolvers<void>();
    try {
      const jobs = await startJobs();
      const ran: number[] = [];
      jobs.work('conversation', 4, async ({ data: { epoch } }) => {
        ran.push(epoch);
        if (epoch === 1) await end.promise;
      });
      await enqueue(jobs, [job('a', 1), job('a', 2)]);
      await eventually(() => ran.length === 1);
      await database.kysely
        .transaction()
        .execute((tx) => jobs.enqueue(tx, 'conversation', [{ ...job('b', 3), delaySeconds: 1 }]));
      await eventually(() => ran.includes(3));
      expect(ran).toEqual([1, 3]);
    } finally {
      end.resolve();
      release();
    }
  });

  test('runs the waiting jobs of an account that comes to its process', async () => {
    verifies('SEP-LOST-HINT');
    const { release } = holdLongWaits();
    try {
      const jobs = await startJobs();
      const other = (account + 1) as typeof account;
      const ran: number[] = [];
      const handle = async ({ data }: { data: { epoch: number } }) => void ran.push(data.epoch);
      const { data } = job('b', 2);
      await enqueue(jobs, [{ ...job('b', 2), data: { ...data, account: other } }]);
      jobs.work('conversation', 4, handle, account);
      // By then the clock has looked after the worker, and has woken it once more for nothing.
      await sleep(3 * JOB_CLOCK_GATHER_MS);
      expect(ran).toEqual([]);
      jobs.work('conversation', 4, handle, other);
      await eventually(() => ran.length === 1);
    } finally {
      release();
    }
  });

  test('asks for delayed jobs again after a hint that came together with the clock', async () => {
    verifies('SEP-LOST-HINT');
    await startJobs();
    const boss = new PgBoss({
      db: { executeSql: (text, values) => database.pool.query(text, values) },
      schema: 'relay_jobs',
      supervise: false,
      schedule: false,
    });
    await boss.start();
    onTestFinished(() => boss.stop({ graceful: false, close: false }));
    let asked = 0;
    const worker = new QueueWorker({
      boss,
      queue: 'conversation',
      concurrency: 1,
      log: silentLog,
      source: createJobSource(database),
      reclaim: async () => 0,
      giveBack: async () => {},
      isServing: async () => true,
      onLooked: () => {
        asked += 1;
      },
    });
    worker.start();
    onTestFinished(() => worker.stop(0));
    await eventually(() => asked === 1);
    worker.wake();
    worker.wakeByClock();
    await eventually(() => asked === 2);
    worker.wakeByClock();
    await roundTrip();
    expect(asked).toBe(2);
  });
});

test('a job for later runs when it is due, without a hint', async () => {
  const jobs = await startJobs();
  const began = Date.now();
  let ranAfter = 0;
  jobs.work('conversation', 2, async () => {
    ranAfter = Date.now() - began;
  });
  await database.kysely
    .transaction()
    .execute((tx) => jobs.enqueue(tx, 'conversation', [{ ...job('a', 1), delaySeconds: 1 }]));
  await eventually(() => ranAfter > 0);
  expect(ranAfter).toBeGreaterThanOrEqual(900);
});

test('a worker fetches no job of an account that is served by another process', async () => {
  const jobs = await startJobs();
  const ran: number[] = [];
  const other = {
    ...job('b', 2),
    data: { ...job('b', 2).data, account: (account + 1) as typeof account },
  };
  jobs.work(
    'conversation',
    4,
    async ({ data }) => {
      ran.push(data.epoch);
    },
    account,
  );
  await enqueue(jobs, [other, job('a', 1)]);
  await eventually(async () => (await waiting()) === 1);
  expect(ran).toEqual([1]);
  expect(await sql('SELECT state, retry_count FROM relay_jobs.job')).toEqual([
    { state: 'created', retry_count: 0 },
  ]);
});

test('a hint during full concurrency waits without a busy loop', async () => {
  const jobs = await startJobs();
  let ran = 0;
  jobs.work('conversation', 1, async () => {
    jobs.wake('conversation');
    await sleep(30);
    ran += 1;
  });
  await enqueue(jobs, [job('a', 1), job('b', 2), job('c', 3)]);
  jobs.wake('conversation');
  await eventually(() => ran === 3);
});

test('stopping lets the running job finish and takes no new one', async () => {
  const jobs = await Jobs.start(database, silentLog);
  const ran: number[] = [];
  const stopping = Promise.withResolvers<void>();
  jobs.work('conversation', 1, async ({ data }) => {
    await stopping.promise;
    ran.push(data.epoch);
  });
  await enqueue(jobs, [job('a', 1), job('b', 2)]);
  jobs.wake('conversation');
  await eventually(async () => (await jobs.counts(account)).running === 1);
  const stopped = jobs.stop(5_000);
  stopping.resolve();
  await stopped;
  expect(ran).toHaveLength(1);
  expect(await jobs.counts(account)).toMatchObject({ waiting: 1, running: 0 });
});

test('a recurring job is stored with its time zone and replaces the previous one', async () => {
  onTestFinished(forgetSchedules);
  const jobs = await startJobs();
  await jobs.every('maintenance', '0 3 * * *', 'UTC', { task: 'prune' });
  // As an earlier version stored it.
  await sql("UPDATE relay_jobs.schedule SET options = '{}'");
  await jobs.every('maintenance', '17 4 * * *', 'Asia/Kathmandu', { task: 'prune' });
  expect(await sql('SELECT name, cron, timezone, data, options FROM relay_jobs.schedule')).toEqual([
    {
      name: 'maintenance',
      cron: '17 4 * * *',
      timezone: 'Asia/Kathmandu',
      data: { task: 'prune' },
      options: { tz: 'Asia/Kathmandu', missed: 'once' },
    },
  ]);
});

test('a recurring job whose times passed while the machine slept runs once after it wakes', async () => {
  onTestFinished(forgetSchedules);
  const before = await Jobs.start(database, silentLog);
  const minute = new Date(Date.now() - 5 * 60_000).getUTCMinutes();
  await before.every('maintenance', `${minute} * * * *`, 'UTC', { task: 'prune' });
  await before.stop(0);
  await sql("UPDATE relay_jobs.schedule SET created_on = now() - interval '3 days'");
  await sql("UPDATE relay_jobs.version SET cron_on = now() - interval '6 hours'");

  const jobs = await startJobs();
  let ran = 0;
  jobs.work('maintenance', 1, async () => {
    ran += 1;
  });
  await eventually(() => ran > 0);
  expect(await sql("SELECT FROM relay_jobs.job WHERE name = 'maintenance'")).toHaveLength(1);
});

test('queue options changed by a new version are applied to existing queues', async () => {
  await startJobs();
  await sql(`UPDATE relay_jobs.queue SET retry_limit = 1, retry_delay = 77, expire_seconds = 5,
    dead_letter = NULL WHERE name = 'conversation'`);
  await sql("UPDATE relay_jobs.queue SET retention_seconds = 60 WHERE name = 'dead_letters'");
  const jobs = await startJobs();
  await enqueue(jobs, [job('a', 1)]);
  const { retry, expiresAfterSeconds } = QUEUES.conversation;
  expect(
    await sql('SELECT retry_limit, retry_delay, expire_seconds, dead_letter FROM relay_jobs.job'),
  ).toEqual([
    {
      retry_limit: retry.retries,
      retry_delay: retry.stepsMs[0] / 1000,
      expire_seconds: expiresAfterSeconds,
      dead_letter: 'dead_letters',
    },
  ]);
  const [dead] = await sql(
    "SELECT retention_seconds FROM relay_jobs.queue WHERE name = 'dead_letters'",
  );
  expect(dead?.retention_seconds).toBe(90 * 86_400);
});

test('jobs that were ready before the clock was set back are ready immediately', async () => {
  const jobs = await startJobs();
  const lease = await takeLease(database.kysely, account, randomUUID());
  if (lease === null) throw new Error('a fresh account is free');
  await jobs.adoptLease(lease);
  await enqueue(jobs, [job('a', 1)]);
  await sql("UPDATE relay_jobs.job SET start_after = now() + interval '1 hour'");
  const ran: number[] = [];
  jobs.work('conversation', 1, async ({ data }) => {
    ran.push(data.epoch);
  });
  await sleep(700);
  expect(ran).toEqual([]);
  expect(await jobs.makeDelayedReady()).toBe(1);
  await eventually(() => ran.length === 1);
});
