// Settings of a model for tests.
import type { ModelSettings } from '@relay/contract/settings';

export const modelSettingsOf = (given: Partial<ModelSettings>): ModelSettings => ({
  model_provider: null,
  model_name: null,
  model_api_key: null,
  model_base_url: null,
  ...given,
});
