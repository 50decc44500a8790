// What the owner may look at, change and try of the settings.
import type { ChangeSettings, ModelTrial, ShownSettings } from '../api/settings.ts';

export interface SettingsVerbs {
  shown(): Promise<ShownSettings>;
  /** Those not named stay as they are. Refused as a whole where the environment sets one of them. */
  change(changed: ChangeSettings): Promise<void>;
  /** One short question to the model that is set up; a failure is an answer too. */
  tryModel(): Promise<ModelTrial>;
}
