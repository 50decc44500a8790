// How memory finds things by meaning, as the owner has set it up: `memory` of `relay.config.json`, read anew each
// time. The endpoint's key lies there sealed for this home.
import { RelayError } from '@relay/core/errors';
import type { Sealer } from '@relay/core/ports/sealer';
import { type MemorySettings, settingsSchema } from '@relay/core/settings';
import { sealedSetting } from './sealed-setting.ts';
import { readSettings, saveSettings } from './settings.ts';

const apiKey = sealedSetting(
  'endpoint_api_key',
  (cause) => new RelayError('embeddings_key_sealed', {}, { cause }),
);

export async function readMemory(home: string, sealer: Sealer): Promise<MemorySettings> {
  const { memory } = settingsSchema.parse(await readSettings(home));
  const { endpoint_api_key: written } = memory;
  if (written === null || memory.embeddings !== 'endpoint') return memory;
  return { ...memory, endpoint_api_key: apiKey.opened(sealer, written) };
}

export async function saveMemory(
  home: string,
  sealer: Sealer,
  memory: MemorySettings,
): Promise<void> {
  const key = memory.endpoint_api_key;
  await saveSettings(home, {
    memory: { ...memory, endpoint_api_key: key === null ? null : apiKey.sealed(sealer, key) },
  });
}
