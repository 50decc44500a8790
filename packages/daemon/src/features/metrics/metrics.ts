// Prometheus metrics of the daemon: the caller's account, the other accounts that the caller may know of, storage,
// events since the start, and for whoever runs Relay also HTTP responses and the process. A scrape runs a few cheap
// queries; events between scrapes are counted from the event log. Without the database a scrape says so, and contains
// only what is known without it. Invariant: what one caller may see is in registries that are made for that scrape.

import type { ListedAccount } from '@relay/contract/api/accounts';
import type { BackupStatus } from '@relay/contract/api/backups';
import type { EventLog } from '@relay/contract/api/events';
import type {
  AccountFigures,
  DaemonStatus,
  Metrics,
  MetricsCaller,
  ModelUse,
  StorageFigures,
} from '@relay/contract/api/status';
import { CONNECTION_STATES } from '@relay/contract/connection/states';
import type { AccountId } from '@relay/contract/ids';
import type { Log } from '@relay/core/log';
import { sql } from 'kysely';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Db } from '../../platform/db/database.ts';
import { isDatabaseAway } from '../../platform/db/failures.ts';
import { type OwnerClock, readModelUse, spentTodaySql } from '../../platform/db/runs.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { PollLoop } from '../../platform/poll-loop.ts';

interface MetricsDeps {
  listAccounts(): Promise<readonly ListedAccount[]>;
  freeDiskBytes(): Promise<number>;
  /** Of the main account. */
  readonly events: EventLog;
  readonly log: Log;
}

/** Contained in each measured lag. */
const LAG_PRECISION_MS = 100;

const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function openMetrics(deps: MetricsDeps): Metrics & { stop(): void } {
  const registry = new Registry();
  // Measuring every 10 ms, as by default, would be most of what an idle daemon costs.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_PRECISION_MS });
  const requests = new Histogram({
    name: 'relay_http_request_duration_seconds',
    help: 'Duration of API requests. Streams are counted when they end.',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS,
    registers: [registry],
  });
  const up = new Registry();
  const isUp = new Gauge({
    name: 'relay_database_up',
    help: '1 while the database answers. While it does not, metrics that need it are left out.',
    registers: [up],
  });
  const diskFree = new Gauge({
    name: 'relay_disk_free_bytes',
    help: 'Free space on the disk of the home.',
    registers: [registry],
  });
  const counted = new Registry();
  const counting = countEvents(counted, deps.events, deps.log);
  const readStored = async (caller: MetricsCaller): Promise<string> => {
    try {
      const [status, figures, accounts] = await Promise.all([
        caller.status(),
        caller.figures(),
        deps.listAccounts(),
      ]);
      isUp.set(1);
      const registry = new Registry();
      showStatus(registry, status);
      showModelUse(registry, figures.used);
      showStorage(registry, figures);
      if (caller.seesMachine) showDatabaseSizes(registry, figures.storage);
      showAccounts(
        registry,
        accounts.filter(({ name }) => caller.shows(name)),
      );
      return registry.metrics();
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
      isUp.set(0);
      return '';
    }
  };
  return {
    contentType: registry.contentType,
    async text(caller) {
      const figures = await readStored(caller);
      const events = caller.isMain ? await counted.metrics() : '';
      const own = `${await up.metrics()}${events}${figures}`;
      if (!caller.seesMachine) return own;
      // A disk that does not answer has no figure.
      await deps.freeDiskBytes().then(
        (bytes) => diskFree.set(bytes),
        () => diskFree.remove(),
      );
      return `${await registry.metrics()}${own}`;
    },
    countRequest({ method, route, status, seconds }) {
      requests.observe({ method, route, status: String(status) }, seconds);
    },
    stop: () => counting.stop(),
  };
}

// What `relay status` shows, as gauges.

type GaugeOf<Source> = readonly [name: string, help: string, of: (source: Source) => number];

