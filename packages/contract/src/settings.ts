// The settings in `<home>/relay.config.json` with their defaults. Read by config.ts of the daemon and of the command,
// the only files that read the environment.
import { z } from 'zod';
import { quietHoursSchema } from './contacts/grant-options.ts';
import { isZoneName } from './schedule/names.ts';

export const DEFAULT_PORT = 3214;

/** Also refuses `localhost:8000/v1`, which is a URL, but one whose protocol is `localhost`. */
export const modelServerUrl = z.url({
  protocol: /^https?$/,
  error: 'must be an address such as http://127.0.0.1:8000/v1',
});

/** Pacing: sends the way a person does, because WhatsApp restricts accounts that do not. */
export const pacingSchema = z
  .strictObject({
    /** Off: as fast as the connection allows. For tests; a real account would be restricted. */
    enabled: z.boolean().default(true),
    per_minute: z.int().min(1).default(6),
    per_hour: z.int().min(1).default(60),
    per_day: z.int().min(1).default(200),
    /** Chats in which neither side has written before. */
    first_contacts_per_day: z.int().min(0).default(5),
    typing_min_ms: z.int().min(0).default(3_000),
    typing_max_ms: z.int().min(0).default(9_000),
    /** How long first contacts are frozen after WhatsApp refused one. */
    first_contact_freeze_hours: z.number().positive().default(24),
  })
  .refine((pacing) => pacing.typing_min_ms <= pacing.typing_max_ms, {
    path: ['typing_min_ms'],
    message: 'must not be more than typing_max_ms',
  });

export type PacingSettings = z.infer<typeof pacingSchema>;

export const deliverySchema = z.strictObject({
  /** How many messages may be in flight at once without pacing; with pacing it is one. */
  in_flight: z.int().min(1).default(8),
  /** A send without an acknowledgement by then has an unknown result. */
  answer_within_ms: z.int().positive().default(60_000),
  /** How long, once connected and caught up, a receipt may still settle such a message. */
  grace_ms: z.int().min(0).default(15_000),
  /** Until then it is sent again under the same id; afterwards only the owner decides. */
  reoffer_within_ms: z.int().min(0).default(3_600_000),
});

export type DeliverySettings = z.infer<typeof deliverySchema>;

/** What happens on a reply to an ended conversation: ask the owner, or reopen the conversation. */
const LATE_REPLY_POLICIES = ['ask', 'reopen'] as const;
export type LateReplyPolicy = (typeof LATE_REPLY_POLICIES)[number];

/** The limits of agents; Relay notifies the owner whenever one is reached. */
export const agentSchema = z.strictObject({
  /** Model calls per turn. */
  max_steps: z.int().min(1).max(50).default(8),
  turn_timeout_ms: z.int().positive().default(180_000),
  call_timeout_ms: z.int().positive().default(60_000),
  tool_timeout_ms: z.int().positive().default(15_000),
  /** How much of the transcript a turn sees verbatim; older lines are summarised. */
  context_tokens: z.int().min(500).default(8_000),
  tokens_per_conversation: z.int().positive().default(300_000),
  tokens_per_day: z.int().positive().default(2_000_000),
  /** In US dollars, for all agents together. */
  usd_per_day: z.number().positive().default(5),
  /** The model's price; without one, a price is assumed for the provider. */
  usd_per_million_input_tokens: z.number().min(0).nullable().default(null),
  usd_per_million_output_tokens: z.number().min(0).nullable().default(null),
  /** Whether the model can see photos; null: Anthropic's, Google's and OpenAI's can, others cannot. */
  vision: z.boolean().nullable().default(null),
  /** The owner's instructions for all agents. */
  instructions: z.string().max(4_000).default(''),
  /** When a contact replies within 7 days after a conversation ended. */
  late_replies: z.enum(LATE_REPLY_POLICIES).default('ask'),
});

export type AgentSettings = z.infer<typeof agentSchema>;

