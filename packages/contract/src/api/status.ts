// What `GET /api/status` and `relay status` say: seed 003's five fields, then what a person needs
// to know whether all is well.
import { z } from 'zod';
import { backupStatusSchema } from './backups.ts';

const sendingHealthSchema = z.object({
  light: z.enum(['green', 'amber', 'red']),
  sentence: z.string(),
  /** When what WhatsApp has frozen, all or first contacts, is free again. */
  frozen_until: z.string().nullable(),
  /** Within the last 60 minutes. */
  sent_this_hour: z.int(),
  /** Within the last 24 hours. */
  sent_today: z.int(),
  first_contacts_today: z.int(),
  waiting: z.int(),
  /** May have arrived or not. */
  unknown: z.int(),
  /** Within the last 24 hours. */
  failed: z.int(),
  caps: z.object({
    enabled: z.boolean(),
    per_minute: z.int(),
    per_hour: z.int(),
    per_day: z.int(),
    first_contacts_per_day: z.int(),
  }),
});

export type SendingHealth = z.infer<typeof sendingHealthSchema>;

export const restartReportSchema = z.object({
  /** What was away: the daemon itself, or only its link to WhatsApp. */
  cause: z.enum(['daemon', 'link']),
  /** From when to when, ISO. */
  since: z.string(),
  until: z.string(),
  /** Messages that had waited at the server, and the chats they are from. */
  messages: z.number(),
  chats: z.number(),
  /** What the server says it replayed: messages, receipts and notices together. */
  replayed: z.number(),
  /** Sends nobody knows the end of. */
  unknownSends: z.number(),
  /** Conversations and approvals that wait for the owner. */
  needsYou: z.number(),
});

export type RestartReport = z.infer<typeof restartReportSchema>;

export const statusSchema = z.object({
  pid: z.int(),
  uptime_seconds: z.number(),
  whatsapp_connected: z.boolean(),
  active_instance_count: z.int(),
  total_instance_count: z.int(),
  /** Those that wait for the owner. */
  needs_you_count: z.int(),
  version: z.string(),
  /** On the simulated network: no phone, and nothing is real. */
  demo: z.boolean(),
  /** Where the people of that network are played; null where nobody does. */
  phone_page: z.string().nullable(),
  home: z.string(),
  whatsapp: z.object({
    state: z.string(),
    sentence: z.string(),
    phone_number: z.string().nullable(),
  }),
  database: z.object({
    kind: z.enum(['private', 'external']),
    server_version: z.string(),
    schema_version: z.int(),
  }),
  jobs: z.object({
    waiting: z.int(),
    running: z.int(),
    dead: z.int(),
    /** Queues that hold dead jobs, with one sentence each. */
    dead_letters: z.array(z.object({ queue: z.string(), count: z.int(), sentence: z.string() })),
  }),
  /** Counted up to 10,000. */
  timers_pending: z.int(),
  hold: z.boolean(),
  /** What waits for the owner's yes. */
  approvals_waiting: z.int(),
  /** Both together, each thing once: a conversation that stopped for a yes waits with its approval. */
  waiting_count: z.int(),
  /** People who wrote without being allowed to be read. */
  knocks_waiting: z.int(),
  /** What is wrong with webhooks, in one sentence; null when nothing is. */
  webhooks: z.string().nullable(),
  /** What is not stored at present, and why, in one sentence; null when everything is. */
  storage: z.string().nullable(),
  backup: backupStatusSchema,
  /** Messages that were received and are not filed yet. */
  inbox_waiting: z.int(),
  /** Written by others, and left through Relay, within the last 60 seconds. */
  last_minute: z.object({ received: z.int(), sent: z.int() }),
  sending: sendingHealthSchema,
  /** What happened while the daemon or its link was last away; null when there was nothing to tell. */
  report: restartReportSchema.extend({ sentence: z.string() }).nullable(),
});

export type DaemonStatus = z.infer<typeof statusSchema>;

export const healthCheckSchema = z.object({
  name: z.string(),
  ok: z.enum(['yes', 'warn', 'no']),
  /** What was found, in one sentence. */
  found: z.string(),
  /** How to mend it; null when there is nothing to mend. */
  mend: z.string().nullable(),
});

export type HealthCheck = z.infer<typeof healthCheckSchema>;

// What `GET /api/doctor` answers: the checks only the daemon can make, the command adds its own.

/** `full`: also what was found in order before. */
export const doctorQuerySchema = z.strictObject({ full: z.stringbool().default(false) });

export const doctorReportSchema = z.object({ checks: z.array(healthCheckSchema) });

// Figures for a monitor outside, in the text form that Prometheus reads. Invariant: numbers and kinds alone; no name,
// no number of a phone, no word of anybody is in them.

/** One request of the API that was answered. */
interface AnsweredRequest {
  readonly method: string;
  /** As it is declared, never as it was asked for. */
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

export interface Metrics {
  readonly contentType: string;
  text(): Promise<string>;
  answered(request: AnsweredRequest): void;
}
