// A private PostgreSQL with durable commits and the parts of the daemon that a transition uses.
import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pacingSchema, settingsSchema } from '@relay/contract/settings';
import { silentLog } from '@relay/core/log';
import {
  type ConversationDeps,
  RunningTurns,
} from '@relay/daemon/features/conversations/transitions';
import { Gate } from '@relay/daemon/pipeline/gate/gate';
import { takeAccountLease } from '@relay/daemon/platform/db/account';
import { type Database, databaseOf, openDatabase } from '@relay/daemon/platform/db/database';
import { PostgresEventLog } from '@relay/daemon/platform/db/events';
import { startPrivateServer } from '@relay/daemon/platform/db/postgres/server';
import type { ServerConnection } from '@relay/daemon/platform/db/postgres/settings';
import { prepareSchema } from '@relay/daemon/schema';
import { removeFolder } from '@relay/testing/remove-folder';
import { testSealer } from '@relay/testing/sealer';

/** One holder for the whole run, so that it can take its own lease again. */
const HOLDER = randomUUID();

export interface BenchServer {
  /** As the owner of the tables. */
  readonly target: ServerConnection;
  /** As the daemon's role, which row-level security holds. */
  readonly daemon: ServerConnection;
  close(): Promise<void>;
}

export async function benchServer(): Promise<BenchServer> {
  const directory = await mkdtemp(join(tmpdir(), 'relay-bench-'));
  const server = await startPrivateServer({
    directory: join(directory, 'postgres'),
    log: silentLog,
  });
  return {
    target: server.owner,
    daemon: server.daemon,
    async close() {
      await server.stop();
      await removeFolder(directory);
    },
  };
}

export interface BenchHarness {
  readonly database: Database;
  readonly world: ConversationDeps;
  close(): Promise<void>;
}

/**
 * `target`: as the owner of the tables; works as the daemon's role. `onSent`: a message was put into the outbox and
 * committed.
 */
export async function openBenchHarness(
  { target, daemon }: Pick<BenchServer, 'target' | 'daemon'>,
  onSent: () => void = () => {},
): Promise<BenchHarness> {
  const shared = openDatabase(daemon, { sealer: testSealer, owner: target });
  const schema = await prepareSchema(shared, target, silentLog);
  const jobs = await schema.startJobs();
  const lease = await takeAccountLease(shared.allAccounts, HOLDER);
  const database = databaseOf(shared, lease.account);
  return {
    database,
    world: {
      db: database.kysely,
      lease,
      jobs,
      gate: new Gate({
        account: lease.account,
        pacing: pacingSchema.parse({ enabled: false }),
        wakeOutbox: onSent,
      }),
      events: new PostgresEventLog(database.kysely, lease.account),
      log: silentLog,
      settings: settingsSchema.parse({ agent: { tokens_per_day: 1_000_000_000 } }),
      running: new RunningTurns(),
      now: () => new Date(),
      zone: 'UTC',
    },
    async close() {
      await jobs.stop(0);
      await shared.close();
    },
  };
}

/** Thousands of conversations in one state, each with its own contact and chat. */
export async function fillInstances(
  database: Pick<Database, 'pool'>,
  account: number,
  count: number,
  state: string,
): Promise<void> {
  await database.pool.query(
    `WITH people AS (
       INSERT INTO contacts (account_id) SELECT $1 FROM generate_series(1, $2) RETURNING id),
     places AS (
       INSERT INTO chats (account_id, kind, contact_id) SELECT $1, 'direct', id FROM people RETURNING id, contact_id),
     numbered AS (SELECT id, contact_id, row_number() OVER () AS n FROM places),
     named AS (
       INSERT INTO contact_aliases (account_id, kind, value, contact_id)
       SELECT $1, 'phone', (20000000000 + n)::text, contact_id FROM numbered)
     INSERT INTO instances (account_id, id, contact_id, chat_id, target_contact, objective, state, interval_ms, max_followups)
     SELECT $1, gen_random_uuid(), contact_id, id, '+' || (20000000000 + n), 'bench', $3, 1800000, 5 FROM numbered`,
    [account, count, state],
  );
}