/** Auto-reply: how contacts are answered, and its limits. */
export const autoReplySchema = z.strictObject({
  /** How many contacts are answered at the same time. */
  concurrency: z.int().min(1).max(64).default(8),
  /** When nobody is answered; a contact's own quiet hours replace these. */
  quiet_hours: quietHoursSchema.nullable().default(null),
  /** Whether answers are composed for contacts who may only be read; they are never sent. */
  compose_for_read_only: z.boolean().default(false),
  /** An answer to a message that is older than this when its turn comes needs the owner's approval. */
  late_after_hours: z.number().positive().default(6),
  /** Answers to one contact; beyond that auto-reply pauses for the contact. */
  answers_per_hour: z.int().min(1).default(30),
  answers_per_day: z.int().min(1).default(120),
  /** The loop guard: this many exchanges within this many minutes cannot be a person's. */
  rapid_exchanges: z.int().min(2).default(20),
  rapid_within_minutes: z.number().positive().default(10),
  /** How many times in a row the contact repeated themselves. */
  similar_exchanges: z.int().min(2).default(5),
  /** The length of the first cooldown, the second, and so on; the last value applies to all further ones. */
  rest_minutes: z.array(z.number().positive()).min(1).default([60, 360, 1440]),
});

export type AutoReplySettings = z.infer<typeof autoReplySchema>;

/** Observed groups. */
export const observerSchema = z.strictObject({
  /** The assistant's name in a group. */
  assistant_name: z.string().trim().min(2).max(40).default('Relay'),
  /** Answers in one group: the maximum per day, and the minutes between two. */
  answers_per_day: z.int().min(0).max(100).default(5),
  minutes_between_answers: z.number().min(0).default(5),
  /** When the day's digest is written, in the group's zone. */
  daily_at: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 04:00')
    .default('04:00'),
});

export type ObserverSettings = z.infer<typeof observerSchema>;

/** How much is stored of people without a grant whom the owner never wrote to. 0: they are only counted. */
const strangersSchema = z.strictObject({
  kilobytes_per_sender: z.int().min(0).default(500),
  /** For all of them together. */
  megabytes_per_day: z.int().min(0).default(20),
});

export type StrangersSettings = z.infer<typeof strangersSchema>;

/** If less disk space is free in the home, strangers are only counted and imports are refused. 0: off. */
const diskSchema = z.strictObject({
  keep_free_megabytes: z.int().min(0).default(500),
});

export type DiskSettings = z.infer<typeof diskSchema>;

/** Days, at most 100 years. 0: without a limit. */
export const retentionDaysSchema = z.int().min(0).max(36_500);

/** How long messages are kept. */
export const retentionSettingsSchema = z.strictObject({
  /** Of all chats without a limit of their own. 0: they are kept. */
  messages_days: retentionDaysSchema.default(0),
  observed_messages_days: z.int().min(1).default(30),
  digests_days: z.int().min(1).default(28),
});

export type RetentionSettings = z.infer<typeof retentionSettingsSchema>;

/** Photos, voice messages, videos and documents. */
export const mediaSettingsSchema = z.strictObject({
  /** The largest file that is downloaded or uploaded. */
  limit_megabytes: z.int().min(1).max(2_000).default(100),
  /** Limits for the files of one chat, and of all chats together. 0: no limit. */
  chat_megabytes: z.int().min(0).default(2_000),
  total_megabytes: z.int().min(0).default(20_000),
  /** Days after which a file is deleted while its message stays. 0: with its message. */
  keep_days: retentionDaysSchema.default(0),
  /** With a bucket, files are stored on a server that speaks S3 instead of in the home. */
  s3_bucket: z.string().min(1).max(255).nullable().default(null),
  /** Null: Amazon's. */
  s3_endpoint: z
    .url({ protocol: /^https?$/ })
    .nullable()
    .default(null),
  s3_region: z.string().min(1).max(100).default('us-east-1'),
  /** The prefix of every object's name. */
  s3_prefix: z
    .string()
    .max(200)
    .regex(/^([\w.-]+\/)*[\w.-]*$/, 'must be a path such as relay/media')
    .default('relay'),
  s3_access_key_id: z.string().min(1).nullable().default(null),
  s3_secret_access_key: z.string().min(1).nullable().default(null),
});

