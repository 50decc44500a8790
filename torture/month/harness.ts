// Controls the daemon of the simulated month: its clock, inbox, API, and size. Messages are put into the inbox
// encrypted, as the transport stores them: everything after that is real, and sixty thousand decryptions that prove
// nothing here are saved.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AccountId } from '@relay/contract/ids';
import type { Sealer } from '@relay/core/ports/sealer';
import { sealInboxContent } from '@relay/daemon/platform/db/transport-store/sealed';
import { openVault } from '@relay/daemon/platform/home/vault/vault';
import { type ModelServer, startModelServer } from '@relay/simulator/model/server';
import { Gateway } from '@relay/testing/e2e/gateway';
import { onServer } from '@relay/testing/postgres';
import { removeFolder } from '@relay/testing/remove-folder';
import { proto } from '@whiskeysockets/baileys';
import pg from 'pg';
import { openDatabase, type TortureDatabase } from '../resources.ts';
import type { Orders } from './daemon.ts';
import { type GroupPost, ME } from './group-posts.ts';
import { sumsUp } from './model.ts';

interface Parts {
  readonly api: Gateway;
  readonly child: ChildProcess;
  readonly torture: TortureDatabase;
  readonly pool: pg.Pool;
  readonly model: ModelServer;
  readonly work: string;
  readonly sealer: Sealer;
  readonly account: AccountId;
}

export interface Weight {
  readonly rssMb: number;
  readonly databaseMb: number;
  /** Of that, the data of the groups: messages, verdicts, digests, facts, and indexes. */
  readonly keptMb: number;
}

export class MonthHarness {
  readonly #parts: Parts;

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  static async open(now: Date, settings: object): Promise<MonthHarness> {
    const torture = await openDatabase();
    // Nothing is killed here, so commits need not be durable.
    await onServer(torture.url, (client) =>
      client.query(`ALTER DATABASE ${client.database} SET synchronous_commit = off`),
    );
    const model = await startModelServer();
    model.play(sumsUp);
    const work = await mkdtemp(join(tmpdir(), 'relay month '));
    const home = join(work, 'home');
    await mkdir(home, { mode: 0o700 });
    const orders: Orders = {
      home,
      databaseUrl: torture.url,
      now: now.getTime(),
      settings: {
        model_provider: 'openai-compatible',
        model_name: 'scripted',
        model_base_url: `${model.url}/v1`,
        ...settings,
      },
    };
    const child = fork(join(import.meta.dirname, 'daemon.ts'), [JSON.stringify(orders)]);
    const port = await ready(child);
    const token = (await readFile(join(home, 'token'), 'utf8')).trim();
    const pool = new pg.Pool({ connectionString: torture.url, max: 2 });
    const keyFile = `${home}.key`;
    const only = { keyDirectory: '', passphrase: null, keyCommand: null, givenKey: null };
    const { sealer } = await openVault({ home, keyFile, ...only });
    const { rows } = await pool.query<{ account_id: AccountId }>(
      'SELECT account_id FROM relay.account_leases',
    );
    const account = rows[0]?.account_id;
    if (account === undefined) throw new Error('a daemon without an account');
    const api = new Gateway(() => ({ port, token }));
    return new MonthHarness({ api, child, torture, pool, model, work, sealer, account });
  }

  async observe(address: string, zone: string): Promise<void> {
    const wish = { group: address, zone, announced: true, may_answer: true };
    await this.#parts.api.ok('POST', '/api/observed-groups', wish);
  }

  async moveTo(now: Date): Promise<void> {
    const { child } = this.#parts;
    child.send(now.getTime());
    await once(child, 'message');
  }

  async query<Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.#parts.pool.query<Row>(sql, values)).rows;
  }

  async receive(said: readonly GroupPost[]): Promise<void> {
    const { sealer, account } = this.#parts;
    const rows = said.map(({ id, chat, sender, name, at, content }) => {
      const t = Math.floor(at.getTime() / 1_000);
      const stanza = { id, from: chat, participant: sender, t, notify: name, own: [ME] };
      const key = { chat, sender, message_id: id };
      const plain = proto.Message.encode(content).finish();
      return {
        ...key,
        stanza: Buffer.from(JSON.stringify(stanza)),
        content: Buffer.from(sealInboxContent(sealer, account, key, plain)),
      };
    });
    await this.query(
      `INSERT INTO relay.inbox (account_id, chat, sender, message_id, stanza, content)
       SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::bytea[], $6::bytea[])`,
      [
        account,
        rows.map(({ chat }) => chat),
        rows.map(({ sender }) => sender),
        rows.map(({ message_id }) => message_id),
        rows.map(({ stanza }) => stanza),
        rows.map(({ content }) => content),
      ],
    );
  }

  /** As the daily maintenance does every night. */
  async maintain(): Promise<void> {
    await this.#parts.api.ok('POST', '/api/retention/run');
  }

  /** Nothing is pending or running, and no timer is due. */
  async untilStill(now: Date): Promise<void> {
    for (;;) {
      const [row] = await this.query<{ busy: boolean }>(
        `SELECT EXISTS (SELECT FROM relay.inbox WHERE done_at IS NULL)
           OR EXISTS (SELECT FROM relay.timers WHERE due_at <= $1)
           OR EXISTS (SELECT FROM relay_jobs.job WHERE state < 'completed'
             AND name IN ('route', 'trigger', 'group_answer', 'digest')) AS busy`,
        [now],
      );
      if (row?.busy === false) return;
      await sleep(50);
    }
  }

  async weight(): Promise<Weight> {
    const { child } = this.#parts;
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
    const [size] = await this.query<{ all: number; kept: number }>(
      `SELECT pg_database_size(current_database())::float / 1048576 AS all,
         (SELECT sum(pg_total_relation_size(c.oid))::float / 1048576 FROM pg_class c
           WHERE c.relkind = 'r' AND c.relname ~ '^(messages|observed_messages|digest|search_)') AS kept`,
    );
    return {
      rssMb: rounded(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024),
      databaseMb: rounded(size?.all ?? 0),
      keptMb: rounded(size?.kept ?? 0),
    };
  }

  async close(): Promise<void> {
    const { child, pool, model, torture, work } = this.#parts;
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    await gone;
    await pool.end();
    await model.close();
    await torture.close();
    await removeFolder(work);
  }
}

const rounded = (value: number): number => Math.round(value * 10) / 10;

async function ready(child: ChildProcess): Promise<number> {
  const ended = once(child, 'exit').then(() =>
    Promise.reject(new Error('the daemon did not start')),
  );
  const [{ port }] = await Promise.race([once(child, 'message'), ended]);
  return port;
}