const STATUS_GAUGES: readonly GaugeOf<DaemonStatus>[] = [
  [
    'relay_whatsapp_connected',
    '1 while WhatsApp is connected.',
    (status) => Number(status.whatsapp_connected),
  ],
  ['relay_uptime_seconds', 'Time since the daemon started.', (status) => status.uptime_seconds],
  ['relay_hold', '1 while sending is on hold.', (status) => Number(status.hold)],
  ['relay_conversations_active', 'Active conversations.', (status) => status.active_instance_count],
  [
    'relay_conversations',
    'All conversations, including ended ones.',
    (status) => status.total_instance_count,
  ],
  [
    'relay_conversations_needing_you',
    'Conversations that wait for the owner.',
    (status) => status.needs_you_count,
  ],
  ['relay_approvals_waiting', 'Pending approvals.', (status) => status.approvals_waiting],
  ['relay_knocks_waiting', 'Message requests.', (status) => status.knocks_waiting],
  ['relay_timers_pending', 'Pending timers, up to 10,000.', (status) => status.timers_pending],
  ['relay_jobs_waiting', 'Waiting jobs.', (status) => status.jobs.waiting],
  ['relay_jobs_running', 'Running jobs.', (status) => status.jobs.running],
  ['relay_jobs_dead', 'Jobs that failed permanently.', (status) => status.jobs.dead],
  [
    'relay_received_last_minute',
    'Messages received within the last 60 seconds.',
    (status) => status.last_minute.received,
  ],
  [
    'relay_sent_last_minute',
    'Messages sent within the last 60 seconds.',
    (status) => status.last_minute.sent,
  ],
  [
    'relay_inbox_waiting',
    'Messages received and not processed yet.',
    (status) => status.inbox_waiting,
  ],
  ['relay_outbox_waiting', 'Queued messages.', (status) => status.sending.waiting],
  ['relay_outbox_unknown', 'Messages with unknown delivery.', (status) => status.sending.unknown],
  [
    'relay_sent_24h',
    'Messages sent within the last 24 hours.',
    (status) => status.sending.sent_today,
  ],
  [
    'relay_failed_24h',
    'Messages that failed within the last 24 hours.',
    (status) => status.sending.failed,
  ],
  [
    'relay_first_contacts_24h',
    'First contacts within the last 24 hours.',
    (status) => status.sending.first_contacts_today,
  ],
  [
    'relay_sent_24h_limit',
    'Limit of messages sent within 24 hours.',
    (status) => status.sending.caps.per_day,
  ],
  [
    'relay_first_contacts_24h_limit',
    'Limit of first contacts within 24 hours.',
    (status) => status.sending.caps.first_contacts_per_day,
  ],
  [
    'relay_webhooks_in_trouble',
    '1 while there is a problem with webhooks.',
    (status) => Number(status.webhooks !== null),
  ],
];

const BACKUP_GAUGES: readonly GaugeOf<BackupStatus>[] = [
  [
    'relay_backup_last_timestamp_seconds',
    'Time of the last backup, in seconds since 1970; 0 if there is none.',
    ({ last_at }) => Date.parse(last_at ?? '1970-01-01T00:00:00Z') / 1_000,
  ],
  [
    'relay_backup_in_trouble',
    '1 while scheduled backups fail.',
    ({ trouble }) => Number(trouble !== null),
  ],
];

function showStatus(registry: Registry, status: DaemonStatus): void {
  const registers = [registry];
  for (const [name, help, of] of STATUS_GAUGES)
    new Gauge({ name, help, registers }).set(of(status));
  const { backup } = status;
  if (backup !== null)
    for (const [name, help, of] of BACKUP_GAUGES)
      new Gauge({ name, help, registers }).set(of(backup));
  const link = new Gauge({
    name: 'relay_link_state',
    help: '1 for the current state of the link to WhatsApp.',
    labelNames: ['state'],
    registers,
  });
  for (const state of Object.keys(CONNECTION_STATES)) {
    link.set({ state }, Number(state === status.whatsapp.state));
  }
  const light = new Gauge({
    name: 'relay_sending_light',
    help: '1 for the current state of sending: green, amber or red.',
    labelNames: ['light'],
    registers,
  });
  for (const one of ['green', 'amber', 'red']) {
    light.set({ light: one }, Number(one === status.sending.light));
  }
  const build = new Gauge({
    name: 'relay_build_info',
    help: 'Always 1; labels give the version, the schema and the database.',
    labelNames: ['version', 'schema', 'postgres'],
    registers,
  });
  const { schema_version: schema, server_version: postgres } = status.database;
  build.set({ version: status.version, schema: String(schema), postgres }, 1);
}

