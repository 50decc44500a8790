// Texts of the settings: label, description, unit and card of each. Pure. A setting without texts is shown by its own
// name.
import type { EmbeddingsTrial, MemoryStatus } from '@relay/contract/api/memory';
import type { ListedSetting, SettingsOverview } from '@relay/contract/api/settings';
import type { DaemonStatus } from '@relay/contract/api/status';
import { countInWords, formatSpan, groupDigits, plural } from '../../parts/format.ts';

interface SettingCopy {
  readonly label: string;
  readonly help?: string;
  /** Shown after the number. */
  readonly unit?: string;
}

const SETTING_COPY: Readonly<Record<string, SettingCopy>> = {
  'pacing.per_minute': { label: 'Messages a minute', help: 'To all chats together.' },
  'pacing.per_hour': { label: 'Messages an hour' },
  'pacing.per_day': { label: 'Messages a day' },
  'pacing.first_contacts_per_day': {
    label: 'New people a day',
    help: 'Chats that neither side has written in before.',
  },
  'pacing.first_contact_freeze_hours': {
    label: 'Rest after a refused first message',
    unit: 'hours',
  },
  'pacing.typing_min_ms': { label: 'Typing takes at least', unit: 'ms' },
  'pacing.typing_max_ms': { label: 'Typing takes at most', unit: 'ms' },
  'pacing.enabled': {
    label: 'Pacing',
    help: 'Off is for tests; a real account would be restricted.',
  },
  'auto_reply.late_after_hours': {
    label: 'An answer is late after',
    unit: 'hours',
    help: 'You are asked instead of it being sent.',
  },
  'auto_reply.answers_per_hour': { label: 'Answers to one contact an hour' },
  'auto_reply.answers_per_day': { label: 'Answers to one contact a day' },
  'auto_reply.compose_for_read_only': {
    label: 'Compose answers for contacts who may only be read',
    help: 'They stay in the session and are not sent.',
  },
  'auto_reply.concurrency': { label: 'Contacts answered side by side' },
  'auto_reply.rapid_exchanges': { label: 'Exchanges that are no longer a person’s' },
  'auto_reply.rapid_within_minutes': { label: 'Within so many minutes' },
  'auto_reply.similar_exchanges': { label: 'Same words in a row before it rests' },
  'auto_reply.rest_minutes': { label: 'How long auto-reply rests', unit: 'minutes' },
  'agent.usd_per_day': { label: 'Money a day', help: 'All agents together.', unit: 'USD' },
  'agent.usd_per_million_input_tokens': {
    label: 'Price of a million tokens in',
    help: 'Assumed for your provider unless set.',
    unit: 'USD',
  },
  'agent.usd_per_million_output_tokens': { label: 'Price of a million tokens out', unit: 'USD' },
  'agent.tokens_per_day': { label: 'Tokens a day', help: 'All agents together.', unit: 'tokens' },
  'agent.tokens_per_conversation': { label: 'Tokens a conversation', unit: 'tokens' },
  'agent.max_steps': { label: 'Calls of the model in one turn' },
  'agent.instructions': {
    label: 'What every agent is told besides',
    help: 'In your own words. Agents never quote it.',
  },
  'agent.late_replies': {
    label: 'Replies to ended conversations',
    help: 'Within 7 days. Relay asks you, or the agent answers.',
  },
  'agent.turn_timeout_ms': { label: 'A turn takes at most', unit: 'ms' },
  'agent.call_timeout_ms': { label: 'A call of the model takes at most', unit: 'ms' },
  'agent.tool_timeout_ms': { label: 'A tool takes at most', unit: 'ms' },
  'agent.context_tokens': { label: 'Of a transcript word for word', unit: 'tokens' },
  'observer.assistant_name': {
    label: 'Your assistant’s name in groups',
    help: 'By which you ask it there.',
  },
  'observer.answers_per_day': { label: 'Answers in one group a day' },
  'observer.minutes_between_answers': { label: 'Between two answers', unit: 'minutes' },
  'observer.daily_at': { label: 'The day is digested at', help: 'By the group’s own clock.' },
  'strangers.kilobytes_per_sender': {
    label: 'Stored of one stranger a day',
    help: 'Beyond it their messages are only counted.',
    unit: 'kB',
  },
  'strangers.megabytes_per_day': { label: 'Stored of all strangers a day', unit: 'MB' },
  'disk.keep_free_megabytes': {
    label: 'Kept free on the disk',
    help: 'With less, strangers are only counted and nothing is imported.',
    unit: 'MB',
  },
  'retention.observed_messages_days': { label: 'Messages of observed groups', unit: 'days' },
  'retention.digests_days': { label: 'Digests', unit: 'days' },
  'backup.every': { label: 'Every' },
  'backup.keep': { label: 'So many are kept', help: 'Older ones go when another was made.' },
  'backup.folder': { label: 'Backups lie in' },
  tell_owner_on_whatsapp: {
    label: 'Tell me on WhatsApp',
    help: 'What needs you is also written in your chat with yourself.',
  },
  zone: { label: 'Time zone', help: 'The machine’s own unless set.' },
  log_level: { label: 'Log level', help: 'Below debug no words of messages are logged.' },
  admin_phone_numbers: {
    label: 'Your other numbers',
    help: 'What they write goes to your assistant as yours.',
  },
  daemon_port: { label: 'Port' },
  prepared_statements: {
    label: 'Prepared statements',
    help: 'Off where the database is behind a pooler.',
  },
  'delivery.in_flight': { label: 'On their way at once, unpaced' },
  'delivery.answer_within_ms': { label: 'WhatsApp answers within', unit: 'ms' },
  'delivery.grace_ms': { label: 'A receipt may still settle it within', unit: 'ms' },
  'delivery.reoffer_within_ms': { label: 'Offered again by itself within', unit: 'ms' },
  'webhooks.allow': { label: 'Webhooks may lead inside to' },
  'traces.endpoint': { label: 'Traces go to' },
  model_provider: { label: 'Model provider' },
  model_name: { label: 'Model' },
  model_base_url: { label: 'Model’s address' },
  'memory.embeddings': { label: 'Search by meaning' },
  'memory.endpoint_base_url': { label: 'Address for embeddings' },
  'memory.endpoint_model': { label: 'Model for embeddings' },
  'outside_memory.device_id': { label: 'Outside memory: marked as' },
  'outside_memory.folder': { label: 'Outside memory: folder' },
  'outside_memory.hourly': { label: 'Outside memory: hours too' },
  'outside_memory.webhook_url': { label: 'Outside memory: webhook' },
};

