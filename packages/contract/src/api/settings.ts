// What the owner has set up, over the API: each setting with where it comes from and how it is changed, the model that
// agents think with, and the web search. A key is never shown; only whether there is one.
import { z } from 'zod';
import {
  agentSchema,
  autoReplySchema,
  backupSettingsSchema,
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
  /** As in `relay.config.json`, a section before its setting: `pacing.per_day`. */
  name: z.string(),
  /** What counts right now. */
  value,
  default: value,
  /** `console`: written by Relay for you, in the console or by a command, and not edited since. */
  from: z.enum(['environment', 'file', 'console', 'default']),
  /** Its name in the environment, where it comes from there: then nothing else can change it. */
  variable: z.string().nullable(),
  /** At once, from the next start, by a route of its own, or only in the file. */
  changes: z.enum(['now', 'next_start', 'elsewhere', 'file']),
  /** What counts from the next start, where the file says something else by now. */
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
    /** Whether a turn could begin: nothing is asked of the provider for this. */
    ready: z.boolean(),
    /** How it stands, or what is missing. */
    sentence: z.string(),
  }),
  web_search: z.object({ has_key: z.boolean() }),
  /** Where they are written. */
  file: z.string(),
  settings: z.array(listedSettingSchema),
  /** Keys and the like: whether there is one, and never what it is. */
  secrets: z.array(listedSecretSchema),
  /** When all of it was last saved to an archive from here; null: never. */
  exported_at: z.iso.datetime().nullable(),
});
export type SettingsOverview = z.infer<typeof settingsOverviewSchema>;

const pacing = pacingSchema.shape;
const autoReply = autoReplySchema.shape;
const agent = agentSchema.shape;
const observer = observerSchema.shape;
const retention = retentionSettingsSchema.shape;
const backup = backupSettingsSchema.shape;

/** What is named is changed; null: as by default. */
const changed = <Setting extends z.ZodType>(setting: { unwrap(): Setting }) =>
  setting.unwrap().nullable().exactOptional();

/** Those that the running daemon follows, and those it keeps for its next start. */
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
      observed_messages_days: changed(retention.observed_messages_days),
      digests_days: changed(retention.digests_days),
    })
    .exactOptional(),
  backup: z
    .strictObject({ every: changed(backup.every), keep: changed(backup.keep) })
    .exactOptional(),
  tell_owner_on_whatsapp: changed(settingsSchema.shape.tell_owner_on_whatsapp),
  zone: settingsSchema.shape.zone.unwrap().exactOptional(),
  log_level: changed(settingsSchema.shape.log_level),
});
export type RunningSettingsChange = z.infer<typeof runningSettingsChangeSchema>;

/** What is not named stays as it is; null takes it away. */
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

// What the owner may look at, change and try of the settings.

export interface SettingsService {
  shown(): Promise<SettingsOverview>;
  /** Those not named stay as they are. Refused as a whole where the environment sets one of them. */
  change(changed: ChangeSettings): Promise<void>;
  /** One short question to the model that is set up; a failure is an answer too. */
  tryModel(): Promise<ModelTrial>;
}
