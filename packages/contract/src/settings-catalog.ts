// The catalogue of settings: value, source and meaning of each. `relay config list` uses it without a daemon, and the
// editor schema is made from it. It never contains the value of a secret.
import { z } from 'zod';
import type { ListedSetting, SettingsOverview } from './api/settings.ts';
import { type Settings, settingsFault, settingsSchema, unknownSettingFault } from './settings.ts';

interface Written {
  /** The content of the file. */
  readonly written: object;
  /** The last change over the API, by name. */
  readonly changed: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

type Listed = Pick<SettingsOverview, 'settings' | 'secrets'>;

/** The settings as a daemon that starts now would see them. */
export function listSettings({ written, changed, env }: Written): Listed {
  const fault = settingsFault(written);
  if (fault !== null) throw new Error(fault);
  const file = settingsSchema.parse(written);
  const fromEnvironment = settingsGivenIn(env);
  const where = { written, changed, fromEnvironment };
  const settings = Object.entries(SETTING_CHANGES).map(([name, changes]): ListedSetting => {
    const variable = fromEnvironment[name] ?? null;
    const given = variable === null ? undefined : readFrom(variable, env);
    return {
      name,
      value: (given ?? settingByName(name, file)) as ListedSetting['value'],
      default: settingByName(name, DEFAULT_SETTINGS) as ListedSetting['default'],
      from: settingSourceOf(name, where),
      variable,
      changes,
    };
  });
  return { settings, secrets: listSecrets(where) };
}

const readFrom = (variable: string, env: Written['env']): unknown =>
  variable in SETTING_VARIABLES
    ? SETTING_VARIABLES[variable as keyof typeof SETTING_VARIABLES].read(env[variable] ?? '')
    : undefined;

/** The error in a settings file. Re-exported for callers that may load only this module. */
export const faultIn = (written: unknown): string | null => settingsFault(written);

/** Why a name is not a setting. Re-exported in the same way. */
export const unknownNameFault = (name: string): string => unknownSettingFault(name);

export const meaningOf = (name: string): string => SETTING_MEANINGS[name] ?? '';

interface Node {
  description?: string;
  properties?: Record<string, Node>;
}

/** The JSON Schema for editors, in the draft that they support best. */
export function settingsJsonSchema(): object {
  const schema = z.toJSONSchema(settingsSchema, { io: 'input', target: 'draft-7' }) as Node;
  for (const [name, meaning] of Object.entries(SETTING_MEANINGS)) {
    const [section = '', key] = name.split('.');
    const holder = key === undefined ? schema : schema.properties?.[section];
    const node = holder?.properties?.[key ?? section];
    if (node !== undefined) node.description = meaning;
  }
  return { title: 'Settings of Relay (relay.config.json)', ...schema };
}

// Every setting by name, and how it is changed: at once, from the next start, by its own route, or only in the file. A
// test fails for a new setting that is missing here.

/** `file`: only in the home's file. `elsewhere`: by its own route, with its own checks. */
type SettingChange = 'now' | 'next_start' | 'elsewhere' | 'file';

export const SETTING_CHANGES: Readonly<Record<string, SettingChange>> = {
  'pacing.enabled': 'file',
  'pacing.per_minute': 'now',
  'pacing.per_hour': 'now',
  'pacing.per_day': 'now',
  'pacing.first_contacts_per_day': 'now',
  'pacing.typing_min_ms': 'now',
  'pacing.typing_max_ms': 'now',
  'pacing.first_contact_freeze_hours': 'now',
  'auto_reply.quiet_hours': 'now',
  'auto_reply.late_after_hours': 'now',
  'auto_reply.answers_per_hour': 'now',
  'auto_reply.answers_per_day': 'now',
  'auto_reply.compose_for_read_only': 'file',
  'auto_reply.concurrency': 'file',
  'auto_reply.rapid_exchanges': 'file',
  'auto_reply.rapid_within_minutes': 'file',
  'auto_reply.similar_exchanges': 'file',
  'auto_reply.rest_minutes': 'file',
  'agent.tokens_per_day': 'now',
  'agent.tokens_per_conversation': 'now',
  'agent.usd_per_day': 'now',
  'agent.usd_per_million_input_tokens': 'file',
  'agent.usd_per_million_output_tokens': 'file',
  'agent.max_steps': 'now',
  'agent.vision': 'file',
  'agent.instructions': 'now',
  'agent.late_replies': 'file',
  'agent.turn_timeout_ms': 'file',
  'agent.call_timeout_ms': 'file',
  'agent.tool_timeout_ms': 'file',
  'agent.context_tokens': 'file',
  'observer.assistant_name': 'now',
  'observer.answers_per_day': 'now',
  'observer.minutes_between_answers': 'now',
  'observer.daily_at': 'next_start',
  'strangers.kilobytes_per_sender': 'file',
  'strangers.megabytes_per_day': 'file',
  'disk.keep_free_megabytes': 'file',
  'retention.messages_days': 'now',
  'retention.observed_messages_days': 'now',
  'retention.digests_days': 'now',
  'media.limit_megabytes': 'file',
  'media.chat_megabytes': 'file',
  'media.total_megabytes': 'file',
  'media.keep_days': 'file',
  'media.s3_bucket': 'file',
  'media.s3_endpoint': 'file',
  'media.s3_region': 'file',
  'media.s3_prefix': 'file',
  'media.s3_access_key_id': 'file',
  'backup.every': 'now',
  'backup.keep': 'now',
  'backup.media': 'file',
  'backup.folder': 'file',
  'backup.copy_to': 'file',
  'backup.copy_command': 'file',
  tell_owner_on_whatsapp: 'now',
  zone: 'next_start',
  log_level: 'next_start',
  admin_phone_numbers: 'file',
  daemon_port: 'file',
  prepared_statements: 'file',
  'delivery.in_flight': 'file',
  'delivery.answer_within_ms': 'file',
  'delivery.grace_ms': 'file',
  'delivery.reoffer_within_ms': 'file',
  'webhooks.allow': 'file',
  'notifications.show_text': 'now',
  'notifications.console_url': 'now',
  'notifications.ntfy_url': 'elsewhere',
  'notifications.webhook_url': 'elsewhere',
  'notifications.allow': 'file',
  'http.allowed_hosts': 'elsewhere',
  'traces.endpoint': 'file',
  model_provider: 'elsewhere',
  model_name: 'elsewhere',
  model_base_url: 'elsewhere',
  'memory.embeddings': 'elsewhere',
  'memory.endpoint_base_url': 'elsewhere',
  'memory.endpoint_model': 'elsewhere',
  'transcription.by': 'file',
  'transcription.endpoint_base_url': 'file',
  'transcription.model': 'file',
  'transcription.max_minutes': 'file',
  'transcription.usd_per_minute': 'file',
  'outside_memory.device_id': 'elsewhere',
  'outside_memory.folder': 'elsewhere',
  'outside_memory.hourly': 'elsewhere',
  'outside_memory.webhook_url': 'elsewhere',
};

/** Never shown, not even whether they have the default. */
export const SECRET_SETTINGS: readonly string[] = [
  'model_api_key',
  'brave_api_key',
  'backup.passphrase',
  'media.s3_secret_access_key',
  'memory.endpoint_api_key',
  'transcription.transcription_api_key',
  'outside_memory.webhook_secret',
  'notifications.ntfy_token',
  'notifications.webhook_token',
  'traces.headers',
];

export const DEFAULT_SETTINGS: Settings = settingsSchema.parse({});

/** `undefined` if it is not set. */
export function settingByName(name: string, among: object): unknown {
  return name
    .split('.')
    .reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), among);
}

