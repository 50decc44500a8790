// Schemas and service of the settings: each with its source and how it can be changed, the model, and web search. A key
// is never shown, only whether it is set.
import { z } from 'zod';
import {
  agentSchema,
  autoReplySchema,
  backupSettingsSchema,
  type ModelSettings,
  notificationSettingsSchema,
  observerSchema,
  pacingSchema,
  retentionSettingsSchema,
  settingsSchema,
} from '../settings.ts';
import { initSchema } from './whatsapp.ts';

const value = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.null(),
  z.array(z.union([z.string(), z.number()])),
  z.record(z.string(), z.string()),
]);

const listedSettingSchema = z.object({
  /** The name in `relay.config.json`, section first: `pacing.per_day`. */
  name: z.string(),
  /** The value in effect. */
  value,
  default: value,
  /** `console`: written by Relay, from the console or a command, and not edited since. */
  from: z.enum(['environment', 'file', 'console', 'default']),
  /** The environment variable that sets it, if one does; nothing else can change the value then. */
  variable: z.string().nullable(),
  /**
   * When a change takes effect: at once or from the next start; or it has its own route, or only the file can change
   * it.
   */
  changes: z.enum(['now', 'next_start', 'elsewhere', 'file']),
  /** The value from the next start on, if the file differs by now. */
  next: value.optional(),
});
export type ListedSetting = z.infer<typeof listedSettingSchema>;

const listedSecretSchema = z.object({
  name: z.string(),
  is_set: z.boolean(),
  from: z.enum(['environment', 'file', 'console', 'default']),
  variable: z.string().nullable(),
});
export type ListedSecret = z.infer<typeof listedSecretSchema>;

export const settingsOverviewSchema = z.object({
  model: z.object({
    provider: z.string().nullable(),
    name: z.string().nullable(),
    base_url: z.string().nullable(),
    has_key: z.boolean(),
    /** Whether a turn could begin. Determined without a request to the provider. */
    ready: z.boolean(),
    /** The model's status, or what is missing. */
    sentence: z.string(),
  }),
  web_search: z.object({ has_key: z.boolean() }),
  /** The settings file. */
  file: z.string(),
  settings: z.array(listedSettingSchema),
  /** Keys and other secrets: whether each is set, never its value. */
  secrets: z.array(listedSecretSchema),
  /** When everything was last exported to an archive; null if never. */
  exported_at: z.iso.datetime().nullable(),
});
export type SettingsOverview = z.infer<typeof settingsOverviewSchema>;

const pacing = pacingSchema.shape;
const autoReply = autoReplySchema.shape;
const agent = agentSchema.shape;
const observer = observerSchema.shape;
const retention = retentionSettingsSchema.shape;
const backup = backupSettingsSchema.shape;
const notifications = notificationSettingsSchema.shape;

/** Changes the named settings; null restores the default. */
const changed = <Setting extends z.ZodType>(setting: { unwrap(): Setting }) =>
  setting.unwrap().nullable().exactOptional();

/** Settings that the running daemon applies, and settings that it saves for its next start. */
export const runningSettingsChangeSchema = z.strictObject({
  pacing: z
    .strictObject({
      per_minute: changed(pacing.per_minute),
      per_hour: changed(pacing.per_hour),
      per_day: changed(pacing.per_day),
      first_contacts_per_day: changed(pacing.first_contacts_per_day),
      typing_min_ms: changed(pacing.typing_min_ms),
      typing_max_ms: changed(pacing.typing_max_ms),
      first_contact_freeze_hours: changed(pacing.first_contact_freeze_hours),
    })
    .exactOptional(),
  auto_reply: z
    .strictObject({
      quiet_hours: autoReply.quiet_hours.unwrap().exactOptional(),
      late_after_hours: changed(autoReply.late_after_hours),
      answers_per_hour: changed(autoReply.answers_per_hour),
      answers_per_day: changed(autoReply.answers_per_day),
    })
    .exactOptional(),
  agent: z
    .strictObject({
      tokens_per_day: changed(agent.tokens_per_day),
      tokens_per_conversation: changed(agent.tokens_per_conversation),
      usd_per_day: changed(agent.usd_per_day),
      max_steps: changed(agent.max_steps),
      instructions: changed(agent.instructions),
    })
    .exactOptional(),
  observer: z
    .strictObject({
      assistant_name: changed(observer.assistant_name),
      answers_per_day: changed(observer.answers_per_day),
      minutes_between_answers: changed(observer.minutes_between_answers),
      daily_at: changed(observer.daily_at),
    })
    .exactOptional(),
  retention: z
    .strictObject({
      messages_days: changed(retention.messages_days),
      observed_messages_days: changed(retention.observed_messages_days),
      digests_days: changed(retention.digests_days),
    })
    .exactOptional(),
  backup: z
    .strictObject({ every: changed(backup.every), keep: changed(backup.keep) })
    .exactOptional(),
  notifications: z
    .strictObject({
      show_text: changed(notifications.show_text),
      console_url: notifications.console_url.unwrap().exactOptional(),
    })
    .exactOptional(),
  tell_owner_on_whatsapp: changed(settingsSchema.shape.tell_owner_on_whatsapp),
  zone: settingsSchema.shape.zone.unwrap().exactOptional(),
  log_level: changed(settingsSchema.shape.log_level),
});
export type RunningSettingsChange = z.infer<typeof runningSettingsChangeSchema>;

/** An omitted field stays as it is; null removes it. */
export const changeSettingsSchema = initSchema
  .unwrap()
  .unwrap()
  .omit({ phone: true })
  .extend(runningSettingsChangeSchema.shape);
export type ChangeSettings = z.infer<typeof changeSettingsSchema>;

export const modelTrialSchema = z.object({
  ok: z.boolean(),
  sentence: z.string(),
  ms: z.int(),
});
export type ModelTrial = z.infer<typeof modelTrialSchema>;

/** Where to look: the model's settings; omitted fields are those in effect. */
export const listModelsSchema = initSchema
  .unwrap()
  .unwrap()
  .pick({ model_provider: true, model_name: true, model_api_key: true, model_base_url: true })
  .nullish();
export type ModelCandidate = Partial<ModelSettings>;

export const modelListSchema = z.object({
  provider: z.string(),
  /** Models that may suit agents, as the provider names them. */
  models: z.array(z.string()),
  /** Embeddings of the same provider, for search by meaning; null if it offers none. */
  embeddings: z.object({ model: z.string(), base_url: z.string() }).nullable(),
});
export type ModelList = z.infer<typeof modelListSchema>;

// The settings service for the owner: read, change and try.

export interface SettingsService {
  overview(): Promise<SettingsOverview>;
  /**
   * Omitted settings stay as they are. Refused as a whole if the environment sets one of them, or if a changed model
   * does not answer and `verify` is not false.
   */
  change(changed: ChangeSettings): Promise<void>;
  /** Asks the configured model one short question; a failure is returned, not thrown. */
  tryModel(): Promise<ModelTrial>;
  /** The models of the configured provider, or of another one before it is saved. */
  listModels(candidate: ModelCandidate): Promise<ModelList>;
}
