// Provides the configured model: settings are read at each turn, and a model is reopened only when they have changed. A
// caller that asks for another model gets it from the same provider.

import {
  isKeyless,
  PROVIDER_NAMES,
  PROVIDERS,
  type ProviderName,
  parseProviderName,
} from '@relay/contract/agent/providers';
import { RelayError } from '@relay/contract/errors';
import type { AccountModel, AgentSettings, ModelSettings } from '@relay/contract/settings';
import { type ModelPrice, modelPriceFor, type PriceSettings } from '@relay/core/agent/budget';
import type { LanguageModel } from 'ai';
import { createPublicFetch } from '../platform/egress/egress.ts';

interface ModelOverride {
  /** Overrides the configured model. */
  readonly model?: string;
}

export function createModelSource(
  read: () => Promise<AccountModel>,
  agent?: PriceSettings & Partial<Pick<AgentSettings, 'vision'>>,
): {
  open(request?: ModelOverride): Promise<ConfiguredModel>;
} {
  let set = '';
  const models = new Map<string | null, Promise<ConfiguredModel>>();
  return {
    async open({ model } = {}) {
      const settings = await read();
      const now = JSON.stringify(settings);
      if (now !== set) models.clear();
      set = now;
      const name = model ?? settings.model_name;
      const opened = models.get(name) ?? openModel({ ...settings, model_name: name }, agent);
      models.set(name, opened);
      return opened;
    },
  };
}

// Opens a model from the settings. An error names the missing setting; the provider is not contacted before a turn.

const NO_PRICES: PriceSettings = {
  usd_per_million_input_tokens: null,
  usd_per_million_output_tokens: null,
};

interface ConfiguredModel {
  readonly model: Exclude<LanguageModel, string>;
  readonly provider: string;
  readonly name: string;
  readonly price: ModelPrice;
  readonly vision: boolean;
}

export async function openModel(
  settings: AccountModel,
  agent: NonNullable<Parameters<typeof createModelSource>[1]> = NO_PRICES,
): Promise<ConfiguredModel> {
  const provider = providerOf(settings);
  const name = settings.model_name ?? PROVIDERS[provider].model;
  if (name === null) throw missingSetting(`"model_name" is not set (${provider} has no default)`);
  const apiKey = settings.model_api_key;
  if (apiKey === null && !isKeyless(provider))
    throw missingSetting(`"model_api_key" is not set, and ${provider} needs one`);
  const baseUrl = settings.model_base_url ?? PROVIDERS[provider].baseUrl;
  if (baseUrl === null)
    throw missingSetting('"model_base_url" is not set: the address of a server such as vLLM');
  const model = await OPEN_CLIENT[provider]({
    ...{ model: name, apiKey, baseUrl },
    isForeign: settings.isForeign === true,
  });
  const vision = agent.vision ?? PROVIDERS[provider].vision ?? false;
  return { model, provider, name, price: modelPriceFor(provider, agent), vision };
}

export function providerOf({ model_provider: asked, model_base_url }: ModelSettings): ProviderName {
  if (!asked?.trim()) {
    if (model_base_url) return 'openai-compatible';
    throw missingSetting('"model_provider" is not set');
  }
  const provider = parseProviderName(asked);
  if (provider !== null) return provider;
  throw missingSetting(`"model_provider" must be one of ${PROVIDER_NAMES.join(', ')}`);
}

const missingSetting = (what: string): RelayError => new RelayError('agent_unavailable', { what });

// The supported providers. A provider's package is loaded only if it was chosen; a base URL without a provider is taken
// for a server that speaks OpenAI's protocol.

/** Never a string: the SDK would send the name to a gateway on the internet. */
type ModelObject = Exclude<LanguageModel, string>;

interface ModelAccess {
  readonly model: string;
  readonly apiKey: string | null;
  readonly baseUrl: string;
  readonly isForeign: boolean;
}

type OpenModelClient = (access: ModelAccess) => Promise<ModelObject>;

const clientOptions = ({ apiKey, baseUrl, isForeign }: ModelAccess) => ({
  ...(apiKey === null ? {} : { apiKey }),
  ...(isForeign ? { fetch: createPublicFetch() } : {}),
  baseURL: baseUrl,
});

const openAiCompatible =
  (name: string): OpenModelClient =>
  async (access) => {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    return createOpenAICompatible({
      name,
      includeUsage: true,
      ...clientOptions(access),
    }).chatModel(access.model);
  };

const OPEN_CLIENT: Readonly<Record<ProviderName, OpenModelClient>> = {
  async anthropic(access) {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return createAnthropic(clientOptions(access))(access.model);
  },
  async openai(access) {
    const { createOpenAI } = await import('@ai-sdk/openai');
    // Called as a function it would use /responses, which stores conversations at the provider.
    return createOpenAI(clientOptions(access)).chat(access.model);
  },
  async google(access) {
    const { createGoogle } = await import('@ai-sdk/google');
    return createGoogle(clientOptions(access))(access.model);
  },
  openrouter: openAiCompatible('openrouter'),
  groq: openAiCompatible('groq'),
  mistral: openAiCompatible('mistral'),
  ollama: openAiCompatible('ollama'),
  'lm-studio': openAiCompatible('lm-studio'),
  'llama.cpp': openAiCompatible('llama.cpp'),
  vllm: openAiCompatible('vllm'),
  'openai-compatible': openAiCompatible('openai-compatible'),
};