export const settingCopy = (name: string): SettingCopy => SETTING_COPY[name] ?? { label: name };

const quoted = (name: string): string => `“${settingCopy(name).label}”`;

/** Replaces setting names in a refusal by their labels. */
export const refusalText = (sentence: string): string =>
  sentence.replace(/"([\w.]+)":(.*)/, (_all, name: string, rest: string) => {
    const group = name.slice(0, name.lastIndexOf('.') + 1);
    const others = rest.replace(/\w+/g, (word) =>
      `${group}${word}` in SETTING_COPY ? quoted(`${group}${word}`) : word,
    );
    return `${quoted(name)}${others}`;
  });

/** The value as text for people. */
export function settingValueText(value: ListedSetting['value'], unit?: string): string {
  if (value === null || value === '') return 'not set';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (Array.isArray(value))
    return value.length === 0
      ? 'none'
      : `${value.join(', ')}${unit === undefined ? '' : ` ${unit}`}`;
  if (typeof value === 'object') return Object.values(value).join(' – ');
  if (unit === 'ms' && typeof value === 'number' && value % 1_000 === 0) return formatSpan(value);
  const shown = typeof value === 'number' ? groupDigits(value) : value;
  return unit === undefined ? shown : `${shown} ${unit}`;
}

/** Where the value comes from. */
export function settingSourceText({
  from,
  variable,
}: Pick<ListedSetting, 'from' | 'variable'>): string {
  if (from === 'environment') return `set by ${variable}`;
  return from === 'default' ? 'default' : 'set by you';
}