// Each account of the home, by its name.

const ACCOUNT_GAUGES: readonly GaugeOf<ListedAccount>[] = [
  [
    'relay_account_connected',
    '1 while the account is connected to WhatsApp.',
    ({ state }) => Number(state !== null && CONNECTION_STATES[state].status === 'connected'),
  ],
  ['relay_account_hold', '1 while sending of the account is on hold.', ({ hold }) => Number(hold)],
  [
    'relay_account_waiting',
    'Approvals and conversations of the account that wait for its owner.',
    ({ waiting_count }) => waiting_count,
  ],
  [
    'relay_account_sent_24h',
    'Messages of the account sent within the last 24 hours.',
    ({ sent_today }) => sent_today,
  ],
];

function showAccounts(registry: Registry, accounts: readonly ListedAccount[]): void {
  for (const [name, help, of] of ACCOUNT_GAUGES) {
    const gauge = new Gauge({ name, help, labelNames: ['account'], registers: [registry] });
    for (const one of accounts) gauge.set({ account: one.name }, of(one));
  }
}

// Sizes, waiting times and what models have cost today.

interface FiguresDeps extends OwnerClock {
  readonly db: Db;
  readonly account: AccountId;
  readonly jobs: Jobs;
  readonly limits: AccountFigures['limits'];
  readonly startedAt: number;
}

export const createFiguresReader =
  ({ db, account, limits, startedAt, ...deps }: FiguresDeps) =>
  async (): Promise<AccountFigures> => {
    const [used, storage] = await Promise.all([
      readModelUse(db, account, new Date(startedAt)),
      readStorageFigures(db, account, deps),
    ]);
    return { used, storage, limits };
  };

async function readStorageFigures(
  db: Db,
  account: AccountId,
  { jobs, ...clock }: OwnerClock & { readonly jobs: Jobs },
): Promise<StorageFigures> {
  const age = (table: string, condition: string) =>
    sql<number>`(SELECT greatest(coalesce(extract(epoch FROM now() - min(created_at)), 0), 0)::float8
      FROM ${sql.table(table)} WHERE account_id = ${account} AND ${sql.raw(condition)})`;
  const [job, sizes, rest, media] = await Promise.all([
    jobs.oldestSeconds(account),
    // The queue's own tables are one figure.
    sql<{ name: string; bytes: number }>`
      SELECT CASE n.nspname WHEN 'relay' THEN c.relname ELSE 'job_queue' END AS name,
        sum(pg_total_relation_size(c.oid))::bigint AS bytes
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname IN ('relay', 'relay_jobs') AND c.relkind = 'r' GROUP BY 1 ORDER BY 1`.execute(
      db,
    ),
    sql<{ bytes: number; message: number; approval: number; spent: StorageFigures['spent'] }>`
      SELECT pg_database_size(current_database()) AS bytes,
        ${age('outbox', "state = 'pending'")} AS message,
        ${age('approvals', "state = 'pending' AND expires_at > now()")} AS approval,
        ${spentTodaySql(account, clock)} AS spent`.execute(db),
    sql<StorageFigures['media']>`
      SELECT (SELECT coalesce(sum(bytes), 0)::bigint FROM media_objects WHERE account_id = ${account}) AS bytes,
        (SELECT coalesce(json_agg(s), '[]') FROM (SELECT state, count(*) AS count FROM media
          WHERE account_id = ${account} GROUP BY state) s) AS states`.execute(db),
  ]);
  const [row] = rest.rows;
  if (row === undefined) throw new Error('measuring returned nothing');
  const { bytes, message, approval, spent } = row;
  const oldest = { job, message, approval };
  const [files = { bytes: 0, states: [] }] = media.rows;
  return { bytes, tables: sizes.rows, oldest, spent, media: files };
}