export type MediaSettings = z.infer<typeof mediaSettingsSchema>;

/** Scheduled archives of everything. */
export const backupSettingsSchema = z.strictObject({
  every: z.enum(['off', 'hour', 'day', 'week']).default('off'),
  /** How many backups to keep; older ones are deleted after a new one was made. */
  keep: z.int().min(1).max(1_000).default(7),
  /** Whether they contain photos, voice messages, videos and documents. */
  media: z.boolean().default(true),
  /** Absolute; `backups` in the home by default. Better on another disk. */
  folder: z
    .string()
    .regex(/^([/\\]|[A-Za-z]:[/\\])/, 'must be an absolute path such as /mnt/disk/relay')
    .nullable()
    .default(null),
  /** With it, backups are encrypted. Sealed for this home. */
  passphrase: z.string().nullable().default(null),
  /** Another folder that gets a copy of each backup; it may be a mount. Never created, so that a missing mount is seen. */
  copy_to: z
    .string()
    .regex(/^([/\\]|[A-Za-z]:[/\\])/, 'must be an absolute path such as /mnt/nas/relay')
    .nullable()
    .default(null),
  /** A program and its arguments: it gets each backup on standard input. `{name}` stands for the name of the file. */
  copy_command: z.array(z.string().min(1)).min(1).nullable().default(null),
});

export type BackupSettings = z.infer<typeof backupSettingsSchema>;

/** Search by meaning, besides search by words. */
export const memorySchema = z.strictObject({
  /** `local`: a small model on this machine (English). `endpoint`: any server with OpenAI's `/embeddings`. */
  embeddings: z.enum(['off', 'local', 'endpoint']).default('off'),
  endpoint_base_url: modelServerUrl.nullable().default(null),
  endpoint_model: z.string().nullable().default(null),
  endpoint_api_key: z.string().nullable().default(null),
});

export type MemorySettings = z.infer<typeof memorySchema>;

/** How voice messages are transcribed, so that agents and search can read them. */
export const transcriptionSchema = z.strictObject({
  /** `local`: a model on this machine. `endpoint`: any server with OpenAI's `/audio/transcriptions`. */
  by: z.enum(['off', 'local', 'endpoint']).default('off'),
  /** Null: the address of the agents' model. */
  endpoint_base_url: modelServerUrl.nullable().default(null),
  /** Null: the usual one of that provider. For `local`: `base` or `small`. */
  model: z.string().nullable().default(null),
  /** Null: the key of the agents' model, if it has the same address. */
  transcription_api_key: z.string().nullable().default(null),
  /** Longer recordings are not transcribed. */
  max_minutes: z.int().min(1).max(60).default(10),
  /** US dollars. Null: an assumed price for providers that are known to charge, otherwise nothing. */
  usd_per_minute: z.number().min(0).nullable().default(null),
});

export type TranscriptionSettings = z.infer<typeof transcriptionSchema>;

/** The digest export. */
export const digestExportSettingsSchema = z.strictObject({
  /** The device id in every exported line. */
  device_id: z.string().min(1).max(100).default('relay-whatsapp'),
  /** Absolute; one file per day is written there. */
  folder: z.string().nullable().default(null),
  /** Whether hourly digests are exported besides daily ones. */
  hourly: z.boolean().default(false),
  webhook_url: z
    .url({ protocol: /^https?$/ })
    .nullable()
    .default(null),
  /** The webhook's signing secret, as in Standard Webhooks: `whsec_…`. */
  webhook_secret: z.string().nullable().default(null),
});

