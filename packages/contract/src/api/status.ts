// Schemas of `GET /api/status` and the doctor: seed 003's five fields, then what shows whether Relay is healthy.
import { z } from 'zod';
import { backupStatusSchema } from './backups.ts';

const sendingHealthSchema = z.object({
  light: z.enum(['green', 'amber', 'red']),
  /** The condition that `light` and `sentence` report. The last three are WhatsApp's freezes. */
  code: z.enum([
    'normal',
    'unknown',
    'failed',
    'day_limit',
    'too_fast',
    'time_lock',
    'stranger_refused',
  ]),
  sentence: z.string(),
  /** When WhatsApp's freeze, of all messages or of first contacts, ends. */
  frozen_until: z.string().nullable(),
  /** Within the last 60 minutes. */
  sent_this_hour: z.int(),
  /** Within the last 24 hours. */
  sent_today: z.int(),
  first_contacts_today: z.int(),
  waiting: z.int(),
  /** Messages that may or may not have arrived. */
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
  /** What was offline: the daemon, or only its link to WhatsApp. */
  cause: z.enum(['daemon', 'link']),
  /** Start and end, ISO. */
  since: z.string(),
  until: z.string(),
  /** Messages that had waited at the server, and the number of their chats. */
  messages: z.number(),
  chats: z.number(),
  /** What the server says it replayed: messages, receipts and notices together. */
  replayed: z.number(),
  /** Sends with an unknown result. */
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
  /** Conversations that wait for the owner. */
  needs_you_count: z.int(),
  version: z.string(),
  /** Whether this is the simulated network, without a phone. */
  demo: z.boolean(),
  /** The page on which the people of that network are played; null if there is none. */
  phone_page: z.string().nullable(),
  /** What a new owner has done so far. */
  setup: z.object({
    linked: z.boolean(),
    /** The settings of the model are complete; whether it answers is only known after a test. */
    model: z.boolean(),
    /** A contact or group has a grant. */
    granted: z.boolean(),
    /** A message was sent. */
    sent: z.boolean(),
  }),
  /** Null, like `backup`, for an account of another owner than the home’s. */
  home: z.string().nullable(),
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
    /** Queues with dead jobs, with one sentence each. */
    dead_letters: z.array(z.object({ queue: z.string(), count: z.int(), sentence: z.string() })),
  }),
  /** Counted up to 10,000. */
  timers_pending: z.int(),
  hold: z.boolean(),
  /** Pending approvals. */
  approvals_waiting: z.int(),
  /**
   * Conversations and approvals that wait, each counted once: a conversation with a pending approval counts with it.
   */
  waiting_count: z.int(),
  /** Message requests. */
  knocks_waiting: z.int(),
  /** A problem with webhooks, in one sentence; null if there is none. */
  webhooks: z.string().nullable(),
  /** What is currently not stored and why, in one sentence; null if everything is. */
  storage: z.string().nullable(),
  backup: backupStatusSchema.nullable(),
  /** Messages that were received and are not processed yet. */
  inbox_waiting: z.int(),
  /** Messages received from others, and sent through Relay, within the last 60 seconds. */
  last_minute: z.object({ received: z.int(), sent: z.int() }),
  sending: sendingHealthSchema,
  /** What happened while the daemon or its link was last offline; null if there is nothing to report. */
  report: restartReportSchema.extend({ sentence: z.string() }).nullable(),
});

export type DaemonStatus = z.infer<typeof statusSchema>;

export const healthCheckSchema = z.object({
  name: z.string(),
  ok: z.enum(['yes', 'warn', 'no']),
  /** The finding in one sentence. */
  found: z.string(),
  /** How to fix it; null if there is nothing to fix. */
  mend: z.string().nullable(),
});

export type HealthCheck = z.infer<typeof healthCheckSchema>;

// The response of `GET /api/doctor`: the checks that only the daemon can make. The command adds its own.

/** `full`: also checks again what passed before. */
export const doctorQuerySchema = z.strictObject({ full: z.stringbool().default(false) });

export const doctorReportSchema = z.object({ checks: z.array(healthCheckSchema) });

// Metrics in the Prometheus text format. They contain only numbers, codes and the names of accounts.

/** Runs of one kind of actor with one outcome. */
export interface ModelUse {
  readonly actor: string;
  readonly state: string;
  readonly count: number;
  readonly input: number;
  readonly output: number;
  /** In seconds, in total. */
  readonly took: number;
}

/** Sizes, waiting times and what models have cost today. */
export interface StorageFigures {
  readonly bytes: number;
  readonly tables: readonly { readonly name: string; readonly bytes: number }[];
  /** How long the oldest one has waited, in seconds. */
  readonly oldest: { readonly job: number; readonly message: number; readonly approval: number };
  /** Model tokens, and the estimated cost in millionths of a US dollar. */
  readonly spent: { readonly tokens: number; readonly micros: number };
  readonly media: {
    /** What the files take, each content once. */
    readonly bytes: number;
    readonly states: readonly { readonly state: string; readonly count: number }[];
  };
}

/** What the status of an account does not say. */
export interface AccountFigures {
  /** Since the start of the process. */
  readonly used: readonly ModelUse[];
  readonly storage: StorageFigures;
  readonly limits: { readonly usd_per_day: number; readonly tokens_per_day: number };
}

/** The caller of the metrics: the account that their figures are about, and what else they may see. */
export interface MetricsCaller {
  status(): Promise<DaemonStatus>;
  figures(): Promise<AccountFigures>;
  /** Whether that account is the main one, whose events are counted. */
  readonly isMain: boolean;
  /** Whether they may see the figures of the process, the disk and the database, which all accounts share. */
  readonly seesMachine: boolean;
  /** Picks, by name, the accounts that the caller may know of. */
  shows(account: string): boolean;
}

/** A completed API request. */
interface AnsweredRequest {
  readonly method: string;
  /** The declared route, never the requested path. */
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

export interface Metrics {
  readonly contentType: string;
  text(caller: MetricsCaller): Promise<string>;
  countRequest(request: AnsweredRequest): void;
}
