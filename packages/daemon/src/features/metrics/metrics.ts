// Prometheus metrics of the daemon: the status, events since the start, model usage, HTTP responses and the process. A
// scrape runs a few cheap queries; events between scrapes are counted from the event log.

import type { EventLog } from '@relay/contract/api/events';
import type { DaemonStatus, Metrics } from '@relay/contract/api/status';
import { CONNECTION_STATES } from '@relay/contract/connection/states';
import type { Log } from '@relay/core/log';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ModelUseTotals } from '../../platform/db/runs.ts';
import { PollLoop } from '../../platform/poll-loop.ts';

interface MetricsDeps {
  status(): Promise<DaemonStatus>;
  readModelUse(): Promise<readonly ModelUseTotals[]>;
  readonly events: EventLog;
  readonly log: Log;
}

const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function openMetrics(deps: MetricsDeps): Metrics & { stop(): void } {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'relay_http_request_duration_seconds',
    help: 'How long requests of the API took to be answered. Streams count when they end.',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS,
    registers: [registry],
  });
  const showStatus = createStatusGauges(registry);
  const showModels = createModelCounters(registry);
  const counting = countEvents(registry, deps.events, deps.log);
  return {
    contentType: registry.contentType,
    async text() {
      const [status, used] = await Promise.all([deps.status(), deps.readModelUse()]);
      showStatus(status);
      showModels(used);
      return registry.metrics();
    },
    countRequest({ method, route, status, seconds }) {
      requests.observe({ method, route, status: String(status) }, seconds);
    },
    stop: () => counting.stop(),
  };
}

// What `relay status` shows, as gauges.

type StatusGauge = readonly [name: string, help: string, of: (status: DaemonStatus) => number];

const STATUS_GAUGES: readonly StatusGauge[] = [
  [
    'relay_whatsapp_connected',
    '1 as long as WhatsApp is connected.',
    (status) => Number(status.whatsapp_connected),
  ],
  ['relay_uptime_seconds', 'Since the daemon was started.', (status) => status.uptime_seconds],
  ['relay_hold', '1 as long as all sending is held.', (status) => Number(status.hold)],
  [
    'relay_conversations_active',
    'Conversations that are under way.',
    (status) => status.active_instance_count,
  ],
  [
    'relay_conversations',
    'Conversations in all, ended ones among them.',
    (status) => status.total_instance_count,
  ],
  [
    'relay_conversations_needing_you',
    'Conversations that wait for their owner.',
    (status) => status.needs_you_count,
  ],
  [
    'relay_approvals_waiting',
    "What waits for the owner's yes.",
    (status) => status.approvals_waiting,
  ],
  [
    'relay_knocks_waiting',
    'People who wrote without being allowed to be read.',
    (status) => status.knocks_waiting,
  ],
  ['relay_timers_pending', 'Timers that are set, up to 10,000.', (status) => status.timers_pending],
  ['relay_jobs_waiting', 'Jobs that wait for their turn.', (status) => status.jobs.waiting],
  ['relay_jobs_running', 'Jobs that run.', (status) => status.jobs.running],
  ['relay_jobs_dead', 'Jobs that failed for good.', (status) => status.jobs.dead],
  [
    'relay_received_last_minute',
    'Messages that others wrote within the last 60 seconds.',
    (status) => status.last_minute.received,
  ],
  [
    'relay_sent_last_minute',
    'Messages that left within the last 60 seconds.',
    (status) => status.last_minute.sent,
  ],
  [
    'relay_inbox_waiting',
    'Messages that were received and are not filed yet.',
    (status) => status.inbox_waiting,
  ],
  ['relay_outbox_waiting', 'Messages that are about to leave.', (status) => status.sending.waiting],
  [
    'relay_outbox_unknown',
    'Messages that may have arrived or not.',
    (status) => status.sending.unknown,
  ],
  [
    'relay_sent_24h',
    'Messages that left within the last 24 hours.',
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
    'How many messages may leave in 24 hours.',
    (status) => status.sending.caps.per_day,
  ],
  [
    'relay_first_contacts_24h_limit',
    'How many first contacts there may be in 24 hours.',
    (status) => status.sending.caps.first_contacts_per_day,
  ],
  [
    'relay_backup_last_timestamp_seconds',
    'When the last backup was made here, in seconds since 1970; 0: never.',
    (status) => Date.parse(status.backup.last_at ?? '1970-01-01T00:00:00Z') / 1_000,
  ],
  [
    'relay_backup_in_trouble',
    '1 as long as backups by the clock fail.',
    (status) => Number(status.backup.trouble !== null),
  ],
  [
    'relay_webhooks_in_trouble',
    '1 as long as something is wrong with webhooks.',
    (status) => Number(status.webhooks !== null),
  ],
];

function createStatusGauges(registry: Registry): (status: DaemonStatus) => void {
  const registers = [registry];
  const gauges = STATUS_GAUGES.map(([name, help, of]) => ({
    gauge: new Gauge({ name, help, registers }),
    of,
  }));
  const link = new Gauge({
    name: 'relay_link_state',
    help: '1 for the state that the link to WhatsApp is in.',
    labelNames: ['state'],
    registers,
  });
  const light = new Gauge({
    name: 'relay_sending_light',
    help: '1 for the light that sending has: green, amber or red.',
    labelNames: ['light'],
    registers,
  });
  const build = new Gauge({
    name: 'relay_build_info',
    help: 'Always 1; which version runs, on which database.',
    labelNames: ['version', 'schema', 'postgres'],
    registers,
  });
  return (status) => {
    for (const { gauge, of } of gauges) gauge.set(of(status));
    for (const state of Object.keys(CONNECTION_STATES)) {
      link.set({ state }, Number(state === status.whatsapp.state));
    }
    for (const one of ['green', 'amber', 'red']) {
      light.set({ light: one }, Number(one === status.sending.light));
    }
    const { schema_version: schema, server_version: postgres } = status.database;
    build.reset();
    build.set({ version: status.version, schema: String(schema), postgres }, 1);
  };
}

// Model usage since the daemon's start. Each scrape reads the sums from the rows, so nothing is counted twice or
// missed.

function createModelCounters(registry: Registry): (used: readonly ModelUseTotals[]) => void {
  const registers = [registry];
  const runs = new Counter({
    name: 'relay_model_runs_total',
    help: 'Turns that a model was asked for, by who asked and how they ended.',
    labelNames: ['actor', 'state'],
    registers,
  });
  const tokens = new Counter({
    name: 'relay_model_tokens_total',
    help: 'Tokens given to models and taken from them.',
    labelNames: ['actor', 'direction'],
    registers,
  });
  const seconds = new Counter({
    name: 'relay_model_run_seconds_total',
    help: 'How long those turns took together.',
    labelNames: ['actor'],
    registers,
  });
  return (used) => {
    for (const counter of [runs, tokens, seconds]) counter.reset();
    for (const { actor, state, count, input, output, took } of used) {
      runs.inc({ actor, state }, count);
      tokens.inc({ actor, direction: 'in' }, input);
      tokens.inc({ actor, direction: 'out' }, output);
      seconds.inc({ actor }, took);
    }
  };
}

// Counts events by kind from the event log, starting after the newest event at the start: earlier ones were counted by
// the previous daemon.
// Invariant: there is at most one reader, and a burst costs few reads.

const EVENTS_AT_ONCE = 500;
const PAUSE_MS = 1_000;

function countEvents(registry: Registry, events: EventLog, log: Log): { stop(): void } {
  const counter = new Counter({
    name: 'relay_events_total',
    help: 'What happened since the start, by its kind.',
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