export type DigestExportSettings = z.infer<typeof digestExportSettingsSchema>;

/** Addresses in the owner's own network, such as `127.0.0.1:5678`, `[::1]:5678` or `localhost:5678`. */
const allowedAddresses = z
  .array(
    z
      .string()
      .regex(
        /^(localhost|\d{1,3}(\.\d{1,3}){3}|\[[\da-f:.]+\]):\d{1,5}$/i,
        'must be an address with a port such as 127.0.0.1:5678',
      ),
  )
  .default([]);

const webhookSettingsSchema = z.strictObject({ allow: allowedAddresses });

const ownersUrl = z
  .url({ protocol: /^https?$/ })
  .max(2_000)
  .refine(hasNoSecret, 'must not contain a user name or password');

/** Notifications on the owner's devices. A sealed token belongs to its address. */
export const notificationSettingsSchema = z.strictObject({
  show_text: z.boolean().default(false),
  /** The console's address in links; null means this machine's own. */
  console_url: ownersUrl.nullable().default(null),
  ntfy_url: ownersUrl.nullable().default(null),
  ntfy_token: z.string().nullable().default(null),
  webhook_url: ownersUrl.nullable().default(null),
  webhook_token: z.string().nullable().default(null),
  allow: allowedAddresses,
});
export type NotificationSettings = z.infer<typeof notificationSettingsSchema>;

const httpSettingsSchema = z.strictObject({
  /**
   * Hosts, besides this machine, at which a proxy serves the console over HTTPS, such as `relay.example.org` or
   * `relay.example.org:8443`. The first is the one in links.
   */
  allowed_hosts: z
    .array(
      z
        .string()
        .refine(isRemoteHost, 'must be a host name in lower case such as relay.example.org'),
    )
    .max(5)
    .default([]),
});

/**
 * A name that a passkey can belong to. Not an address of a machine, and nothing that browsers treat as this machine.
 */
export function isRemoteHost(host: string): boolean {
  const url = URL.canParse(`https://${host}`) ? new URL(`https://${host}`) : null;
  if (url === null || url.host !== host || url.href !== `https://${host}/`) return false;
  return (
    /^([a-z\d_-]{1,63}\.)+[a-z][a-z\d-]{0,62}$/.test(url.hostname) &&
    !/(^|\.)localhost$/.test(url.hostname)
  );
}

/** The OpenTelemetry collector. Only the file or the environment can set it, because it decides where data is sent. */
export const tracesSchema = z.strictObject({
  /** Such as `http://127.0.0.1:4318`; `/v1/traces` is added if it is missing. */
  endpoint: z
    .url({ protocol: /^https?$/ })
    .refine(hasNoSecret, 'must not contain a name or a password; put them in traces.headers')
    .nullable()
    .default(null),
  /** Headers for the collector, usually keys, as `name=value,name=value`. */
  headers: z
    .string()
    .refine((text) => parseHeaderList(text) !== null, 'must be name=value,name=value')
    .nullable()
    .default(null),
});

export type TracesSettings = z.infer<typeof tracesSchema>;

