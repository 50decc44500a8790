// Reads what `relay status` shows, in a few cheap queries.
import type { BackupStatus } from '@relay/contract/api/backups';
import type { DaemonStatus, RestartReport, SendingHealth } from '@relay/contract/api/status';
import { connectionSentence, whatsappStatusOf } from '@relay/contract/connection/states';
import { VERSION } from '@relay/core/installation';
import { MARK_KINDS } from '@relay/core/messages/message';
import type { WhatsAppLink } from '@relay/core/ports/transport';
import { reportSentence } from '@relay/core/restart-report';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { Lease } from '../../platform/db/lease.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { QUEUES, type QueueName } from '../../platform/jobs/queues.ts';

interface StatusDeps {
  readonly db: Db;
  readonly lease: Lease;
  readonly jobs: Jobs;
  readonly home: string | null;
  /** Whether the link is a demo with a simulated WhatsApp. */
  readonly demo: boolean;
  /** The page where a demo lets people act as the contacts. */
  readonly phonePage: string | null;
  readonly startedAt: number;
  readonly schemaVersion: number;
  readonly database: { readonly kind: 'private' | 'external'; readonly version: string };
  connection(): Pick<WhatsAppLink, 'state' | 'phone'>;
  sending(): Promise<SendingHealth>;
  /** Number of pending approvals. */
  approvals(): Promise<number>;
  report(): Promise<RestartReport | null>;
  /** Problems with webhooks, as a sentence. */
  webhookTrouble(): Promise<string | null>;
  /** What does not run because the disk is nearly full, as a sentence. */
  disk(): string | null;
  backup(): Promise<BackupStatus | null>;
  /** Whether the settings of a model are complete. */
  hasModel(): Promise<boolean>;
}

export async function readStatus(source: StatusDeps): Promise<DaemonStatus> {
  const { db, lease, jobs } = source;
  const [counts, work, sending, approvals, report, webhooks, backup, model] = await Promise.all([
    countRows(db, lease),
    jobs.counts(lease.account),
    source.sending(),
    source.approvals(),
    source.report(),
    source.webhookTrouble(),
    source.backup(),
    source.hasModel(),
  ]);
  const { state, phone } = source.connection();
  return {
    pid: process.pid,
    uptime_seconds: Math.round((Date.now() - source.startedAt) / 1000),
    whatsapp_connected: whatsappStatusOf(state) === 'connected',
    active_instance_count: counts.active,
    total_instance_count: counts.total,
    needs_you_count: counts.needs_you,
    version: VERSION,
    demo: source.demo,
    phone_page: source.demo ? source.phonePage : null,
    setup: { linked: phone !== null, model, granted: counts.granted, sent: counts.ever_sent },
    home: source.home,
    whatsapp: {
      state,
      sentence: connectionSentence(state),
      phone_number: phone,
    },
    database: {
      kind: source.database.kind,
      server_version: source.database.version,
      schema_version: source.schemaVersion,
    },
    jobs: {
      waiting: work.waiting,
      running: work.running,
      dead: work.dead.reduce((sum, { count }) => sum + count, 0),
      dead_letters: work.dead.map(({ queue, count }) => ({
        queue,
        count,
        sentence: QUEUES[queue as QueueName]?.deadSentence ?? 'Jobs of an unknown kind failed.',
      })),
    },
    timers_pending: counts.timers,
    hold: counts.hold,
    approvals_waiting: approvals,
    waiting_count: approvals + counts.needs_you - counts.needs_yes,
    knocks_waiting: counts.knocks,
    webhooks,
    storage: source.disk() ?? notStored(counts.not_stored),
    backup,
    inbox_waiting: counts.inbox,
    last_minute: { received: counts.received, sent: counts.sent },
    sending,
    report: report && { ...report, sentence: reportSentence(report) },
  };
}

const notStored = (messages: number): string | null =>
  messages === 0
    ? null
    : `${messages} ${messages === 1 ? 'message from an unknown sender was' : 'messages from unknown senders were'} counted but not stored today. Grant access to a sender, or raise the limits under "strangers" in the settings.`;

/** A more exact number is of no use, and a status must not scan a million rows. */
const COUNTED_TIMERS = 10_000;

async function countRows(db: Db, { account }: Lease) {
  const minuteAgo = new Date(Date.now() - 60_000);
  const { rows } = await sql<{
    active: number;
    total: number;
    needs_you: number;
    needs_yes: number;
    timers: number;
    hold: boolean;
    knocks: number;
    inbox: number;
    received: number;
    sent: number;
    not_stored: number;
    granted: boolean;
    ever_sent: boolean;
  }>`
    SELECT
      (SELECT count(*) FROM instances WHERE account_id = ${account}) AS total,
      (SELECT count(*) FROM instances WHERE account_id = ${account}
        AND state NOT IN ('COMPLETED', 'ABANDONED', 'FAILED', 'QUEUED')) AS active,
      (SELECT count(*) FROM instances WHERE account_id = ${account}
        AND state = 'NEEDS_HUMAN_INTERVENTION') AS needs_you,
      (SELECT count(*) FROM instances WHERE account_id = ${account}
        AND state = 'NEEDS_HUMAN_INTERVENTION' AND id = ANY(ARRAY(
          SELECT instance_id FROM approvals WHERE account_id = ${account}
            AND state = 'pending' AND expires_at > now()))) AS needs_yes,
      (SELECT count(*) FROM (
        SELECT FROM timers WHERE account_id = ${account} LIMIT ${COUNTED_TIMERS}) counted) AS timers,
      (SELECT count(*) FROM knocks WHERE account_id = ${account} AND dismissed_at IS NULL) AS knocks,
      (SELECT count(*) FROM inbox WHERE account_id = ${account} AND done_at IS NULL) AS inbox,
      (SELECT count(*) FROM messages WHERE account_id = ${account} AND sent_at > ${minuteAgo}
        AND NOT from_me AND kind <> ALL(${[...MARK_KINDS]}::text[])) AS received,
      (SELECT count(*) FROM outbox WHERE account_id = ${account} AND attempted_at > ${minuteAgo}
        AND state IN ('sent', 'delivered', 'read')) AS sent,
      (SELECT coalesce(sum(not_stored), 0)::int FROM stranger_use WHERE account_id = ${account}
        AND day = (now() AT TIME ZONE 'UTC')::date) AS not_stored,
      EXISTS (SELECT FROM grants WHERE account_id = ${account}
        AND (can_read OR can_reply OR can_initiate)) AS granted,
      EXISTS (SELECT FROM outbox WHERE account_id = ${account}
        AND state IN ('sent', 'delivered', 'read')) AS ever_sent,
      EXISTS (SELECT FROM holds WHERE account_id = ${account}) AS hold`.execute(db);
  const row = rows[0];
  if (row === undefined) throw new Error('counting returned nothing');
  return row;
}
