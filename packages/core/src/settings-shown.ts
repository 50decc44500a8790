// Every setting by its name, and how it is changed: at once, from the next start, on a page of its own, or only in the
// file. A new setting does not pass its test until it is here. Pure.
import { type Settings, settingsSchema } from './settings.ts';

/** `file`: only by whoever can write in the home. `elsewhere`: it has its own route, with its own checks. */
export type HowChanged = 'now' | 'next_start' | 'elsewhere' | 'file';

export const SETTINGS: Readonly<Record<string, HowChanged>> = {
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

/** Never shown, not even that they are as by default. */
export const SECRET_SETTINGS: readonly string[] = [
  'model_api_key',
  'brave_api_key',
  'memory.endpoint_api_key',
  'outside_memory.webhook_secret',
  'traces.headers',
];

export const DEFAULT_SETTINGS: Settings = settingsSchema.parse({});

/** `undefined` where nobody wrote it. */
export function settingNamed(name: string, among: object): unknown {
  return name
    .split('.')
    .reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), among);
}

/** The names of all that is in it; a section is not a setting of its own. */
export const settingNames = (among: object): readonly string[] =>
  Object.entries(among).flatMap(([name, value]) =>
    isObject(value) && !(name in SETTINGS) && isObject(settingNamed(name, DEFAULT_SETTINGS))
      ? Object.keys(value).map((key) => `${name}.${key}`)
      : [name],
  );

export type SettingSource = 'environment' | 'file' | 'console' | 'default';

interface Sources {
  /** The file, as somebody wrote it. */
  readonly written: object;
  /** What was last changed over the API, by name. */
  readonly changed: Readonly<Record<string, unknown>>;
  /** With the name of the variable. */
  readonly fromEnvironment: Readonly<Record<string, string>>;
}

/** Where the value that counts comes from. `console`: changed over the API, by the console or a command, and not since. */
export function sourceOf(name: string, from: Sources): SettingSource {
  if (from.fromEnvironment[name] !== undefined) return 'environment';
  const value = settingNamed(name, from.written);
  if (SECRET_SETTINGS.includes(name)) {
    if (value === undefined || value === null) return 'default';
    // Nobody but Relay can seal one.
    return String(value).startsWith('sealed:') ? 'console' : 'file';
  }
  if (value === undefined) return 'default';
  const changed = Object.hasOwn(from.changed, name) ? from.changed[name] : undefined;
  return JSON.stringify(changed) === JSON.stringify(value) ? 'console' : 'file';
}

/** Whether there is one, and where from; never what it is. */
export const secretsIn = (from: Sources) =>
  SECRET_SETTINGS.map((name) => {
    const source = sourceOf(name, from);
    const variable = from.fromEnvironment[name] ?? null;
    return { name, is_set: source !== 'default', from: source, variable };
  });

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
