// The catalogue of settings: value, source and meaning of each. `relay config list` uses it without a daemon, and the
// editor schema is made from it. It never contains the value of a secret.
import { z } from 'zod';
import type { ListedSetting, SettingsOverview } from './api/settings.ts';
import { type Settings, settingsFault, settingsSchema } from './settings.ts';

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
  'retention.observed_messages_days': 'now',
  'retention.digests_days': 'now',
  'backup.every': 'now',
  'backup.keep': 'now',
  'backup.folder': 'file',
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
  'traces.endpoint': 'file',
  model_provider: 'elsewhere',
  model_name: 'elsewhere',
  model_base_url: 'elsewhere',
  'memory.embeddings': 'elsewhere',
  'memory.endpoint_base_url': 'elsewhere',
  'memory.endpoint_model': 'elsewhere',
  'outside_memory.device_id': 'elsewhere',
  'outside_memory.folder': 'elsewhere',
  'outside_memory.hourly': 'elsewhere',
  'outside_memory.webhook_url': 'elsewhere',
};

/** Never shown, not even whether they have the default. */
export const SECRET_SETTINGS: readonly string[] = [
  'model_api_key',
  'brave_api_key',
  'memory.endpoint_api_key',
  'outside_memory.webhook_secret',
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
  RELAY_MODEL_PROVIDER: { setting: 'model_provider', read: String },
  RELAY_MODEL: { setting: 'model_name', read: String },
  RELAY_MODEL_API_KEY: { setting: 'model_api_key', read: String },
  RELAY_MODEL_BASE_URL: { setting: 'model_base_url', read: String },
  RELAY_TRACES_ENDPOINT: { setting: 'traces.endpoint', read: String },
  RELAY_TRACES_HEADERS: { setting: 'traces.headers', read: String },
  BRAVE_API_KEY: { setting: 'brave_api_key', read: String },
} satisfies Readonly<Record<string, Variable>>;

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
  daemon_port: 'Where the daemon listens on 127.0.0.1; 0 takes a free port.',
  model_provider:
    'Whose models your agents use: anthropic, openai, google, openai-compatible, vllm or ollama.',
  model_name: 'Which model; anthropic, openai and google have a usual one.',
  model_base_url: "Where a server that speaks OpenAI's protocol is.",
  model_api_key: 'The key of the models; `relay init --api-key` writes it sealed.',
  brave_api_key: "The key of Brave's search API; without one nobody searches the web.",
  prepared_statements:
    'Set to false where DATABASE_URL leads through a pooler in transaction mode.',
  log_level: 'What is written to the log: error, warn, info or debug.',
  admin_phone_numbers: 'Your other numbers, in digits: what they write goes to your assistant.',
  zone: "The time zone that times are meant in, as Europe/Berlin; the machine's own unless set.",
  tell_owner_on_whatsapp:
    'Whether what needs you is also written to you, in your chat with yourself.',
  'pacing.enabled':
    'Whether messages leave at the pace of a person; a real account is restricted without.',
  'pacing.per_minute': 'How many messages leave in a minute.',
  'pacing.per_hour': 'How many messages leave in an hour.',
  'pacing.per_day': 'How many messages leave in a day.',
  'pacing.first_contacts_per_day':
    'In how many chats that were empty a first message leaves in a day.',
  'pacing.typing_min_ms': 'How long somebody is shown typing, in milliseconds, at least.',
  'pacing.typing_max_ms': 'How long somebody is shown typing, in milliseconds, at most.',
  'pacing.first_contact_freeze_hours':
    'How long first contacts rest after WhatsApp has refused one.',
  'delivery.in_flight': 'How many messages may be on their way at once while pacing is off.',
  'delivery.answer_within_ms': 'After how long a send that nobody answered may have left or not.',
  'delivery.grace_ms': 'How long a receipt may still settle such a message, once connected.',
  'delivery.reoffer_within_ms': 'Until when it is offered again under its own id.',
  'agent.max_steps': 'How often the model is asked in one turn.',
  'agent.turn_timeout_ms': 'How long a turn of an agent may take.',
  'agent.call_timeout_ms': 'How long one call of the model may take.',
  'agent.tool_timeout_ms': 'How long one tool may take.',
  'agent.context_tokens':
    'How much of a transcript is seen word for word; what is older is summed up.',
  'agent.tokens_per_conversation':
    'How many tokens one conversation may use before it asks for you.',
  'agent.tokens_per_day': 'How many tokens all agents together may use in a day.',
  'agent.usd_per_day': 'How many US dollars all agents together may spend on models in a day.',
  'agent.usd_per_million_input_tokens':
    'What a million tokens into your model cost, in US dollars; assumed unless set.',
  'agent.usd_per_million_output_tokens':
    'What a million tokens out of your model cost, in US dollars; assumed unless set.',
  'agent.instructions': 'What every agent of yours is told besides, in your own words.',
  'agent.late_replies':
    'A reply within 7 days after a conversation ended: `ask` you, or `reopen` it.',
  'auto_reply.concurrency': 'How many contacts are answered side by side.',
  'auto_reply.quiet_hours': 'When nobody is answered by itself: from, to and zone.',
  'auto_reply.compose_for_read_only':
    'Whether the model composes answers for contacts who may only be read; they stay in the session, unsent.',
  'auto_reply.late_after_hours': 'The answer to an older message is a draft that waits for you.',
  'auto_reply.answers_per_hour': 'How many answers one contact gets in an hour.',
  'auto_reply.answers_per_day': 'How many answers one contact gets in a day.',
  'auto_reply.rapid_exchanges': 'So many exchanges in a short time are taken for a machine.',
  'auto_reply.rapid_within_minutes': 'How short that time is, in minutes.',
  'auto_reply.similar_exchanges': 'So many repetitions in a row are taken for a machine.',
  'auto_reply.rest_minutes': 'How long it rests then: the first time, the second, and so on.',
  'observer.assistant_name': 'What you call your assistant in a group.',
  'observer.answers_per_day': 'How often it answers you in one group in a day.',
  'observer.minutes_between_answers': 'How many minutes lie between two answers in one group.',
  'observer.daily_at': "When the day is digested, by the clock of the group's zone.",
  'strangers.kilobytes_per_sender':
    'How much is stored of one stranger in a day, in kilobytes; beyond it messages are only counted.',
  'strangers.megabytes_per_day':
    'How much is stored of all strangers together in a day, in megabytes.',
  'disk.keep_free_megabytes':
    'With less free on the disk, strangers are only counted and imports refused; 0 turns it off.',
  'retention.observed_messages_days': 'How many days messages of observed groups are kept.',
  'retention.digests_days': 'How many days digests are kept.',
  'backup.every': 'How often everything is saved to an archive: off, hour, day or week.',
  'backup.keep': 'How many archives stay; the oldest goes first.',
  'backup.folder':
    'Where the archives lie; `backups` in the home unless set. Better on another disk.',
  'memory.embeddings': 'What finds things by meaning: off, local or endpoint.',
  'memory.endpoint_base_url': "Where the endpoint with OpenAI's /embeddings is.",
  'memory.endpoint_model': 'Which of its models.',
  'memory.endpoint_api_key': 'Its key; `relay memory embeddings endpoint --key` writes it sealed.',
  'outside_memory.device_id': 'What lines for an outside memory are marked with.',
  'outside_memory.folder': 'The folder in which one file a day is written; none unless set.',
  'outside_memory.hourly': 'Whether the digests of hours go there too, besides those of days.',
  'outside_memory.webhook_url': 'Where digests and facts are sent; nowhere unless set.',
  'outside_memory.webhook_secret': 'What that webhook is signed with.',
  'webhooks.allow': 'Places inside your own network that webhooks may lead to, as 127.0.0.1:5678.',
  'traces.endpoint':
    "Where OpenTelemetry's collector is, as http://127.0.0.1:4318; no traces unless set.",
  'traces.headers': 'What the collector wants to see besides, as name=value,name=value.',
};
