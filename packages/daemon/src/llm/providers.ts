// Whose models agents can use. A provider's package is loaded when it is the one that was chosen; an
// address alone is taken for that of a server that speaks OpenAI's protocol.
import type { ProviderName } from '@relay/core/agent/providers';
import type { LanguageModel } from 'ai';

/** Never a name: the SDK would take that to a gateway on the internet. */
type ModelObject = Exclude<LanguageModel, string>;

export interface Access {
  readonly model: string;
  readonly apiKey: string | null;
  readonly baseUrl: string | null;
}

export interface Provider {
  /** The model when none is named; null where no name is right for everybody. */
  readonly model: string | null;
  /** Null: the package knows it, or there is none to guess. */
  readonly baseUrl: string | null;
  readonly needsBaseUrl: boolean;
  open(access: Access): Promise<ModelObject>;
}

const given = ({ apiKey, baseUrl }: Access) => ({
  ...(apiKey === null ? {} : { apiKey }),
  ...(baseUrl === null ? {} : { baseURL: baseUrl }),
});

const compatible = (name: string, baseUrl: string | null): Provider => ({
  model: null,
  baseUrl,
  needsBaseUrl: baseUrl === null,
  async open(access) {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const { apiKey } = access;
    return createOpenAICompatible({
      name,
      baseURL: access.baseUrl ?? '',
      includeUsage: true,
      ...(apiKey === null ? {} : { apiKey }),
    }).chatModel(access.model);
  },
});

export const PROVIDERS: Readonly<Record<ProviderName, Provider>> = {
  anthropic: {
    model: 'claude-sonnet-5',
    baseUrl: null,
    needsBaseUrl: false,
    async open(access) {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic(given(access))(access.model);
    },
  },
  openai: {
    model: 'gpt-5-mini',
    baseUrl: null,
    needsBaseUrl: false,
    async open(access) {
      const { createOpenAI } = await import('@ai-sdk/openai');
      // Called as a function it would speak to /responses, which keeps conversations at the provider.
      return createOpenAI(given(access)).chat(access.model);
    },
  },
  google: {
    model: 'gemini-flash-latest',
    baseUrl: null,
    needsBaseUrl: false,
    async open(access) {
      const { createGoogle } = await import('@ai-sdk/google');
      return createGoogle(given(access))(access.model);
    },
  },
  'openai-compatible': compatible('openai-compatible', null),
  vllm: compatible('vllm', 'http://127.0.0.1:8000/v1'),
  ollama: compatible('ollama', 'http://127.0.0.1:11434/v1'),
};
