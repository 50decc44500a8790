// The inside of a daemon over its own database, with a manual clock: the real flow, router, jobs, workers, timers,
// gate, outbox and re-check. Interleavings run in it one after the other, each with its own contact; several lanes run
// in parallel.
import { randomUUID } from 'node:crypto';
import type { ConversationService } from '@relay/contract/api/instances';
import { type InstanceId, instanceId, type MessageId } from '@relay/contract/ids';
import { deliverySchema, pacingSchema, settingsSchema } from '@relay/contract/settings';
import { silentLog } from '@relay/core/log';
import type { TurnContext, TurnOutcome } from '@relay/core/ports/agent-turn';
import { createConversationService } from '@relay/daemon/features/conversations/service';
import {
  type ConversationDeps,
  RunningTurns,
} from '@relay/daemon/features/conversations/transitions';
import { onConversationJob } from '@relay/daemon/features/conversations/turn';
import { Gate } from '@relay/daemon/pipeline/gate/gate';
import { recheckPermits } from '@relay/daemon/pipeline/gate/recheck';
import { takeInBatch } from '@relay/daemon/pipeline/intake/intake';
import {
  incoming,
  ME,
  openPlain,
  readJson,
  receive,
} from '@relay/daemon/pipeline/intake/testing/inbox';
import { claimMessages } from '@relay/daemon/pipeline/outbox/claim';
import {
  applyDeliveryReports,
  wakeConversations,
} from '@relay/daemon/pipeline/outbox/delivery-updates';
import { onRoute } from '@relay/daemon/pipeline/router/router';
import { takeAccountLease } from '@relay/daemon/platform/db/account';
import {
  type Database,
  type Db,
  databaseOf,
  openDatabase,
} from '@relay/daemon/platform/db/database';
import { PostgresEventLog } from '@relay/daemon/platform/db/events';
import { recordSent } from '@relay/daemon/platform/db/messages';
import { Jobs } from '@relay/daemon/platform/jobs/jobs';
import { enqueueDueTimers, TimerClock } from '@relay/daemon/platform/jobs/timers';
import { testSealer } from '@relay/testing/sealer';
import type { Scheduler, SchedulerView } from './scheduler.ts';

/** A turn that the agent was asked for, and what it requested. */
export interface Turn {
  readonly context: TurnContext;
  readonly asked: number;
  readonly outcome: TurnOutcome;
}

/** A message that was handed to the transport, and when its claim began. */
export interface SentBody {
  readonly instance: InstanceId | null;
  readonly body: string;
  readonly began: number;
}

export type Script = (context: TurnContext) => TurnOutcome;

const CONNECTIONS = 9;
const TURNS_AT_ONCE = 6;
const ROUTES_AT_ONCE = 2;
const START = Date.parse('2026-03-01T09:00:00Z');

export class Lane {
  readonly database: Database;
  readonly verbs: ConversationService;
  readonly world: ConversationDeps;
  readonly #jobs: Jobs;
  readonly #clock: TimerClock;
  readonly #pacing = pacingSchema.parse({ enabled: false });
  #time = START;
  #phones = 0;
  /** Jobs whose handlers run. */
  readonly #handled = new Set<string>();
  #scheduler: Scheduler | null = null;
  #script: Script = () => ({ messages: [] });
  turns: Turn[] = [];
  left: SentBody[] = [];
  /** Deliveries that a permitted message started. */
  carriers: Promise<void>[] = [];

