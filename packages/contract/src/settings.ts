// The settings a person may write in `<home>/relay.config.json`, with their defaults. Read by the daemon's
// and the command's own config.ts, which alone look at the environment.
import { z } from 'zod';
import { quietHoursSchema } from './contacts/grant-options.ts';
import { isZoneName } from './schedule/names.ts';

export const DEFAULT_PORT = 3214;

/** How people write: what WhatsApp sees of an account that sends like one. */
export const pacingSchema = z
  .strictObject({
    /** Off: as fast as the wire takes it. For tests; a real account would be restricted. */
    enabled: z.boolean().default(true),
    per_minute: z.int().min(1).default(6),
    per_hour: z.int().min(1).default(60),
    per_day: z.int().min(1).default(200),
    /** Chats that neither side has written in before. */
    first_contacts_per_day: z.int().min(0).default(5),
    typing_min_ms: z.int().min(0).default(3_000),
    typing_max_ms: z.int().min(0).default(9_000),
    /** How long first contacts rest after WhatsApp refused one. */
    first_contact_freeze_hours: z.number().positive().default(24),
  })
  .refine((pacing) => pacing.typing_min_ms <= pacing.typing_max_ms, {
    path: ['typing_min_ms'],
    message: 'is more than typing_max_ms',
  });

export type PacingSettings = z.infer<typeof pacingSchema>;

export const deliverySchema = z.strictObject({
  /** How many messages may be on their way at once while pacing is off; paced, it is one. */
  in_flight: z.int().min(1).default(8),
  /** A send that nobody has answered by then may have left or not. */
  answer_within_ms: z.int().positive().default(60_000),
  /** Connected and caught up, how long a receipt may still settle such a message. */
  grace_ms: z.int().min(0).default(15_000),
  /** Until then it is offered again under its own id; afterwards only the owner decides. */
  reoffer_within_ms: z.int().min(0).default(3_600_000),
});

export type DeliverySettings = z.infer<typeof deliverySchema>;

/** What a reply to an ended conversation does: asks the owner, or reopens the conversation. */
const LATE_REPLY_POLICIES = ['ask', 'reopen'] as const;
export type LateReplyPolicy = (typeof LATE_REPLY_POLICIES)[number];

/** What an agent may take and use; every limit ends in a sentence to the owner, never in silence. */
export const agentSchema = z.strictObject({
  /** Calls of the model in one turn. */
  max_steps: z.int().min(1).max(50).default(8),
  turn_timeout_ms: z.int().positive().default(180_000),
  call_timeout_ms: z.int().positive().default(60_000),
  tool_timeout_ms: z.int().positive().default(15_000),
  /** How much of the transcript a turn sees word for word; what is older is summed up. */
  context_tokens: z.int().min(500).default(8_000),
  tokens_per_conversation: z.int().positive().default(300_000),
  tokens_per_day: z.int().positive().default(2_000_000),
  /** In US dollars, of all agents together. */
  usd_per_day: z.number().positive().default(5),
  /** What the model costs; unless set, a price is assumed for the provider. */
  usd_per_million_input_tokens: z.number().min(0).nullable().default(null),
  usd_per_million_output_tokens: z.number().min(0).nullable().default(null),
  /** What every agent of this owner is told besides, in the owner's own words. */
  instructions: z.string().max(4_000).default(''),
  /** When a contact replies within 7 days after a conversation ended. */
  late_replies: z.enum(LATE_REPLY_POLICIES).default('ask'),
});

export type AgentSettings = z.infer<typeof agentSchema>;

/** How contacts are answered by themselves, and when not. */
export const autoReplySchema = z.strictObject({
  /** How many contacts are answered side by side. */
  concurrency: z.int().min(1).max(64).default(8),
  /** When nobody is answered; a contact's own take their place. */
  quiet_hours: quietHoursSchema.nullable().default(null),
  /** Whether answers are composed for contacts who may only be read; nobody is sent them. */
  compose_for_read_only: z.boolean().default(false),
  /** The answer to a message that is older than this when its turn comes waits for the owner. */
  late_after_hours: z.number().positive().default(6),
  /** Answers to one contact; beyond them auto-reply rests for that contact. */
  answers_per_hour: z.int().min(1).default(30),
  answers_per_day: z.int().min(1).default(120),
  /** So many exchanges within so many minutes are no longer a person's. */
  rapid_exchanges: z.int().min(2).default(20),
  rapid_within_minutes: z.number().positive().default(10),
  /** So many times in a row the contact said what they had said before. */
  similar_exchanges: z.int().min(2).default(5),
  /** How long it rests the first time, the second, and so on; the last for all further ones. */
  rest_minutes: z.array(z.number().positive()).min(1).default([60, 360, 1440]),
});

export type AutoReplySettings = z.infer<typeof autoReplySchema>;

