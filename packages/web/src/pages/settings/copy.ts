// Texts of the settings: label, description, unit and card of each. Pure. A setting without texts is shown by its own
// name.
import type { EmbeddingsTrial, MemoryStatus } from '@relay/contract/api/memory';
import type { ListedSetting, SettingsOverview } from '@relay/contract/api/settings';
import type { DaemonStatus } from '@relay/contract/api/status';
import { t } from '../../i18n.ts';
import { formatSpan } from '../../parts/format.ts';

type SettingUnit =
  | 'hours'
  | 'minutes'
  | 'days'
  | 'ms'
  | 'tokens'
  | 'usd'
  | 'kilobytes'
  | 'megabytes';

interface SettingTraits {
  /** The catalogue has a description. */
  readonly hasHelp?: true;
  readonly unit?: SettingUnit;
}

/** The settings with texts in the catalogue. */
const SETTINGS = {
  'pacing.per_minute': { hasHelp: true },
  'pacing.per_hour': {},
  'pacing.per_day': {},
  'pacing.first_contacts_per_day': { hasHelp: true },
  'pacing.first_contact_freeze_hours': { hasHelp: true, unit: 'hours' },
  'pacing.typing_min_ms': { unit: 'ms' },
  'pacing.typing_max_ms': { unit: 'ms' },
  'pacing.enabled': { hasHelp: true },
  'auto_reply.late_after_hours': { hasHelp: true, unit: 'hours' },
  'auto_reply.answers_per_hour': {},
  'auto_reply.answers_per_day': {},
  'auto_reply.compose_for_read_only': { hasHelp: true },
  'auto_reply.concurrency': {},
  'auto_reply.rapid_exchanges': {},
  'auto_reply.rapid_within_minutes': { unit: 'minutes' },
  'auto_reply.similar_exchanges': {},
  'auto_reply.rest_minutes': { hasHelp: true, unit: 'minutes' },
  'agent.usd_per_day': { hasHelp: true, unit: 'usd' },
  'agent.vision': { hasHelp: true },
  'media.limit_megabytes': {},
  'media.chat_megabytes': {},
  'media.total_megabytes': {},
  'media.keep_days': {},
  'media.s3_bucket': {},
  'media.s3_endpoint': {},
  'media.s3_region': {},
  'media.s3_prefix': {},
  'media.s3_access_key_id': {},
  'backup.media': {},
  'transcription.by': {},
  'transcription.endpoint_base_url': {},
  'transcription.model': {},
  'transcription.max_minutes': {},
  'transcription.usd_per_minute': { unit: 'usd' },
  'agent.usd_per_million_input_tokens': { hasHelp: true, unit: 'usd' },
  'agent.usd_per_million_output_tokens': { unit: 'usd' },
  'agent.tokens_per_day': { hasHelp: true, unit: 'tokens' },
  'agent.tokens_per_conversation': { unit: 'tokens' },
  'agent.max_steps': {},
  'agent.instructions': { hasHelp: true },
  'agent.late_replies': { hasHelp: true },
  'agent.turn_timeout_ms': { unit: 'ms' },
  'agent.call_timeout_ms': { unit: 'ms' },
  'agent.tool_timeout_ms': { unit: 'ms' },
  'agent.context_tokens': { hasHelp: true, unit: 'tokens' },
  'observer.assistant_name': { hasHelp: true },
  'observer.answers_per_day': {},
  'observer.minutes_between_answers': { unit: 'minutes' },
  'observer.daily_at': { hasHelp: true },
  'strangers.kilobytes_per_sender': { hasHelp: true, unit: 'kilobytes' },
  'strangers.megabytes_per_day': { unit: 'megabytes' },
  'disk.keep_free_megabytes': { hasHelp: true, unit: 'megabytes' },
  'retention.messages_days': { hasHelp: true, unit: 'days' },
  'retention.observed_messages_days': { unit: 'days' },
  'retention.digests_days': { unit: 'days' },
  'backup.every': {},
  'backup.keep': { hasHelp: true },
  'backup.folder': {},
  'backup.copy_to': {},
  'backup.copy_command': {},
  tell_owner_on_whatsapp: { hasHelp: true },
  'notifications.show_text': { hasHelp: true },
  'notifications.console_url': { hasHelp: true },
  'notifications.ntfy_url': {},
  'notifications.webhook_url': {},
  'notifications.allow': {},
  zone: { hasHelp: true },
  log_level: { hasHelp: true },
  admin_phone_numbers: { hasHelp: true },
  daemon_port: {},
  prepared_statements: { hasHelp: true },
  'delivery.in_flight': {},
  'delivery.answer_within_ms': { unit: 'ms' },
  'delivery.grace_ms': { unit: 'ms' },
  'delivery.reoffer_within_ms': { unit: 'ms' },
  'webhooks.allow': {},
  'http.allowed_hosts': { hasHelp: true },
  'traces.endpoint': {},
  model_provider: {},
  model_name: {},
  model_base_url: {},
  'memory.embeddings': {},
  'memory.endpoint_base_url': {},
  'memory.endpoint_model': {},
  'outside_memory.device_id': {},
  'outside_memory.folder': {},
  'outside_memory.hourly': {},
  'outside_memory.webhook_url': {},
} as const satisfies Readonly<Record<string, SettingTraits>>;

