// `npm run torture -- forget`: many people and messages; half of the people are forgotten while the database is killed
// repeatedly. Then every byte of the data directory is searched: nothing of forgotten people is left, and everything of
// the others is there.
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AccountId } from '@relay/contract/ids';
import { retentionSettingsSchema } from '@relay/contract/settings';
import { silentLog } from '@relay/core/log';
import { openRetention, type Retention } from '@relay/daemon/features/retention/feature';
import { openDatabase, type SharedDatabase } from '@relay/daemon/platform/db/database';
import { PostgresEventLog } from '@relay/daemon/platform/db/events';
import { takeLease } from '@relay/daemon/platform/db/lease';
import { verifyLedger } from '@relay/daemon/platform/db/ledger-chain';
import { migrate } from '@relay/daemon/platform/db/migrate';
import { type PrivateServer, startPrivateServer } from '@relay/daemon/platform/db/postgres/server';
import { Jobs } from '@relay/daemon/platform/jobs/jobs';
import { type PlantResult, plant } from '@relay/testing/erase/plant';
import { scanFolder } from '@relay/testing/erase/scan';
import { removeFolder } from '@relay/testing/remove-folder';
import { testSealer } from '@relay/testing/sealer';
import { randomFrom } from './random.ts';

export interface ForgetTorture {
  readonly people: number;
  /** Messages of others, so that tables have something to rewrite. */
  readonly messages: number;
  readonly kills: number;
  readonly seed: number;
}

export interface ForgetReport {
  readonly people: number;
  readonly forgotten: number;
  readonly kills: number;
  readonly bytes: number;
  /** Files of the data directory that contain data of the forgotten people, before and after. */
  readonly filesBefore: number;
  readonly filesAfter: number;
  readonly slowestMs: number;
  readonly faults: readonly string[];
  readonly seconds: number;
}

const DAY = 86_400_000;
const PATIENCE_MS = 60_000;

interface Ground {
  readonly directory: string;
  readonly server: PrivateServer;
  readonly database: SharedDatabase;
  readonly account: AccountId;
  readonly retention: Retention;
  sql(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
}

export async function tortureForget(asked: ForgetTorture): Promise<ForgetReport> {
  const began = performance.now();
  const ground = await openGround();
  try {
    const figures = await torture(ground, asked);
    return { ...figures, seconds: Math.round((performance.now() - began) / 1_000) };
  } finally {
    await ground.database.close();
    await ground.server.stop();
    await removeFolder(ground.directory);
  }
}

async function torture(
  ground: Ground,
  { people, messages, kills, seed }: ForgetTorture,
): Promise<Omit<ForgetReport, 'seconds'>> {
  const { directory, sql, account } = ground;
  const random = randomFrom(seed);
  await fill(ground, messages);
  const planted: PlantResult[] = [];
  for (let n = 0; n < people; n++) {
    // Days apart, so that no digest covers two of them; every fourth, who stays, starts a group.
    const at = new Date(Date.now() - n * DAY);
    const group = n % 4 === 0 ? undefined : planted.at(-1)?.group;
    planted.push(await plant(sql, account, { at, long: true, ...(group && { group }) }));
  }
  await sql('ANALYZE');
  await sql('CHECKPOINT');
  const doomed = planted.filter((_, n) => n % 2 === 1);
  const filesBefore = (await scanFolder(directory, doomed[0]?.tag ?? '')).length;
  const [size] = await sql('SELECT pg_database_size(current_database()) AS bytes');

  const faults: string[] = [];
  let slowestMs = 0;
  for (const [n, { contact }] of doomed.entries()) {
    const start = performance.now();
    await forgetThrough(ground, contact, n < kills ? Math.floor(random() * 1_500) : null);
    slowestMs = Math.max(slowestMs, Math.round(performance.now() - start));
  }
  let filesAfter = 0;
  for (const { tag } of doomed) {
    const found = await scanFolder(directory, tag);
    filesAfter += found.length;
    for (const { file, way } of found) faults.push(`${tag} is still in ${file} (${way})`);
  }
  faults.push(
    ...(await lost(
      ground,
      planted.filter((one) => !doomed.includes(one)),
      messages,
    )),
  );
  const chain = await verifyLedger(ground.database.allAccounts, account);
  if (chain !== null) faults.push(`row ${chain.seq} of the ledger ${chain.kind}`);
  return {
    people,
    forgotten: doomed.length,
    kills: Math.min(kills, doomed.length),
    bytes: Number(size?.bytes),
    filesBefore,
    filesAfter,
    slowestMs,
    faults,
  };
}

/** Data of people who were not forgotten that is missing. */
async function lost(
  { sql }: Ground,
  kept: readonly PlantResult[],
  messages: number,
): Promise<string[]> {
  const faults: string[] = [];
  for (const { tag, chat, contact } of kept) {
    const [row] = await sql(
      `SELECT (SELECT count(*) FROM messages WHERE body LIKE $1) AS messages,
        (SELECT count(*) FROM instances WHERE chat_id = $2) AS conversations,
        (SELECT count(*) FROM contact_aliases WHERE contact_id = $3) AS aliases`,
      [`${tag}%`, chat, contact],
    );
    const found = `${row?.messages}/${row?.conversations}/${row?.aliases}`;
    if (found !== '4/1/2') faults.push(`of ${tag} there is ${found} instead of 4/1/2`);
  }
  const [filler] = await sql(`SELECT count(*) AS count FROM messages WHERE body LIKE 'filler%'`);
  if (Number(filler?.count) !== messages) faults.push(`of the others ${filler?.count} are left`);
  return faults;
}

/** Repeats after every interruption until it succeeds. */
async function forgetThrough(
  ground: Ground,
  contact: string,
  killAfterMs: number | null,
): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  const killing = killAfterMs === null ? null : sleep(killAfterMs).then(() => killServer(ground));
  for (;;) {
    try {
      const receipt = await ground.retention.service.forget(contact);
      if (receipt.scoured === 'all') break;
    } catch (error) {
      // Erased in the interrupted run: only its bytes are left to be dropped.
      if ((error as { code?: unknown }).code === 'not_found') {
        const { scoured } = await ground.retention.service.run().catch(() => ({ scoured: false }));
        if (scoured) break;
      }
    }
    if (Date.now() > end) throw new Error('the database did not come back');
    await sleep(100);
  }
  await killing;
}

