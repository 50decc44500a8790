// What the owner changes over the API, each setting kept the way it has to be.
import type { Sealer } from '@relay/core/ports/sealer';
import type { OwnersSettings } from '@relay/core/settings';
import { saveBraveKey } from './brave-key.ts';
import { saveModel } from './model.ts';

export async function saveOwnersSettings(
  home: string,
  sealer: Sealer,
  { brave_api_key, ...model }: Partial<OwnersSettings>,
): Promise<void> {
  if (brave_api_key !== undefined) await saveBraveKey(home, sealer, brave_api_key);
  if (Object.keys(model).length > 0) await saveModel(home, sealer, model);
}
