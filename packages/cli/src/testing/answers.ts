// Canned answers of the daemon, for tests.
import type { DaemonStatus } from '@relay/core/api/status';

export const statusOf = (pid: number, home: string): DaemonStatus => ({
  pid,
  uptime_seconds: 3_725,
  whatsapp_connected: false,
  active_instance_count: 2,
  total_instance_count: 5,
  needs_you_count: 0,
  version: '0.1.0',
  home,
  whatsapp: {
    state: 'unlinked',
    sentence: 'No WhatsApp account is linked yet.',
    phone_number: null,
  },
  database: { kind: 'private', server_version: '18.4', schema_version: 1 },
  jobs: { waiting: 1, running: 0, dead: 0, dead_letters: [] },
  timers_pending: 1,
  hold: false,
  approvals_waiting: 0,
  knocks_waiting: 0,
  sending: {
    light: 'green',
    sentence: 'Messages leave as usual.',
    frozen_until: null,
    sent_today: 0,
    first_contacts_today: 0,
    waiting: 0,
    unknown: 0,
    failed: 0,
    caps: { enabled: true, per_minute: 6, per_hour: 60, per_day: 200, first_contacts_per_day: 5 },
  },
  report: null,
});