/** Groups that are read in silence. */
export const observerSchema = z.strictObject({
  /** What the owner calls their assistant in a group. */
  assistant_name: z.string().trim().min(2).max(40).default('Relay'),
  /** Answers in one group: so many a day, and so many minutes between two. */
  answers_per_day: z.int().min(0).max(100).default(5),
  minutes_between_answers: z.number().min(0).default(5),
  /** When the day is digested, by the clock of the group's zone. */
  daily_at: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'is no time of day, as 04:00 is one')
    .default('04:00'),
});

export type ObserverSettings = z.infer<typeof observerSchema>;

/** How much is stored of people whom nothing was granted and the owner never wrote to. 0: they are only counted. */
const strangersSchema = z.strictObject({
  kilobytes_per_sender: z.int().min(0).default(500),
  /** Of all of them together. */
  megabytes_per_day: z.int().min(0).default(20),
});

export type StrangersSettings = z.infer<typeof strangersSchema>;

/** When less is free on the disk of the home, what can wait is not taken in. 0: never. */
const diskSchema = z.strictObject({
  keep_free_megabytes: z.int().min(0).default(500),
});

export type DiskSettings = z.infer<typeof diskSchema>;

/** How long what was read in observed groups is kept. */
export const retentionSettingsSchema = z.strictObject({
  observed_messages_days: z.int().min(1).default(30),
  digests_days: z.int().min(1).default(28),
});

export type RetentionSettings = z.infer<typeof retentionSettingsSchema>;

/** Archives of everything, made by the clock. */
export const backupSettingsSchema = z.strictObject({
  every: z.enum(['off', 'hour', 'day', 'week']).default('off'),
  /** So many stay, the newest; what is older goes when another was made. */
  keep: z.int().min(1).max(1_000).default(7),
  /** Absolute; `backups` in the home unless set. Better on another disk. */
  folder: z
    .string()
    .regex(/^([/\\]|[A-Za-z]:[/\\])/, 'is not a whole path, as /mnt/disk/relay is one')
    .nullable()
    .default(null),
});

export type BackupSettings = z.infer<typeof backupSettingsSchema>;

/** What finds things by their meaning, besides by their words. */
export const memorySchema = z.strictObject({
  /** `local`: a small model on this machine (English). `endpoint`: any server with OpenAI's `/embeddings`. */
  embeddings: z.enum(['off', 'local', 'endpoint']).default('off'),
  endpoint_base_url: z
    .url({ protocol: /^https?$/ })
    .nullable()
    .default(null),
  endpoint_model: z.string().nullable().default(null),
  endpoint_api_key: z.string().nullable().default(null),
});

export type MemorySettings = z.infer<typeof memorySchema>;

/** Digests and facts for a memory outside of Relay. */
export const digestExportSettingsSchema = z.strictObject({
  /** What the lines are marked with. */
  device_id: z.string().min(1).max(100).default('relay-whatsapp'),
  /** Absolute; one file a day is written there. */
  folder: z.string().nullable().default(null),
  /** The digests of hours too, besides those of days. */
  hourly: z.boolean().default(false),
  webhook_url: z
    .url({ protocol: /^https?$/ })
    .nullable()
    .default(null),
  /** With which the webhook is signed, as Standard Webhooks has it: `whsec_…`. */
  webhook_secret: z.string().nullable().default(null),
});

export type DigestExportSettings = z.infer<typeof digestExportSettingsSchema>;

const webhookSettingsSchema = z.strictObject({
  /** Places inside your own network that webhooks may lead to, as in `127.0.0.1:5678`, `[::1]:5678` or `localhost:5678`. */
  allow: z
    .array(
      z
        .string()
        .regex(
          /^(localhost|\d{1,3}(\.\d{1,3}){3}|\[[\da-f:.]+\]):\d{1,5}$/i,
          'is no address with a port, as 127.0.0.1:5678 is one',
        ),
    )
    .default([]),
});

/** Where OpenTelemetry's collector is. Written in the file or the environment alone: whoever sets it says where data goes. */
export const tracesSchema = z.strictObject({
  /** As `http://127.0.0.1:4318`; `/v1/traces` is added unless it stands there. */
  endpoint: z
    .url({ protocol: /^https?$/ })
    .refine(hasNoSecret, 'holds a name or a password, which belong in traces.headers')
    .nullable()
    .default(null),
  /** What a collector wants to see besides, as `name=value,name=value`: keys, usually. */
  headers: z
    .string()
    .refine((text) => parseHeaderList(text) !== null, 'is not name=value, with a comma between two')
    .nullable()
    .default(null),
});

export type TracesSettings = z.infer<typeof tracesSchema>;