function showStorage(registry: Registry, { storage, limits }: AccountFigures): void {
  const registers = [registry];
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const mediaBytes = gauge('relay_media_bytes', 'What files of messages take, each content once.');
  const mediaStates = new Gauge({
    name: 'relay_media',
    help: 'Files of messages and uploads, by state.',
    labelNames: ['state'],
    registers,
  });
  const job = gauge('relay_jobs_oldest_seconds', 'How long the oldest waiting job has waited.');
  const message = gauge(
    'relay_outbox_oldest_seconds',
    'How long the oldest queued message has waited.',
  );
  const approval = gauge(
    'relay_approvals_oldest_seconds',
    'How long the oldest pending approval has waited.',
  );
  const usd = gauge(
    'relay_model_spend_today_usd',
    'Estimated cost of models today, in US dollars.',
  );
  const usdLimit = gauge('relay_model_spend_limit_usd', 'Limit of the cost of models for a day.');
  const tokens = gauge('relay_model_tokens_today', 'Model tokens used today.');
  const tokensLimit = gauge('relay_model_tokens_limit', 'Limit of model tokens for a day.');
  const { oldest, spent, media } = storage;
  mediaBytes.set(media.bytes);
  for (const { state, count } of media.states) mediaStates.set({ state }, count);
  job.set(oldest.job);
  message.set(oldest.message);
  approval.set(oldest.approval);
  usd.set(spent.micros / 1_000_000);
  usdLimit.set(limits.usd_per_day);
  tokens.set(spent.tokens);
  tokensLimit.set(limits.tokens_per_day);
}

function showDatabaseSizes(registry: Registry, { bytes, tables: sizes }: StorageFigures): void {
  const registers = [registry];
  const name = 'relay_database_size_bytes';
  new Gauge({ name, help: 'Size of the database on its disk.', registers }).set(bytes);
  const tables = new Gauge({
    name: 'relay_table_size_bytes',
    help: 'Size of each table with its indexes.',
    labelNames: ['table'],
    registers,
  });
  for (const one of sizes) tables.set({ table: one.name }, one.bytes);
}

// Model usage since the daemon's start. Each scrape reads the sums from the rows, so nothing is counted twice or
// missed.

function showModelUse(registry: Registry, used: readonly ModelUse[]): void {
  const registers = [registry];
  const runs = new Counter({
    name: 'relay_model_runs_total',
    help: 'Model runs by actor and result.',
    labelNames: ['actor', 'state'],
    registers,
  });
  const tokens = new Counter({
    name: 'relay_model_tokens_total',
    help: 'Model tokens, input and output.',
    labelNames: ['actor', 'direction'],
    registers,
  });
  const seconds = new Counter({
    name: 'relay_model_run_seconds_total',
    help: 'Total duration of model runs.',
    labelNames: ['actor'],
    registers,
  });
  for (const { actor, state, count, input, output, took } of used) {
    runs.inc({ actor, state }, count);
    tokens.inc({ actor, direction: 'in' }, input);
    tokens.inc({ actor, direction: 'out' }, output);
    seconds.inc({ actor }, took);
  }
}

// Counts events by kind from the event log, starting after the newest event at the start: earlier ones were counted by
// the previous daemon.
// Invariant: there is at most one reader, and a burst costs few reads.

const EVENTS_AT_ONCE = 500;
const PAUSE_MS = 1_000;

function countEvents(registry: Registry, events: EventLog, log: Log): { stop(): void } {
  const counter = new Counter({
    name: 'relay_events_total',
    help: 'Events since the start, by kind.',
    labelNames: ['kind'],
    registers: [registry],
  });
  let from: string | null = null;
  let begun = false;
  const loop = new PollLoop({
    look: async () => {
      if (!begun) from = await events.latest();
      begun = true;
      const page = await events.read(from, EVENTS_AT_ONCE);
      for (const { kind } of page) counter.inc({ kind });
      from = page.at(-1)?.cursor ?? from;
      return page.length === EVENTS_AT_ONCE ? 'more' : Number.POSITIVE_INFINITY;
    },
    failed: (error) => {
      log.warn('could not count events; retrying', { error });
      return PAUSE_MS;
    },
    gatherMs: PAUSE_MS,
  });
  const unsubscribe = events.subscribe(() => loop.hint());
  loop.start();
  return {
    stop() {
      unsubscribe();
      loop.end();
    },
  };
}
