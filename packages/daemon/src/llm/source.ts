// The model as it is set up at this moment: settings are read at each turn, and a model is opened anew only
// when they have changed. Who wishes for another model gets it from the same provider.
import type { PriceSettings } from '@relay/core/agent/prices';
import type { ModelSettings } from '@relay/core/settings';
import { type OpenedModel, openModel } from './open.ts';

export interface ModelWish {
  /** In the place of the one that is set. */
  readonly model?: string;
}

export function modelSource(
  read: () => Promise<ModelSettings>,
  prices?: PriceSettings,
): {
  open(wish?: ModelWish): Promise<OpenedModel>;
} {
  let set = '';
  const models = new Map<string | null, Promise<OpenedModel>>();
  return {
    async open({ model } = {}) {
      const settings = await read();
      const now = JSON.stringify(settings);
      if (now !== set) models.clear();
      set = now;
      const name = model ?? settings.model_name;
      const opened = models.get(name) ?? openModel({ ...settings, model_name: name }, prices);
      models.set(name, opened);
      return opened;
    },
  };
}