export const settingsSchema = z.strictObject({
  /** Where an editor finds the schema; not a setting. */
  $schema: z.string().exactOptional(),
  daemon_port: z.int().min(0).max(65535).default(DEFAULT_PORT),
  model_provider: z.string().nullable().default(null),
  model_api_key: z.string().nullable().default(null),
  model_name: z.string().nullable().default(null),
  /** For any server that speaks OpenAI's protocol: vLLM, Ollama and others. */
  model_base_url: modelServerUrl.nullable().default(null),
  /** The key of Brave's search API; without it there is no web search. */
  brave_api_key: z.string().nullable().default(null),
  /** Set to false if DATABASE_URL goes through a pooler in transaction mode. */
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
  media: mediaSettingsSchema.prefault({}),
  backup: backupSettingsSchema.prefault({}),
  memory: memorySchema.prefault({}),
  transcription: transcriptionSchema.prefault({}),
  outside_memory: digestExportSettingsSchema.prefault({}),
  webhooks: webhookSettingsSchema.prefault({}),
  notifications: notificationSettingsSchema.prefault({}),
  http: httpSettingsSchema.prefault({}),
  traces: tracesSchema.prefault({}),
  /** The owner's other numbers, in digits: their messages go to the assistant. */
  admin_phone_numbers: z.array(z.string().regex(/^[1-9]\d{6,14}$/)).default([]),
  /** The IANA zone of the owner's times; the machine's zone by default. */
  zone: z
    .string()
    .refine(isZoneName, 'must be a time zone such as Europe/Berlin')
    .nullable()
    .default(null),
  /** Whether the owner is also notified on WhatsApp. */
  tell_owner_on_whatsapp: z.boolean().default(true),
});

export type Settings = z.infer<typeof settingsSchema>;
/** What the owner may change over the API, keys included. */
export type OwnersSettings = ModelSettings & Pick<Settings, 'brave_api_key'>;
export type ModelSettings = Pick<
  Settings,
  'model_provider' | 'model_name' | 'model_api_key' | 'model_base_url'
>;

/** The model of an account. */
export interface AccountModel extends ModelSettings {
  /** The address was chosen by an owner who may not reach this network: only the public internet is reached. */
  readonly isForeign?: boolean;
}

/** The first error in the settings, as the end of a sentence; null if there is none. */
export function settingsFault(written: unknown): string | null {
  const parsed = settingsSchema.safeParse(written);
  if (parsed.success) return null;
  const issue = parsed.error.issues[0];
  if (issue?.code === 'unrecognized_keys') return unknownSetting([...issue.path, issue.keys[0]]);
  const field = issue?.path.join('.');
  const what = (issue?.message ?? 'unknown value').replace(/^Invalid \w+: |\.$/g, '');
  return field ? `"${field}": ${what}` : what;
}

const unknownSetting = (path: readonly (PropertyKey | undefined)[]): string =>
  unknownSettingFault(path.join('.'));

/** Why a name is not a setting, with the closest one, as the end of a sentence. */
export function unknownSettingFault(name: string): string {
  const meant = nearestName(name, knownNames());
  const hint = meant === null ? 'list all with `relay config list`' : `the closest is "${meant}"`;
  return `"${name}" is not a setting; ${hint}`;
}

/** Sections and the settings in them. */
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

/** The content of `<home>/daemon.json`, by which the command finds a running daemon. */
export const daemonRuntimeSchema = z.object({
  pid: z.int().positive(),
  /** Null while the daemon is still starting. */
  port: z.int().positive().nullable(),
  /** Distinguishes this process from a later one with the same pid. */
  process_start: z.string(),
  started_at: z.string(),
  version: z.string(),
});

export type DaemonRuntime = z.infer<typeof daemonRuntimeSchema>;

// Parses headers in OpenTelemetry's one-line form: `name=value,name=value`, percent-encoded where needed. The result
// can always be sent; anything else is null.

const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
/** A valid header value: visible ASCII with spaces inside. */
const VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** Names in lower case; null if the text is malformed. */
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

// Suggests a known name for one that does not exist.

/** The known name with the smallest edit distance; null if none is close enough. */
export function nearestName(written: string, known: readonly string[]): string | null {
  const word = written.toLowerCase();
  // The right name without its section.
  const inside = known.filter((name) => name.endsWith(`.${word}`));
  if (inside.length === 1) return inside[0] ?? null;
  const [best] = known
    .map((name) => ({ name, apart: distance(word, name) }))
    .sort((a, b) => a.apart - b.apart);
  const enough = Math.max(2, Math.floor(word.length / 3));
  return best !== undefined && best.apart <= enough ? best.name : null;
}

/** The edit distance in letters. */
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