/** All names in it; a section is not a setting. */
export const settingNames = (among: object): readonly string[] =>
  Object.entries(among).flatMap(([name, value]) =>
    isObject(value) && !(name in SETTING_CHANGES) && isObject(settingByName(name, DEFAULT_SETTINGS))
      ? Object.keys(value).map((key) => `${name}.${key}`)
      : [name],
  );

type SettingSource = 'environment' | 'file' | 'console' | 'default';

interface Sources {
  /** The file as it was written. */
  readonly written: object;
  /** The last change over the API, by name. */
  readonly changed: Readonly<Record<string, unknown>>;
  /** With the name of the variable. */
  readonly fromEnvironment: Readonly<Record<string, string>>;
}

/**
 * The source of the value in effect. `console`: changed over the API, by the console or a command, and not edited
 * since.
 */
export function settingSourceOf(name: string, from: Sources): SettingSource {
  if (from.fromEnvironment[name] !== undefined) return 'environment';
  const value = settingByName(name, from.written);
  if (SECRET_SETTINGS.includes(name)) {
    if (value === undefined || value === null) return 'default';
    // Only Relay can seal a value.
    return String(value).startsWith('sealed:') ? 'console' : 'file';
  }
  if (value === undefined) return 'default';
  const changed = Object.hasOwn(from.changed, name) ? from.changed[name] : undefined;
  return JSON.stringify(changed) === JSON.stringify(value) ? 'console' : 'file';
}

