// What the owner sees and changes over the API, each setting kept the way it has to be. Invariant: a key goes in and
// never comes out again.
import {
  type ChangeRunning,
  type ChangeSettings,
  changeRunningSchema,
  type ModelTrial,
  type SettingShown,
  type ShownSettings,
} from '@relay/core/api/settings';
import { RelayError } from '@relay/core/errors';
import type { Sealer } from '@relay/core/ports/sealer';
import type { SettingsVerbs } from '@relay/core/ports/settings';
import type { OwnersSettings } from '@relay/core/settings';
import { settingNamed, settingNames } from '@relay/core/settings-shown';
import { readBraveKey, saveBraveKey } from './brave-key.ts';
import { lastExport } from './exports.ts';
import { type ModelEnvironment, readModel, saveModel } from './model.ts';
import {
  changeRunning,
  type RunningSettings,
  refuseFromEnvironment,
  secretsShown,
  settingsShown,
} from './running-settings.ts';
import { fileOf } from './settings.ts';

interface OwnersWorld extends RunningSettings {
  readonly sealer: Sealer;
  /** From the environment. */
  readonly model: ModelEnvironment;
  readonly braveKey: string | null;
  /** Opens the model that is set up, or says what is missing. */
  openModel(): Promise<{ readonly provider: string; readonly name: string }>;
  tryModel(): Promise<ModelTrial>;
  /** Somebody changed these, by name. */
  onChange(names: readonly string[]): void;
}

export function ownersSettings(world: OwnersWorld): SettingsVerbs {
  let last: Promise<unknown> = Promise.resolve();
  return {
    shown: async () => ({
      model: await modelShown(world),
      web_search: await searchShown(world),
      file: fileOf(world.home),
      settings: (await settingsShown(world)).map((one) => asGiven(one, world.model)),
      secrets: await secretsShown(world),
      exported_at: await lastExport(world.home),
    }),
    // One after the other: each is read, changed and written as a whole.
    change(changed) {
      const mine = last.then(() => saveOwnersSettings(world, changed));
      last = mine.catch(() => {});
      return mine;
    },
    tryModel: world.tryModel,
  };
}

/** Where the environment has the model, that counts and not the file. */
function asGiven(shown: SettingShown, { given }: ModelEnvironment): SettingShown {
  const value = shown.from === 'environment' ? settingNamed(shown.name, given) : undefined;
  return typeof value === 'string' ? { ...shown, value } : shown;
}

async function modelShown(world: OwnersWorld): Promise<ShownSettings['model']> {
  try {
    const set = await readModel(world.home, world.sealer, world.model);
    const shown = {
      provider: set.model_provider,
      name: set.model_name,
      base_url: set.model_base_url,
      has_key: set.model_api_key !== null,
    };
    const opened = await orRefusal(world.openModel());
    if (opened instanceof RelayError) return { ...shown, ready: false, sentence: opened.message };
    const { provider, name } = opened;
    return { ...shown, provider, name, ready: true, sentence: `${name} at ${provider}.` };
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    const nothing = { provider: null, name: null, base_url: null, has_key: true };
    return { ...nothing, ready: false, sentence: error.message };
  }
}

async function searchShown(world: OwnersWorld): Promise<ShownSettings['web_search']> {
  const key = await orRefusal(readBraveKey(world.home, world.sealer, world.braveKey));
  return { has_key: key !== null };
}

const orRefusal = <T>(answer: Promise<T>): Promise<T | RelayError> =>
  answer.catch((error: unknown) => {
    if (error instanceof RelayError) return error;
    throw error;
  });

async function saveOwnersSettings(world: OwnersWorld, changed: ChangeSettings): Promise<void> {
  const { home, sealer } = world;
  refuseFromEnvironment(world, changed);
  const { running, rest } = apart(changed);
  await changeRunning(world, running);
  const { brave_api_key, ...model } = rest;
  if (brave_api_key !== undefined) await saveBraveKey(home, sealer, brave_api_key);
  if (Object.keys(model).length > 0) await saveModel(home, sealer, model);
  world.onChange(settingNames(changed));
}

function apart(changed: ChangeSettings) {
  const isRunning = (name: string) => name in changeRunningSchema.shape;
  const pick = (wanted: boolean) =>
    Object.fromEntries(Object.entries(changed).filter(([name]) => isRunning(name) === wanted));
  return { running: pick(true) as ChangeRunning, rest: pick(false) as Partial<OwnersSettings> };
}
