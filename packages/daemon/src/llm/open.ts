// From settings to a model that can be called. What is missing is named with the setting that would
// give it; nothing is asked of the provider before a turn does.
import { RelayError } from '@relay/core/errors';
import type { ModelSettings } from '@relay/core/settings';
import type { LanguageModel } from 'ai';
import { PROVIDERS, type Provider } from './providers.ts';

export interface OpenedModel {
  readonly model: Exclude<LanguageModel, string>;
  readonly provider: string;
  readonly name: string;
}

export async function openModel(settings: ModelSettings): Promise<OpenedModel> {
  const { provider, row } = providerOf(settings);
  const name = settings.model_name ?? row.model;
  if (name === null) throw missing(`"model_name" is not set (${provider} has no default)`);
  const apiKey = settings.model_api_key;
  if (apiKey === null && row.needsKey)
    throw missing(`"model_api_key" is not set, and ${provider} needs one`);
  const baseUrl = settings.model_base_url ?? row.baseUrl;
  if (baseUrl === null && row.needsBaseUrl)
    throw missing('"model_base_url" is not set: the address of a server such as vLLM');
  const model = await row.open({ model: name, apiKey, baseUrl });
  return { model, provider, name };
}

function providerOf(settings: ModelSettings): { provider: string; row: Provider } {
  const { model_provider: asked, model_base_url } = settings;
  const provider = asked?.trim().toLowerCase() || (model_base_url ? 'openai-compatible' : null);
  if (provider === null) throw missing('"model_provider" is not set');
  const row = Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider] : undefined;
  if (row !== undefined) return { provider, row };
  throw missing(`"model_provider" is none of ${Object.keys(PROVIDERS).join(', ')}`);
}

const missing = (what: string): RelayError => new RelayError('agent_unavailable', { what });