/** Whether each secret is set, and its source; never its value. */
export const listSecrets = (from: Sources) =>
  SECRET_SETTINGS.map((name) => {
    const source = settingSourceOf(name, from);
    const variable = from.fromEnvironment[name] ?? null;
    return { name, is_set: source !== 'default', from: source, variable };
  });

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

// Environment variables for settings; they take precedence over the file. The environment is passed in, so that this
// file stays pure.
type Environment = Readonly<Record<string, string | undefined>>;

interface Variable {
  readonly setting: string;
  read(text: string): unknown;
}

export const SETTING_VARIABLES = {
  RELAY_PORT: { setting: 'daemon_port', read: Number },
  RELAY_LOG_LEVEL: { setting: 'log_level', read: String },
  ADMIN_PHONE_NUMBERS: { setting: 'admin_phone_numbers', read: phoneNumbers },
  RELAY_PREPARED_STATEMENTS: { setting: 'prepared_statements', read: flag },
  RELAY_MODEL_PROVIDER: { setting: 'model_provider', read: String },
  RELAY_MODEL: { setting: 'model_name', read: String },
  RELAY_MODEL_API_KEY: { setting: 'model_api_key', read: String },
  RELAY_MODEL_BASE_URL: { setting: 'model_base_url', read: String },
  RELAY_TRACES_ENDPOINT: { setting: 'traces.endpoint', read: String },
  RELAY_TRACES_HEADERS: { setting: 'traces.headers', read: String },
  RELAY_S3_ACCESS_KEY_ID: { setting: 'media.s3_access_key_id', read: String },
  RELAY_S3_SECRET_ACCESS_KEY: { setting: 'media.s3_secret_access_key', read: String },
  BRAVE_API_KEY: { setting: 'brave_api_key', read: String },
} satisfies Readonly<Record<string, Variable>>;

/** Any other text stays a string, which the schema refuses. */
function flag(text: string): unknown {
  return text === 'true' || text === 'false' ? text === 'true' : text;
}

/** Settings that the environment sets, with the name of the variable. */
export const settingsGivenIn = (env: Environment): Record<string, string> =>
  Object.fromEntries(
    Object.entries(SETTING_VARIABLES).flatMap(([variable, { setting }]) =>
      env[variable] ? [[setting, variable]] : [],
    ),
  );

/** Comma-separated numbers as people write them; WhatsApp addresses work as well. */
function phoneNumbers(text: string): string[] {
  return text
    .split(/[,;\n]/)
    .map((number) => number.replace(/@.*$/, '').replace(/\D/g, ''))
    .filter((digits) => digits !== '');
}