export const settingsSchema = z.strictObject({
  /** Where an editor finds what may stand here; not a setting. */
  $schema: z.string().exactOptional(),
  daemon_port: z.int().min(0).max(65535).default(DEFAULT_PORT),
  model_provider: z.string().nullable().default(null),
  model_api_key: z.string().nullable().default(null),
  model_name: z.string().nullable().default(null),
  /** For any server that speaks OpenAI's protocol: vLLM, Ollama and others. */
  model_base_url: z
    .url({ protocol: /^https?$/ })
    .nullable()
    .default(null),
  /** Of Brave's search API; without it nobody searches the web. */
  brave_api_key: z.string().nullable().default(null),
  /** Set to false when DATABASE_URL leads through a pooler in transaction mode. */
  prepared_statements: z.boolean().default(true),
  log_level: z.enum(['error', 'warn', 'info', 'debug']).default('info'),
  pacing: pacingSchema.prefault({}),
  delivery: deliverySchema.prefault({}),
  agent: agentSchema.prefault({}),
  auto_reply: autoReplySchema.prefault({}),
  observer: observerSchema.prefault({}),
  strangers: strangersSchema.prefault({}),
  disk: diskSchema.prefault({}),
  retention: retentionSettingsSchema.prefault({}),
  backup: backupSettingsSchema.prefault({}),
  memory: memorySchema.prefault({}),
  outside_memory: digestExportSettingsSchema.prefault({}),
  webhooks: webhookSettingsSchema.prefault({}),
  traces: tracesSchema.prefault({}),
  /** The owner's other numbers, in digits: what they write goes to the assistant. */
  admin_phone_numbers: z.array(z.string().regex(/^[1-9]\d{6,14}$/)).default([]),
  /** The IANA zone that times are meant in; the machine's own unless set. */
  zone: z
    .string()
    .refine(isZoneName, 'is not a time zone, as Europe/Berlin is one')
    .nullable()
    .default(null),
  /** Whether what needs the owner is also written to them on WhatsApp. */
  tell_owner_on_whatsapp: z.boolean().default(false),
});

export type Settings = z.infer<typeof settingsSchema>;
/** What the owner may change over the API, keys among it. */
export type OwnersSettings = ModelSettings & Pick<Settings, 'brave_api_key'>;
export type ModelSettings = Pick<
  Settings,
  'model_provider' | 'model_name' | 'model_api_key' | 'model_base_url'
>;

/** The first thing wrong with what somebody wrote, as the end of a sentence; null when nothing is. */
export function settingsFault(written: unknown): string | null {
  const parsed = settingsSchema.safeParse(written);
  if (parsed.success) return null;
  const issue = parsed.error.issues[0];
  if (issue?.code === 'unrecognized_keys') return unknownSetting([...issue.path, issue.keys[0]]);
  const field = issue?.path.join('.');
  const what = (issue?.message ?? 'unknown value').replace(/\.$/, '');
  return field ? `"${field}": ${what}` : what;
}

function unknownSetting(path: readonly (PropertyKey | undefined)[]): string {
  const name = path.join('.');
  const meant = nearestName(name, knownNames());
  const hint = meant === null ? '`relay config list` has all of them' : `"${meant}" is one`;
  return `"${name}" is not a setting; ${hint}`;
}

/** Sections and what is in them. */
const knownNames = (): string[] =>
  Object.entries(settingsSchema.parse({})).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? [name, ...Object.keys(value).map((key) => `${name}.${key}`)]
      : [name],
  );

function hasNoSecret(url: string): boolean {
  const { username, password } = new URL(url);
  return username === '' && password === '';
}

/** What a running daemon leaves in `<home>/daemon.json` so that the command finds it. */
export const daemonRuntimeSchema = z.object({
  pid: z.int().positive(),
  /** Null while the daemon is still starting. */
  port: z.int().positive().nullable(),
  /** Tells this process from a later one that was given the same pid. */
  process_start: z.string(),
  started_at: z.string(),
  version: z.string(),
});

export type DaemonRuntime = z.infer<typeof daemonRuntimeSchema>;

// Headers as one line of text, the way OpenTelemetry writes them: `name=value,name=value`, values percent-encoded where
// they need it. Pure. Invariant: what comes out can be sent; anything else is none at all.

const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
/** What a header can carry: visible ASCII with spaces inside. */
const VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** Names in lower case; null when it is not written that way. */
export function parseHeaderList(text: string): Readonly<Record<string, string>> | null {
  const headers: Record<string, string> = {};
  for (const pair of text.split(',')) {
    const at = pair.indexOf('=');
    const name = pair.slice(0, Math.max(at, 0)).trim().toLowerCase();
    const value = decoded(pair.slice(at + 1).trim());
    if (!NAME.test(name) || value === null || !VALUE.test(value)) return null;
    headers[name] = value;
  }
  return headers;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

// What somebody may have meant by a name that does not exist. Pure.

/** The known name with the fewest letters to change; null where none is near enough to be meant. */
export function nearestName(written: string, known: readonly string[]): string | null {
  const word = written.toLowerCase();
  // Right, but without the section that it stands in.
  const inside = known.filter((name) => name.endsWith(`.${word}`));
  if (inside.length === 1) return inside[0] ?? null;
  const [best] = known
    .map((name) => ({ name, apart: distance(word, name) }))
    .sort((a, b) => a.apart - b.apart);
  const enough = Math.max(2, Math.floor(word.length / 3));
  return best !== undefined && best.apart <= enough ? best.name : null;
}

/** How many letters must be changed, added or taken away. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, n) => n);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const changed = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(changed, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
