// What `relay status` shows, as gauges.
import type { DaemonStatus } from '@relay/core/api/status';
import { CONNECTION_STATES } from '@relay/core/connection/states';
import { Gauge, type Registry } from 'prom-client';

type Figure = readonly [name: string, help: string, of: (status: DaemonStatus) => number];

const FIGURES: readonly Figure[] = [
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

export function statusFigures(registry: Registry): (status: DaemonStatus) => void {
  const registers = [registry];
  const gauges = FIGURES.map(([name, help, of]) => ({
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
