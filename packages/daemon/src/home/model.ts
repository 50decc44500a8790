// The model as the owner has set it up: the environment first, then `relay.config.json`, read anew each time.
// Its key lies there sealed for this home; one that somebody wrote by hand is taken as it stands.

import { providerNamed } from '@relay/core/agent/providers';
import { RelayError } from '@relay/core/errors';
import type { Sealer } from '@relay/core/ports/sealer';
import { type ModelSettings, settingsSchema } from '@relay/core/settings';
import { sealedSetting } from './sealed-setting.ts';
import { readSettings, saveSettings } from './settings.ts';

export interface ModelEnvironment {
  readonly given: ModelSettings;
  readonly keys: Readonly<Record<string, string>>;
}

const apiKey = sealedSetting(
  'model_api_key',
  (cause) => new RelayError('model_key_sealed', {}, { cause }),
);

export async function readModel(
  home: string,
  sealer: Sealer,
  { given, keys }: ModelEnvironment,
): Promise<ModelSettings> {
  const written = settingsSchema.parse(await readSettings(home));
  const other = given.model_provider !== null && given.model_provider !== written.model_provider;
  // A key goes to the provider it was given for and to no other.
  const file = other ? NOTHING : written;
  const base = given.model_base_url ?? file.model_base_url;
  const provider =
    given.model_provider ?? file.model_provider ?? (base === null ? onlyKnown(keys) : null);
  return {
    model_provider: provider,
    model_name: given.model_name ?? file.model_name,
    model_base_url: base,
    model_api_key:
      given.model_api_key ??
      (file.model_api_key === null ? null : apiKey.opened(sealer, file.model_api_key)) ??
      keys[provider ?? ''] ??
      null,
  };
}

/** Fields that are not named stay, unless the provider becomes another: they were the former one's. */
export async function saveModel(
  home: string,
  sealer: Sealer,
  changed: Partial<ModelSettings>,
): Promise<void> {
  const before = settingsSchema.parse(await readSettings(home)).model_provider;
  const another =
    before !== null &&
    changed.model_provider !== undefined &&
    !isSameProvider(before, changed.model_provider);
  const key = changed.model_api_key;
  await saveSettings(home, {
    ...(another ? { model_name: null, model_api_key: null, model_base_url: null } : {}),
    ...changed,
    ...(typeof key === 'string' ? { model_api_key: apiKey.sealed(sealer, key) } : {}),
  });
}

/** Somebody may have written it by hand in another spelling. */
function isSameProvider(before: string, now: string | null): boolean {
  const spelled = (name: string) => providerNamed(name) ?? name;
  return now !== null && spelled(now) === spelled(before);
}

const NOTHING: ModelSettings = {
  model_provider: null,
  model_name: null,
  model_api_key: null,
  model_base_url: null,
};

const onlyKnown = (keys: Readonly<Record<string, string>>): string | null =>
  Object.keys(keys)[0] ?? null;