/** Kills the whole server, or only the backend at work, which leaves half-written files behind. */
async function killServer({ directory, database }: Ground): Promise<void> {
  const { rows } = await database.pool.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid() AND query ~ 'VACUUM|DELETE'`,
  );
  const file = await readFile(join(directory, 'data', 'postmaster.pid'), 'utf8');
  process.kill(rows[0]?.pid ?? Number(file.split('\n')[0]), 'SIGKILL');
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(100)) {
    const answers = await database.pool.query('SELECT 1').catch(() => null);
    if (answers !== null) return;
  }
}

async function fill({ sql, account }: Ground, messages: number): Promise<void> {
  const chat = randomUUID();
  await sql(
    `INSERT INTO chats (account_id, id, kind, group_address) VALUES ($1, $2, 'group', $3)`,
    [account, chat, `${chat}@g.us`],
  );
  await sql('SELECT ensure_message_month(now())');
  await sql(
    `INSERT INTO messages (account_id, chat_id, sent_at, from_me, message_id, kind, body)
     SELECT $1, $2, now(), false, 'F' || n, 'conversation', 'filler ' || md5(n::text) || ' ' || md5((n * 7)::text)
     FROM generate_series(1, $3) n`,
    [account, chat, messages],
  );
  await sql(
    `INSERT INTO search_documents (account_id, source_kind, source_id, chat_id, at, terms, length)
     SELECT account_id, 'message', id::text, chat_id, sent_at, to_tsvector('simple', body), 3
     FROM messages WHERE chat_id = $1`,
    [chat],
  );
}

async function openGround(): Promise<Ground> {
  const directory = await mkdtemp(join(tmpdir(), 'relay-forget-'));
  const server = await startPrivateServer({ directory, log: silentLog });
  const database = openDatabase(server.owner, { sealer: testSealer });
  await migrate(database.pool);
  const sql: Ground['sql'] = async (text, values = []) =>
    (await database.pool.query(text, [...values])).rows;
  const [row] = await sql(`INSERT INTO accounts (label) VALUES ('me') RETURNING id`);
  const account = row?.id as AccountId;
  const lease = await takeLease(database.allAccounts, account, randomUUID());
  if (lease === null) throw new Error('somebody else serves this account');
  const jobs = await Jobs.start(database, silentLog);
  await jobs.stop(100);
  const retention = openRetention({
    db: database.allAccounts,
    lease,
    jobs,
    events: new PostgresEventLog(database.allAccounts, account),
    log: silentLog,
    now: () => new Date(),
    server: { kind: 'private', data: join(directory, 'data') },
    limits: retentionSettingsSchema.parse({ observed_messages_days: 3_650, digests_days: 3_650 }),
    zone: 'UTC',
    exportedCopies: { erase: async () => 0 },
    endConversations: async () => {},
    logsMessageText: false,
    removeUnusedMedia: async () => 0,
  });
  return { directory, server, database, account, retention, sql };
}