  private constructor(database: Database, jobs: Jobs, lease: ConversationDeps['lease']) {
    this.database = database;
    this.#jobs = jobs;
    const { kysely } = database;
    this.world = {
      db: this.#stepped(kysely),
      lease,
      jobs,
      gate: new Gate({
        account: lease.account,
        pacing: this.#pacing,
        wakeOutbox: () => this.#permitted(),
      }),
      events: new PostgresEventLog(kysely, lease.account),
      log: silentLog,
      settings: settingsSchema.parse({}),
      running: new RunningTurns(),
      now: () => new Date(this.#time),
      zone: 'UTC',
    };
    this.verbs = createConversationService(this.world);
    this.#clock = new TimerClock({
      db: this.world.db,
      lease: this.world.lease,
      now: this.world.now,
      events: this.world.events,
      onDue: enqueueDueTimers(jobs),
      onFired: () => jobs.wake('conversation'),
      log: silentLog,
    });
    const wake = onConversationJob(this.world, (context) => this.#think(context));
    jobs.work('conversation', TURNS_AT_ONCE, (job, signal) =>
      this.#handle(job.id, nameOf(job.data.wake), () => wake(job, signal)),
    );
    const place = onRoute(this.world);
    jobs.work('route', ROUTES_AT_ONCE, async (job) => {
      const name = (await this.#isMine(job.data.message)) ? 'takeover' : 'heard';
      return this.#handle(job.id, name, () => place(job));
    });
  }

  static async open(url: string): Promise<Lane> {
    const shared = openDatabase(
      { connectionString: url },
      { max: CONNECTIONS, sealer: testSealer },
    );
    const lease = await takeAccountLease(shared.allAccounts, randomUUID());
    const jobs = await Jobs.start(shared, silentLog);
    const { kysely, pool } = databaseOf(shared, lease.account);
    return new Lane({ ...shared, kysely, pool }, jobs, lease);
  }

  async close(): Promise<void> {
    await this.#jobs.stop(1_000);
    await this.database.close();
  }

  /** From here on this scheduler decides the order, and the agent follows the script. */
  begin(scheduler: Scheduler, script: Script): void {
    this.#scheduler = scheduler;
    this.#script = script;
    this.turns = [];
    this.left = [];
    this.carriers = [];
  }

  now(): Date {
    return this.world.now();
  }

  move(ms: number): void {
    this.#time += ms;
  }

  newPhone(): string {
    this.#phones += 1;
    return `49151${String(this.#phones).padStart(8, '0')}`;
  }

  async create(phone: string, heartbeat = { interval_ms: 60_000, max_followups: 2 }) {
    const request = {
      objective: 'Get a quote',
      target_contact: `+${phone}`,
      todos: [{ text: 'Ask' }],
      heartbeat_config: heartbeat,
    };
    return this.#run('create', async () => instanceId((await this.verbs.create(request)).id));
  }

  owner(verb: 'pause' | 'resume' | 'cancel', id: InstanceId): Promise<unknown> {
    return this.#run(verb, () => this.verbs[verb](id));
  }

  /** Stores a message of the contact, or of the owner from another device, for the router. */
  async arrives(phone: string, body: string, fromMe = false): Promise<void> {
    const chat = `${phone}@s.whatsapp.net`;
    const id = randomUUID() as unknown as MessageId;
    const sender = fromMe ? ME : chat;
    const { lease } = this.world;
    await receive({ sql: this.sql }, lease.account, [
      incoming({ id, chat, sender, fromMe, body, sentAt: this.now() }),
    ]);
    await takeInBatch(
      { db: this.database.kysely, lease, jobs: this.#jobs, unseal: openPlain, read: readJson },
      50,
    );
    this.#jobs.wake('route');
  }

  /** The clock looks for due timers. */
  tick(): Promise<unknown> {
    return this.#run('clock', () => this.#clock.fire());
  }

  /** Sends what may be sent; WhatsApp accepts it. */
  carry(): Promise<void> {
    return this.#run('carry', async () => {
      const { account } = this.world.lease;
      const { rows } = await claimMessages(this.#carrier(), {
        now: this.now(),
        room: 20,
        inFlight: [],
        reconciled: true,
        timeLockedUntil: null,
        typed: 'unneeded',
      });
      if (rows.length === 0) return;
      const began = this.#scheduler?.began() ?? 0;
      for (const { instance_id, body } of rows) {
        this.left.push({ instance: instance_id, body, began });
      }
      const at = this.now();
      await this.database.kysely.transaction().execute((tx) =>
        applyDeliveryReports(
          tx,
          account,
          rows.map(({ id }) => ({
            target: { id },
            apply: () => ({ event: { type: 'accepted' }, at }),
          })),
          this.#carrier().hooks,
        ),
      );
      this.#jobs.wake('conversation');
    });
  }

  #permitted(): void {
    if (this.#scheduler?.held === true) this.carriers.push(this.carry());
  }

  /** Retries failed jobs now instead of in a second; returns how many. */
  async hurry(): Promise<number> {
    const rows = await this.sql(
      "UPDATE relay_jobs.job SET start_after = now() WHERE state = 'retry' RETURNING 1",
    );
    for (const queue of ['conversation', 'route'] as const) this.#jobs.wake(queue);
    return rows.length;
  }

  #carrier() {
    const { lease, db } = this.world;
    return {
      db,
      lease,
      pacing: this.#pacing,
      delivery: deliverySchema.parse({}),
      recheck: recheckPermits(lease.account, { pacing: this.#pacing }),
      hooks: {
        recordSent: (tx, sent) =>
          recordSent(
            tx,
            lease.account,
            sent.map(({ row, at: sentAt }) => ({
              chat: row.chat_id,
              id: row.message_id,
              body: row.body,
              sentAt,
            })),
          ),
        ...wakeConversations(this.#jobs, lease.account),
      },
    } satisfies Parameters<typeof claimMessages>[0];
  }

  readonly sql = async <Row extends object>(text: string, values: readonly unknown[] = []) =>
    (await this.database.pool.query<Row>(text, [...values])).rows;

  look = async (): Promise<SchedulerView> => {
    const [seen] = await this.sql<{ waiting: number; ready: number; active: string[] }>(LOOK);
    const { waiting, ready, active } = seen ?? { waiting: 0, ready: 0, active: [] };
    // On the way to its handler, or from it to completion.
    const onTheWay = active.filter((id) => !this.#handled.has(id)).length;
    return { waiting, ready: ready + onTheWay };
  };

  #run<T>(name: string, work: () => Promise<T>): Promise<T> {
    return this.#scheduler === null ? work() : this.#scheduler.run(name, work);
  }

  async #isMine(message: number): Promise<boolean> {
    const rows = await this.sql('SELECT 1 FROM messages WHERE id = $1 AND from_me', [message]);
    return rows.length > 0;
  }

  async #handle(id: string, name: string, work: () => Promise<void>): Promise<void> {
    this.#handled.add(id);
    try {
      await this.#run(name, work);
    } finally {
      this.#handled.delete(id);
    }
  }

  async #think(context: TurnContext): Promise<TurnOutcome> {
    const outcome = this.#script(context);
    this.turns.push({ context, asked: this.#scheduler?.moment() ?? 0, outcome });
    await this.#scheduler?.point('model');
    return outcome;
  }

  /** The same database, whose transactions stop before they begin and before they commit. */
  #stepped(db: Db): Db {
    const transaction = () => ({
      execute: <T>(work: Parameters<ReturnType<Db['transaction']>['execute']>[0]) => {
        const plain = (commit: () => Promise<void>) =>
          db.transaction().execute(async (tx) => {
            const result = await work(tx);
            await commit();
            return result as T;
          });
        return this.#scheduler?.transaction(plain) ?? plain(async () => {});
      },
    });
    return new Proxy(db, {
      get(target, name) {
        if (name === 'transaction') return transaction;
        const value = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }
}

const nameOf = (wake: string) =>
  ['heartbeat', 'undelivered', 'acknowledged'].includes(wake) ? wake : `turn:${wake}`;

const LOOK = `
  SELECT (SELECT count(*) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock') AS waiting,
    (SELECT count(*) FROM relay_jobs.job j WHERE state < 'active' AND name IN ('conversation', 'route')
      AND start_after <= now() AND NOT EXISTS (SELECT FROM relay_jobs.job a
        WHERE a.name = j.name AND a.singleton_key = j.singleton_key AND a.state = 'active')) AS ready,
    ARRAY(SELECT id FROM relay_jobs.job WHERE state = 'active' AND name IN ('conversation', 'route')) AS active`;