/** Why it cannot be changed here, or when a change takes effect; null if it simply can be changed. */
export function settingChangeText({ from, changes, next }: ListedSetting): string | null {
  if (from === 'environment')
    return 'The environment goes first: change it there and start Relay anew.';
  if (next !== undefined) return `From the next start: ${settingValueText(next)}.`;
  if (changes === 'next_start') return 'Counts from the next start.';
  if (changes === 'file') return 'Only in the file, then start Relay anew.';
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

/** The summary: speed, retention, and today's budget. */
export function settingsSentence(
  shown: SettingsOverview,
  status: DaemonStatus | undefined,
): string {
  const perDay = findSetting(shown, 'pacing.per_day')?.value;
  const kept = findSetting(shown, 'retention.observed_messages_days')?.value;
  const waits = shown.settings.filter(({ next }) => next !== undefined).length;
  if (waits > 0)
    return `${countInWords(waits, 'setting waits', 'settings wait')} for the next start.`;
  const paced =
    status?.sending.caps.enabled === false
      ? 'Pacing is off.'
      : `Relay sends at most ${settingValueText(perDay ?? null)} messages a day.`;
  return `${paced} What it reads in groups goes after ${settingValueText(kept ?? null, 'days')}.`;
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

export const quietHoursText = (hours: QuietHoursValue | null): string =>
  hours === null
    ? 'People are answered at any hour.'
    : `From ${hours.from} to ${hours.to}${hours.zone === undefined ? '' : ` in ${hours.zone}`} nobody is answered by itself; it waits until they are over.`;

export function embeddingsText({
  embeddings,
  model,
  documents,
  vectors,
  waiting,
}: MemoryStatus): string {
  const found = `${plural(documents, 'text')} can be found by ${embeddings === 'off' ? 'their words alone' : 'their words'}`;
  if (embeddings === 'off') return `${found}.`;
  const read = `${plural(vectors, 'of them', 'of them')} by their meaning too, with ${model ?? 'a model'}`;
  return `${found}, ${read}${waiting > 0 ? `; ${plural(waiting, 'waits', 'wait')}` : ''}.`;
}

/** What choosing this model would mean. */
export function embeddingsTrialText({
  model,
  waiting,
  per_second,
  leaves_to,
}: EmbeddingsTrial): string {
  const minutes = per_second > 0 ? Math.ceil(waiting / per_second / 60) : 0;
  const takes =
    waiting === 0
      ? 'There is nothing to read yet.'
      : `It would read ${plural(waiting, 'text')} in about ${plural(Math.max(1, minutes), 'minute')}.`;
  const where =
    leaves_to === null
      ? 'Nothing leaves this machine.'
      : `All texts would be sent to ${leaves_to}.`;
  return `${model} answered. ${takes} ${where}`;
}

// Which settings are on which card, most wanted first. Pure: a setting on no card is listed with the rest, so that none
// is missing.

export interface SettingsSection {
  readonly id: string;
  readonly title: string;
  /** What it is about. */
  readonly summary: string;
  readonly names: readonly string[];
}

export const SETTINGS_SECTIONS: readonly SettingsSection[] = [
  {
    id: 'pacing',
    title: 'Pacing',
    summary: 'How fast Relay writes. An account that writes like a person is left alone.',
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
    title: 'Answering by itself',
    summary: 'Limits for those whom Relay answers without asking you.',
    names: [
      'auto_reply.answers_per_hour',
      'auto_reply.answers_per_day',
      'auto_reply.late_after_hours',
      'tell_owner_on_whatsapp',
    ],
  },
  {
    id: 'budget',
    title: 'Budget',
    summary: 'When it is used up, agents rest and you are told.',
    names: [
      'agent.usd_per_day',
      'agent.tokens_per_day',
      'agent.tokens_per_conversation',
      'agent.max_steps',
    ],
  },
  {
    id: 'groups',
    title: 'Observed groups',
    summary: 'How your assistant is called there and how often it answers you.',
    names: [
      'observer.assistant_name',
      'observer.answers_per_day',
      'observer.minutes_between_answers',
      'observer.daily_at',
    ],
  },
  {
    id: 'retention',
    title: 'Retention',
    summary:
      'How long what was read in observed groups is kept. Shorter limits delete at the next run.',
    names: ['retention.observed_messages_days', 'retention.digests_days'],
  },
  {
    id: 'backup',
    title: 'Backup by the clock',
    summary: 'At night, or as soon as Relay runs again. Where they lie is set in the file.',
    names: ['backup.every', 'backup.keep'],
  },
  {
    id: 'general',
    title: 'Clock and log',
    summary: 'What Relay takes on when it starts.',
    names: ['zone', 'log_level'],
  },
];

/** Settings with their own card or form. */
const PLACED_SETTINGS = new Set([
  ...SETTINGS_SECTIONS.flatMap(({ names }) => names),
  'auto_reply.quiet_hours',
  'agent.instructions',
]);

export const otherSettings = (settings: readonly ListedSetting[]): readonly ListedSetting[] =>
  settings.filter(({ name }) => !PLACED_SETTINGS.has(name));
