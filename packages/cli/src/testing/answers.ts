// Fixed responses of the fake daemon, for tests.

import type { Backups, MadeBackup } from '@relay/contract/api/backups';
import type { ClientToken } from '@relay/contract/api/credentials';
import type { DigestExportState } from '@relay/contract/api/digests';
import type { EvalEvent, EvalPlan, EvalReport, Score } from '@relay/contract/api/eval';
import type { ChatImportReport } from '@relay/contract/api/imports';
import type { NotificationsOverview } from '@relay/contract/api/notifications';
import type { PairedDevice } from '@relay/contract/api/remote';
import type { DaemonStatus } from '@relay/contract/api/status';

export const statusOf = (pid: number, home: string): DaemonStatus => ({
  pid,
  uptime_seconds: 3_725,
  whatsapp_connected: false,
  active_instance_count: 2,
  total_instance_count: 5,
  needs_you_count: 0,
  waiting_count: 0,
  version: '0.1.0',
  demo: false,
  phone_page: null,
  setup: { linked: true, model: true, granted: true, sent: true },
  home,
  whatsapp: {
    state: 'disconnected',
    sentence: 'No WhatsApp account is linked yet.',
    phone_number: null,
  },
  database: { kind: 'private', server_version: '18.4', schema_version: 1 },
  jobs: { waiting: 1, running: 0, dead: 0, dead_letters: [] },
  timers_pending: 1,
  hold: false,
  approvals_waiting: 0,
  knocks_waiting: 0,
  webhooks: null,
  storage: null,
  backup: { every: 'off', last_at: null, trouble: null, encrypted: false, copy: null },
  inbox_waiting: 0,
  last_minute: { received: 0, sent: 0 },
  sending: {
    light: 'green',
    code: 'normal',
    sentence: 'Sending works.',
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
});

export const MADE_BACKUP: MadeBackup = {
  file: '/backups/relay-backup-2026-11-15T02-40-00Z.tar.gz',
  bytes: 12_345,
  made_at: '2026-11-15T02:40:00.000Z',
  rows: 321,
  removed: [],
  encrypted: false,
  copy: null,
  ms: 40,
};

export const BACKUPS: Backups = {
  every: 'day',
  last_at: MADE_BACKUP.made_at,
  trouble: null,
  encrypted: false,
  copy: null,
  folder: '/backups',
  keep: 7,
  next_at: '2026-11-16T02:40:00.000Z',
  backups: [MADE_BACKUP],
};

const SCORE: Score = { right: 3, wrong: 1, missed: 0, left_alone: 2, precision: 0.75, recall: 1 };
const EMPTY: Score = {
  ...SCORE,
  right: 0,
  wrong: 0,
  left_alone: 0,
  precision: null,
  recall: null,
};
const NONE = { direct_request: 0, mention_only: 0, false_positive: 0, no_mention: 0 };

export const IMPORTED: ChatImportReport = {
  chat_id: '0b6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d',
  chat_name: 'Holliday',
  new_chat: true,
  lines: 2_000,
  messages: 1_900,
  added: 1_800,
  known: 100,
  people: 4,
  from: '2024-01-01T10:00:00.000Z',
  to: '2026-03-12T10:00:00.000Z',
  skipped: { system: 30, media: 70 },
};

export const DEVICE: PairedDevice = {
  id: '5a1d7a3e-52ce-4b0e-8a2c-7e2f5d3c9b10',
  name: 'iPhone',
  host: 'relay.example.org',
  synced: false,
  created_at: '2026-11-15T09:00:00.000Z',
  last_used_at: null,
};

export const PROGRAM_TOKEN: ClientToken = {
  id: '7f3c1a52-3a55-4a0c-9d0e-2f6f6f0c9a11',
  name: 'claude',
  scopes: ['messages:read', 'messages:send'],
  contacts: null,
  confirm: true,
  has_read: false,
  created_at: '2026-11-01T09:00:00.000Z',
  rotated_at: null,
  suspended_at: null,
  last_used_at: null,
  expires_at: null,
  accounts: ['default'],
};

export const OUTSIDE: DigestExportState = {
  device_id: 'relay-whatsapp',
  folder: null,
  hourly: false,
  webhook_url: null,
  signed: false,
};

export const EVAL_PLAN: EvalPlan = {
  provider: 'ollama',
  model: 'qwen3',
  calls: 4,
  input_tokens: 2_900,
  output_tokens: 60,
  left_today: 2_000_000,
};

export const EVAL_REPORT: EvalReport = {
  provider: 'ollama',
  model: 'qwen3',
  spent: { calls: 4, input_tokens: 2_811, output_tokens: 40 },
  trigger: {
    cases: 6,
    asked: 4,
    phase_one: SCORE,
    both_phases: { ...SCORE, wrong: 0, left_alone: 3, precision: 1 },
    hard: { cases: 0, phase_one: EMPTY, both_phases: EMPTY },
    answered_others: 0,
    unread: 1,
    label_accuracy: 0.75,
    confusion: {
      direct_request: { ...NONE, direct_request: 3 },
      mention_only: NONE,
      false_positive: NONE,
      no_mention: { ...NONE, no_mention: 2 },
    },
  },
  digest: {
    days: [
      {
        group: 'Holliday',
        day: '2026-03-02',
        facts: 14,
        found: 12,
        missing: ['H0302-f03', 'H0302-f09'],
        leaks: [{ id: 'H0302-x01', reason: 'sensitive', fact: 'A condition' }],
        tokens: 512,
      },
      {
        group: 'Casa Limón Team',
        day: '2026-03-02',
        facts: 13,
        found: null,
        missing: [],
        leaks: [],
        tokens: 0,
      },
    ],
    fact_recall: 12 / 14,
    leaks: 1,
    days_failed: 1,
  },
};

export const EVAL_DONE: EvalEvent = { type: 'done', report: EVAL_REPORT };

export const NOTIFICATIONS: NotificationsOverview = {
  public_key: 'BPublicKey',
  show_text: false,
  own_chat: true,
  devices: [
    {
      id: '7f0d7c43-1f0f-4f0e-9c4e-2f1f0b8a7c77',
      name: 'Pixel',
      current: false,
      signed_in: true,
      created_at: '2026-11-15T02:00:00.000Z',
      last_delivered_at: null,
      failing_since: null,
    },
  ],
  ntfy: { url: 'https://ntfy.sh/x', has_token: false },
  webhook: { url: null, has_token: false },
  deliveries: [],
};
