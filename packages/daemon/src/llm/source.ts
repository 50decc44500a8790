// The model as it is set up at this moment: settings are read at each turn, and the model is opened anew
// only when they have changed.
import type { ModelSettings } from '@relay/core/settings';
import { type OpenedModel, openModel } from './open.ts';

export function modelSource(read: () => Promise<ModelSettings>): { open(): Promise<OpenedModel> } {
  let last: { readonly settings: string; readonly opened: Promise<OpenedModel> } | null = null;
  return {
    async open() {
      const settings = await read();
      const key = JSON.stringify(settings);
      if (last?.settings !== key) last = { settings: key, opened: openModel(settings) };
      const { opened } = last;
      return opened;
    },
  };
}