type SettingName = keyof typeof SETTINGS;
type SettingNameWithHelp = {
  [Name in SettingName]: (typeof SETTINGS)[Name] extends { readonly hasHelp: true } ? Name : never;
}[SettingName];

const isSettingName = (name: string): name is SettingName => Object.hasOwn(SETTINGS, name);
const hasHelp = (name: SettingName): name is SettingNameWithHelp => 'hasHelp' in SETTINGS[name];

interface SettingCopy {
  readonly label: string;
  readonly help?: string;
  /** Shown after the number. */
  readonly unit?: SettingUnit;
}

export function settingCopy(name: string): SettingCopy {
  if (!isSettingName(name)) return { label: name };
  const { unit }: SettingTraits = SETTINGS[name];
  return {
    label: t(`settings.label.${name}`),
    ...(hasHelp(name) ? { help: t(`settings.help.${name}`) } : {}),
    ...(unit === undefined ? {} : { unit }),
  };
}

const quoted = (name: string): string => `“${settingCopy(name).label}”`;

/** Replaces setting names in a refusal by their labels. */
export const refusalText = (sentence: string): string =>
  sentence.replace(/"([\w.]+)":(.*)/, (_all, name: string, rest: string) => {
    const group = name.slice(0, name.lastIndexOf('.') + 1);
    const others = rest.replace(/\w+/g, (word) =>
      isSettingName(`${group}${word}`) ? quoted(`${group}${word}`) : word,
    );
    return `${quoted(name)}${others}`;
  });

const BACKUP_FREQUENCIES = ['off', 'hour', 'day', 'week'] as const;
const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;

interface SettingChoice {
  readonly value: string;
  readonly label: string;
}

/** The values to choose from; undefined if any value can be typed. */
export function settingChoices(name: string): SettingChoice[] | undefined {
  if (name === 'backup.every')
    return BACKUP_FREQUENCIES.map((value) => ({ value, label: t(`settings.frequency.${value}`) }));
  // The names of log levels are the same in every language.
  if (name === 'log_level') return LOG_LEVELS.map((value) => ({ value, label: value }));
  return undefined;
}

/** The value as text for people. */
export function settingValueText(name: string, value: ListedSetting['value']): string {
  if (value === null || value === '') return t('settings.value.notSet');
  if (typeof value === 'boolean') return t(value ? 'common.on' : 'common.off');
  if (typeof value === 'string')
    return settingChoices(name)?.find((choice) => choice.value === value)?.label ?? value;
  if (typeof value === 'number') return numberText(name, value);
  if (!Array.isArray(value)) return Object.values(value).join(' – ');
  if (value.length === 0) return t('common.none');
  return value.map((each) => (typeof each === 'number' ? numberText(name, each) : each)).join(', ');
}

function numberText(name: string, value: number): string {
  const { unit } = settingCopy(name);
  if (unit === 'ms' && value % 1_000 === 0) return formatSpan(value);
  return t(`settings.value.${unit ?? 'number'}`, { value });
}

/** Where the value comes from, in a few words. */
export const settingSourceLabel = ({
  from,
  variable,
}: Pick<ListedSetting, 'from' | 'variable'>): string =>
  t(`settings.other.source.${from}`, { variable: variable ?? '' });

/** Where the value comes from, and its default. */
export const settingSourceText = (setting: ListedSetting): string =>
  t(`settings.source.${setting.from}`, {
    variable: setting.variable ?? '',
    value: settingValueText(setting.name, setting.default),
  });

/** Why it cannot be changed here, or when a change takes effect; null if it simply can be changed. */
export function settingChangeText({ name, from, changes, next }: ListedSetting): string | null {
  if (from === 'environment') return t('settings.change.environment');
  if (next !== undefined) return t('settings.change.next', { value: settingValueText(name, next) });
  if (changes === 'next_start') return t('settings.change.restart');
  if (changes === 'file') return t('settings.change.file');
  return null;
}

export const findSetting = (
  { settings }: SettingsOverview,
  name: string,
): ListedSetting | undefined => settings.find((setting) => setting.name === name);

