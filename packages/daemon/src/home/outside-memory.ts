// Where digests go outside of Relay, as the owner has set it: `outside_memory` of `relay.config.json`, read anew each
// time. The secret of the webhook lies there sealed for this home.
import { RelayError } from '@relay/core/errors';
import type { Sealer } from '@relay/core/ports/sealer';
import { type OutsideMemorySettings, settingsSchema } from '@relay/core/settings';
import { sealedSetting } from './sealed-setting.ts';
import { readSettings, saveSettings } from './settings.ts';

const secret = sealedSetting(
  'webhook_secret',
  (cause) => new RelayError('webhook_secret_sealed', {}, { cause }),
);

/** As written, with the secret still sealed. */
const written = async (home: string): Promise<OutsideMemorySettings> =>
  settingsSchema.parse(await readSettings(home)).outside_memory;

/** A secret that is sealed for another home keeps nobody from writing to a folder. */
export async function readOutsideMemory(
  home: string,
  sealer: Sealer,
): Promise<OutsideMemorySettings> {
  const settings = await written(home);
  const { webhook_url, webhook_secret } = settings;
  if (webhook_url === null || webhook_secret === null) return settings;
  return { ...settings, webhook_secret: secret.opened(sealer, webhook_secret) };
}

export async function saveOutsideMemory(
  home: string,
  sealer: Sealer,
  changed: Partial<OutsideMemorySettings>,
): Promise<OutsideMemorySettings> {
  const { webhook_secret: given } = changed;
  const sealed = typeof given === 'string' ? { webhook_secret: secret.sealed(sealer, given) } : {};
  const settings = { ...(await written(home)), ...changed, ...sealed };
  await saveSettings(home, { outside_memory: settings });
  return settings;
}
