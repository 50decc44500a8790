// The key of the web search: the environment first, then `relay.config.json`, read anew each time. Without one
// nobody searches the web.
import { RelayError } from '@relay/core/errors';
import type { Sealer } from '@relay/core/ports/sealer';
import { settingsSchema } from '@relay/core/settings';
import { sealedSetting } from './sealed-setting.ts';
import { readSettings, saveSettings } from './settings.ts';

const setting = sealedSetting(
  'brave_api_key',
  (cause) => new RelayError('brave_key_sealed', {}, { cause }),
);

export async function readBraveKey(
  home: string,
  sealer: Sealer,
  given: string | null,
): Promise<string | null> {
  if (given !== null) return given;
  const { brave_api_key: written } = settingsSchema.parse(await readSettings(home));
  return written === null ? null : setting.opened(sealer, written);
}

/** Null takes it away. */
export async function saveBraveKey(
  home: string,
  sealer: Sealer,
  key: string | null,
): Promise<void> {
  await saveSettings(home, { brave_api_key: key === null ? null : setting.sealed(sealer, key) });
}