/** As the API takes it: nested by section. */
export function toSettingsChange(
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const changed: Record<string, Record<string, unknown> | unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    const [section = '', key] = name.split('.');
    if (key === undefined) changed[section] = value;
    else changed[section] = { ...Object(changed[section]), [key]: value };
  }
  return changed;
}

/** Changes that need a restart; otherwise the daily limit and the retention. */
export function settingsSummary(shown: SettingsOverview, status: DaemonStatus | undefined): string {
  const count = shown.settings.filter(({ next }) => next !== undefined).length;
  if (count > 0) return t('settings.summary.restart', { count });
  const numberOf = (name: string) => Number(findSetting(shown, name)?.value ?? 0);
  const days = numberOf('retention.observed_messages_days');
  return status?.sending.caps.enabled === false
    ? t('settings.summary.unpaced', { days })
    : t('settings.summary.paced', { perDay: numberOf('pacing.per_day'), days });
}

interface QuietHoursValue {
  readonly from: string;
  readonly to: string;
  readonly zone?: string;
}

export function readQuietHours(shown: SettingsOverview): QuietHoursValue | null {
  const value = findSetting(shown, 'auto_reply.quiet_hours')?.value;
  if (value === null || value === undefined || typeof value !== 'object' || Array.isArray(value))
    return null;
  const { from, to, zone } = value;
  if (from === undefined || to === undefined) return null;
  return { from, to, ...(zone === undefined ? {} : { zone }) };
}

export function quietHoursText(hours: QuietHoursValue | null): string {
  if (hours === null) return t('settings.quietHours.off');
  const { from, to, zone } = hours;
  return zone === undefined
    ? t('settings.quietHours.on', { from, to })
    : t('settings.quietHours.onInZone', { from, to, zone });
}

export function embeddingsText(status: MemoryStatus): string {
  const { embeddings, documents, vectors, waiting } = status;
  if (embeddings === 'off') return t('settings.embeddings.off', { documents });
  const model = status.model ?? t('settings.embeddings.unknownModel');
  return waiting === 0
    ? t('settings.embeddings.on', { documents, vectors, model })
    : t('settings.embeddings.indexing', { documents, vectors, waiting, model });
}

/** What choosing this model would mean. */
export function embeddingsTrialText({
  model,
  waiting,
  per_second,
  leaves_to: host,
}: EmbeddingsTrial): string {
  const minutes = per_second > 0 ? Math.ceil(waiting / per_second / 60) : 0;
  const time = formatSpan(Math.max(1, minutes) * 60_000);
  return host === null
    ? t('settings.embeddings.trial.local', { model, waiting, time })
    : t('settings.embeddings.trial.remote', { model, waiting, time, host });
}

// Which settings are on which card, most wanted first. Pure: a setting on no card is listed with the rest, so that none
// is missing.

export interface SettingsSection {
  /** Its title, summary and button are in the catalogue. */
  readonly id:
    | 'notifications'
    | 'pacing'
    | 'answers'
    | 'budget'
    | 'groups'
    | 'retention'
    | 'backup'
    | 'general';
  readonly names: readonly SettingName[];
}

export const SETTINGS_SECTIONS: readonly SettingsSection[] = [
  {
    id: 'notifications',
    names: ['tell_owner_on_whatsapp', 'notifications.show_text', 'notifications.console_url'],
  },
  {
    id: 'pacing',
    names: [
      'pacing.per_minute',
      'pacing.per_hour',
      'pacing.per_day',
      'pacing.first_contacts_per_day',
      'pacing.first_contact_freeze_hours',
      'pacing.typing_min_ms',
      'pacing.typing_max_ms',
    ],
  },
  {
    id: 'answers',
    names: [
      'auto_reply.answers_per_hour',
      'auto_reply.answers_per_day',
      'auto_reply.late_after_hours',
    ],
  },
  {
    id: 'budget',
    names: [
      'agent.usd_per_day',
      'agent.tokens_per_day',
      'agent.tokens_per_conversation',
      'agent.max_steps',
    ],
  },
  {
    id: 'groups',
    names: [
      'observer.assistant_name',
      'observer.answers_per_day',
      'observer.minutes_between_answers',
      'observer.daily_at',
    ],
  },
  {
    id: 'retention',
    names: [
      'retention.messages_days',
      'retention.observed_messages_days',
      'retention.digests_days',
    ],
  },
  { id: 'backup', names: ['backup.every', 'backup.keep'] },
  { id: 'general', names: ['zone', 'log_level'] },
];

/** Settings with their own card or form. */
const PLACED_SETTINGS = new Set<string>([
  ...SETTINGS_SECTIONS.flatMap(({ names }) => names),
  'auto_reply.quiet_hours',
  'agent.instructions',
]);

export const otherSettings = (settings: readonly ListedSetting[]): readonly ListedSetting[] =>
  settings.filter(({ name }) => !PLACED_SETTINGS.has(name));