// What each setting means, in one line for `relay config list` and the editor schema. A test fails for a new setting
// that is missing here.
export const SETTING_MEANINGS: Readonly<Record<string, string>> = {
  daemon_port: 'Port of the daemon on 127.0.0.1; 0 uses a free port.',
  model_provider: 'Name of the model provider, such as anthropic, openai or ollama.',
  model_name: 'Model name; anthropic, openai, google and mistral have a default.',
  model_base_url: 'Address of the model’s API; all but openai-compatible have a default.',
  model_api_key: 'API key of the model; `relay init --api-key` stores it encrypted.',
  brave_api_key: 'API key of Brave Search; without one there is no web search.',
  prepared_statements: 'Set to false if DATABASE_URL uses a pooler in transaction mode.',
  log_level: 'Lowest level that is logged: error, warn, info or debug.',
  admin_phone_numbers:
    'Your other phone numbers, digits only; their messages go to your assistant.',
  zone: 'Your time zone, such as Europe/Berlin (default: the zone of the machine).',
  tell_owner_on_whatsapp: 'Also notify you on WhatsApp, in your chat with yourself.',
  'pacing.enabled':
    'Send at a human pace. Turn it off only for tests: WhatsApp restricts accounts that send too fast.',
  'pacing.per_minute': 'Messages sent per minute at most.',
  'pacing.per_hour': 'Messages sent per hour at most.',
  'pacing.per_day': 'Messages sent per day at most.',
  'pacing.first_contacts_per_day':
    'New contacts written to per day at most: chats without any message so far.',
  'pacing.typing_min_ms': 'Shortest time that “typing” is shown, in milliseconds.',
  'pacing.typing_max_ms': 'Longest time that “typing” is shown, in milliseconds.',
  'pacing.first_contact_freeze_hours':
    'Pause of first messages after WhatsApp refused one, in hours.',
  'delivery.in_flight': 'Messages sent at the same time while pacing is off.',
  'delivery.answer_within_ms':
    'How long to wait for WhatsApp to confirm a message, in milliseconds; then its delivery is unknown.',
  'delivery.grace_ms': 'How long to wait for a late receipt after reconnecting, in milliseconds.',
  'delivery.reoffer_within_ms':
    'How long to retry an unconfirmed message under the same id, in milliseconds.',
  'agent.max_steps': 'Model calls per turn at most.',
  'agent.turn_timeout_ms': 'Time limit for a turn of an agent, in milliseconds.',
  'agent.call_timeout_ms': 'Time limit for a model call, in milliseconds.',
  'agent.tool_timeout_ms': 'Time limit for a tool call, in milliseconds.',
  'agent.context_tokens':
    'Tokens of the transcript that an agent sees verbatim; older messages are summarized.',
  'agent.tokens_per_conversation': 'Model tokens per conversation at most; then it asks for you.',
  'agent.tokens_per_day': 'Model tokens per day at most, for all agents together.',
  'agent.usd_per_day': 'Model cost per day at most, in US dollars, for all agents together.',
  'agent.usd_per_million_input_tokens':
    'Price of 1 million input tokens, in US dollars (default: an assumed price).',
  'agent.usd_per_million_output_tokens':
    'Price of 1 million output tokens, in US dollars (default: an assumed price).',
  'agent.vision':
    'Whether the model can read photos (default: true for Anthropic, Google and OpenAI, false for others).',
  'agent.instructions': 'Your instructions for all agents.',
  'agent.late_replies':
    'If a contact replies within 7 days after a conversation ended: `ask` you, or `reopen` it.',
  'auto_reply.concurrency': 'Contacts answered at the same time.',
  'auto_reply.quiet_hours': 'Quiet hours without automatic answers: from, to and zone.',
  'auto_reply.compose_for_read_only':
    'Compose answers for read-only contacts; they are stored in the session and not sent.',
  'auto_reply.late_after_hours':
    'Answers to messages older than this need your approval, in hours.',
  'auto_reply.answers_per_hour': 'Answers to one contact per hour at most.',
  'auto_reply.answers_per_day': 'Answers to one contact per day at most.',
  'auto_reply.rapid_exchanges':
    'Loop guard: this many exchanges within the time window start a cooldown.',
  'auto_reply.rapid_within_minutes': 'Loop guard: time window, in minutes.',
  'auto_reply.similar_exchanges':
    'Loop guard: this many repeated messages in a row start a cooldown.',
  'auto_reply.rest_minutes': 'Length of the first cooldown, the second, and so on, in minutes.',
  'observer.assistant_name': 'Name of your assistant in groups.',
  'observer.answers_per_day': 'Answers in one group per day at most.',
  'observer.minutes_between_answers': 'Minutes between 2 answers in one group at least.',
  'observer.daily_at': 'Time of the daily digest, in the time zone of the group.',
  'strangers.kilobytes_per_sender':
    'Storage for one unknown sender per day, in kilobytes; further messages are only counted.',
  'strangers.megabytes_per_day': 'Storage for all unknown senders per day, in megabytes.',
  'disk.keep_free_megabytes':
    'Below this free space, messages of unknown senders are only counted and imports are refused; 0 turns this off.',
  'retention.messages_days':
    'Days to keep messages of all chats; 0 keeps them until you erase them.',
  'retention.observed_messages_days': 'Days to keep messages of observed groups.',
  'retention.digests_days': 'Days to keep digests.',
  'media.limit_megabytes': 'Largest file that is downloaded or uploaded, in megabytes.',
  'media.chat_megabytes': 'Room for the files of one chat, in megabytes; 0 means no limit.',
  'media.total_megabytes': 'Room for all files together, in megabytes; 0 means no limit.',
  'media.keep_days':
    'Days to keep files; their messages stay. 0 keeps a file as long as its message.',
  'media.s3_bucket':
    'Bucket for files, on an S3-compatible server (default: files stay in the home).',
  'media.s3_endpoint': 'Address of the S3-compatible server (default: Amazon’s).',
  'media.s3_region': 'Region of the bucket.',
  'media.s3_prefix': 'Prefix of all file names in the bucket.',
  'media.s3_access_key_id': 'Access key id for the bucket.',
  'media.s3_secret_access_key': 'Secret of the access key for the bucket.',
  'backup.every': 'How often to back up: off, hour, day or week.',
  'backup.keep': 'Backups to keep; older ones are deleted.',
  'backup.media': 'Include photos, voice messages, videos and documents in backups.',
  'backup.folder':
    'Folder for backups, preferably on another disk (default: `backups` in the home).',
  'backup.passphrase': 'Passphrase that encrypts backups; set it with `relay backup encrypt`.',
  'backup.copy_to': 'Existing folder on another machine or disk that gets a copy of each backup.',
  'backup.copy_command':
    'Program that gets each backup on standard input; {name} is the name of the file.',
  'memory.embeddings': 'Search by meaning: off, local or endpoint.',
  'memory.endpoint_base_url': "Address of a server with OpenAI's /embeddings API.",
  'memory.endpoint_model': 'Name of the embeddings model.',
  'memory.endpoint_api_key':
    'API key of that server; `relay memory embeddings endpoint --key` stores it encrypted.',
  'transcription.by':
    'How to transcribe voice messages: off, local (a model on this machine) or endpoint (a server with OpenAI’s API).',
  'transcription.endpoint_base_url':
    'Address of that server (default: the address of the agents’ model).',
  'transcription.model':
    'Name of the model (default: the usual one of the provider); for local: base or small.',
  'transcription.transcription_api_key':
    'API key of that server (default: the key of the agents’ model, if it has the same address).',
  'transcription.max_minutes': 'Longest recording that is transcribed, in minutes.',
  'transcription.usd_per_minute':
    'Price of a minute of speech in US dollars (default: 0.01 for OpenAI and Groq, 0 for others).',
  'outside_memory.device_id': 'Digest export: device id written to each line.',
  'outside_memory.folder': 'Digest export: folder for one file per day (default: none).',
  'outside_memory.hourly': 'Digest export: include hourly digests.',
  'outside_memory.webhook_url': 'Digest export: address of a webhook (default: none).',
  'outside_memory.webhook_secret': 'Digest export: secret that signs the webhook.',
  'http.allowed_hosts':
    'Hosts at which your proxy serves the console over HTTPS; `relay remote enable` sets it.',
  'webhooks.allow': 'Local addresses allowed for webhooks, such as 127.0.0.1:5678.',
  'notifications.show_text':
    'Show names and texts in notifications. Push services and ntfy servers then carry them.',
  'notifications.console_url':
    'Address of the console in the links of notifications (default: this machine).',
  'notifications.ntfy_url': 'Address of an ntfy topic, such as https://ntfy.sh/a-long-random-name.',
  'notifications.ntfy_token': 'Access token of the ntfy server.',
  'notifications.webhook_url': 'Address that receives notifications as JSON.',
  'notifications.webhook_token': 'Token that the webhook receives as `Authorization: Bearer`.',
  'notifications.allow': 'Local addresses allowed for notifications, such as 127.0.0.1:2586.',
  'traces.endpoint':
    'Address of an OpenTelemetry collector, such as http://127.0.0.1:4318 (default: no traces).',
  'traces.headers': 'Headers for the collector, such as name=value,name=value.',
};
