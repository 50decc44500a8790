// From settings to a model that can be called. What is missing is named with the setting that would
// give it; nothing is asked of the provider before a turn does.

import { type ModelPrice, type PriceSettings, priceOf } from '@relay/core/agent/prices';
import {
  isKeyless,
  PROVIDER_NAMES,
  type ProviderName,
  providerNamed,
} from '@relay/core/agent/providers';
import { RelayError } from '@relay/core/errors';
import type { ModelSettings } from '@relay/core/settings';
import type { LanguageModel } from 'ai';
import { PROVIDERS } from './providers.ts';

const NO_PRICES: PriceSettings = {
  usd_per_million_input_tokens: null,
  usd_per_million_output_tokens: null,
};

export interface OpenedModel {
  readonly model: Exclude<LanguageModel, string>;
  readonly provider: string;
  readonly name: string;
  readonly price: ModelPrice;
}

export async function openModel(
  settings: ModelSettings,
  prices: PriceSettings = NO_PRICES,
): Promise<OpenedModel> {
  const provider = providerOf(settings);
  const row = PROVIDERS[provider];
  const name = settings.model_name ?? row.model;
  if (name === null) throw missing(`"model_name" is not set (${provider} has no default)`);
  const apiKey = settings.model_api_key;
  if (apiKey === null && !isKeyless(provider))
    throw missing(`"model_api_key" is not set, and ${provider} needs one`);
  const baseUrl = settings.model_base_url ?? row.baseUrl;
  if (baseUrl === null && row.needsBaseUrl)
    throw missing('"model_base_url" is not set: the address of a server such as vLLM');
  const model = await row.open({ model: name, apiKey, baseUrl });
  return { model, provider, name, price: priceOf(provider, prices) };
}

function providerOf({ model_provider: asked, model_base_url }: ModelSettings): ProviderName {
  if (!asked?.trim()) {
    if (model_base_url) return 'openai-compatible';
    throw missing('"model_provider" is not set');
  }
  const provider = providerNamed(asked);
  if (provider !== null) return provider;
  throw missing(`"model_provider" is none of ${PROVIDER_NAMES.join(', ')}`);
}

const missing = (what: string): RelayError => new RelayError('agent_unavailable', { what });
