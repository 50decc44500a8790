// Fixtures for the status of a new daemon.
import type { Activity } from '@relay/contract/api/activity';
import type { AccountFigures, DaemonStatus } from '@relay/contract/api/status';
import { AT } from './at.ts';

const UNEVENTFUL = {
  received: 0,
  sent: 0,
  answers: 0,
  answer_ms: null,
  slow_answer_ms: null,
  tokens: { conversations: 0, auto_reply: 0, assistant: 0, groups: 0, other: 0 },
};

export const activity: Activity = {
  hours: 24,
  unit: 'hour',
  zone: 'UTC',
  until: AT,
  buckets: [{ at: AT, ...UNEVENTFUL, turns: { you: 0, agent: 0, them: 0, parked: 0 } }],
  total: UNEVENTFUL,
  today: {
    since: AT,
    received: 0,
    sent: 0,
    answers: 0,
    tokens: 0,
    tokens_per_day: 1,
    completed: 0,
  },
};

export const figures: AccountFigures = {
  used: [],
  storage: {
    bytes: 0,
    tables: [],
    oldest: { job: 0, message: 0, approval: 0 },
    spent: { tokens: 0, micros: 0 },
    media: { bytes: 0, states: [] },
  },
  limits: { usd_per_day: 5, tokens_per_day: 1 },
};

export const status: DaemonStatus = {
  pid: 1,
  uptime_seconds: 2,
  whatsapp_connected: false,
  active_instance_count: 0,
  total_instance_count: 0,
  needs_you_count: 0,
  version: '0.1.0',
  demo: false,
  phone_page: null,
  setup: { linked: true, model: true, granted: true, sent: true },
  home: '~/.relay-agent',
  whatsapp: { state: 'unlinked', sentence: 'No phone is linked.', phone_number: null },
  database: { kind: 'private', server_version: '18.4', schema_version: 1 },
  jobs: { waiting: 0, running: 0, dead: 0, dead_letters: [] },
  timers_pending: 0,
  hold: false,
  approvals_waiting: 0,
  waiting_count: 0,
  knocks_waiting: 0,
  webhooks: null,
  storage: null,
  backup: { every: 'off', last_at: null, trouble: null, encrypted: false, copy: null },
  inbox_waiting: 0,
  last_minute: { received: 0, sent: 0 },
  sending: {
    light: 'green',
    code: 'normal',
    sentence: 'Sending works normally.',
    frozen_until: null,
    sent_this_hour: 0,
    sent_today: 0,
    first_contacts_today: 0,
    waiting: 0,
    unknown: 0,
    failed: 0,
    caps: { enabled: true, per_minute: 6, per_hour: 60, per_day: 200, first_contacts_per_day: 5 },
  },
  report: null,
};
