// The model providers by the names that settings and commands use, and what can be said about each without its SDK. The
// daemon, the command and the console share this table.

export const PROVIDER_NAMES = [
  'anthropic',
  'openai',
  'google',
  'openrouter',
  'groq',
  'mistral',
  'ollama',
  'lm-studio',
  'llama.cpp',
  'vllm',
  'openai-compatible',
] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

interface ProviderSpec {
  /** The provider's own spelling of its name. */
  readonly title: string;
  /** The default model; null if no default suits everybody. */
  readonly model: string | null;
  /** The default address of the API; null if it has to be given. */
  readonly baseUrl: string | null;
  /** The environment variables that may hold the key; none for a self-hosted server, which needs no key. */
  readonly keyVariables: readonly string[];
  /** Where a key is created. */
  readonly keyPage?: string;
  /** How a self-hosted server is started. */
  readonly start?: string;
  /** Its models can see pictures. Elsewhere it depends on the model, and the owner says so. */
  readonly vision?: true;
  /** Its transcription, where it is offered at an address that speaks OpenAI's protocol. */
  readonly transcription?: { readonly model: string };
  /** Its embeddings, where they are offered at an address that speaks OpenAI's protocol. */
  readonly embeddings?: { readonly model: string; readonly baseUrl: string };
}

export const PROVIDERS: Readonly<Record<ProviderName, ProviderSpec>> = {
  anthropic: {
    title: 'Anthropic',
    model: 'claude-sonnet-5',
    baseUrl: 'https://api.anthropic.com/v1',
    keyVariables: ['ANTHROPIC_API_KEY'],
    keyPage: 'https://platform.claude.com/settings/keys',
    vision: true,
  },
  openai: {
    title: 'OpenAI',
    model: 'gpt-5-mini',
    baseUrl: 'https://api.openai.com/v1',
    keyVariables: ['OPENAI_API_KEY'],
    keyPage: 'https://platform.openai.com/api-keys',
    vision: true,
    transcription: { model: 'gpt-4o-mini-transcribe' },
    embeddings: { model: 'text-embedding-3-small', baseUrl: 'https://api.openai.com/v1' },
  },
  google: {
    title: 'Google',
    model: 'gemini-flash-latest',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    keyVariables: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
    keyPage: 'https://aistudio.google.com/apikey',
    vision: true,
    embeddings: {
      model: 'gemini-embedding-001',
      baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    },
  },
  openrouter: {
    title: 'OpenRouter',
    model: null,
    baseUrl: 'https://openrouter.ai/api/v1',
    keyVariables: ['OPENROUTER_API_KEY'],
    keyPage: 'https://openrouter.ai/settings/keys',
    embeddings: { model: 'openai/text-embedding-3-small', baseUrl: 'https://openrouter.ai/api/v1' },
  },
  groq: {
    title: 'Groq',
    model: null,
    baseUrl: 'https://api.groq.com/openai/v1',
    keyVariables: ['GROQ_API_KEY'],
    keyPage: 'https://console.groq.com/keys',
    transcription: { model: 'whisper-large-v3-turbo' },
  },
  mistral: {
    title: 'Mistral',
    model: 'mistral-large-latest',
    baseUrl: 'https://api.mistral.ai/v1',
    keyVariables: ['MISTRAL_API_KEY'],
    keyPage: 'https://console.mistral.ai/api-keys',
    embeddings: { model: 'mistral-embed', baseUrl: 'https://api.mistral.ai/v1' },
  },
  ollama: {
    title: 'Ollama',
    model: null,
    baseUrl: 'http://127.0.0.1:11434/v1',
    keyVariables: [],
    start: 'ollama serve',
  },
  'lm-studio': {
    title: 'LM Studio',
    model: null,
    baseUrl: 'http://127.0.0.1:1234/v1',
    keyVariables: [],
    start: 'lms server start',
  },
  'llama.cpp': {
    title: 'llama.cpp',
    model: null,
    baseUrl: 'http://127.0.0.1:8080/v1',
    keyVariables: [],
    start: 'llama-server -m model.gguf --jinja --port 8080',
  },
  vllm: {
    title: 'vLLM',
    model: null,
    baseUrl: 'http://127.0.0.1:8000/v1',
    keyVariables: [],
    start: 'vllm serve <model> --enable-auto-tool-choice',
  },
  'openai-compatible': {
    title: 'OpenAI-compatible server',
    model: null,
    baseUrl: null,
    keyVariables: [],
  },
};

/** Parses a provider's name as a person typed it, such as "LM Studio"; null if it is unknown. */
export function parseProviderName(text: string): ProviderName | null {
  const letters = (name: string) => name.toLowerCase().replace(/[\s._-]/g, '');
  return PROVIDER_NAMES.find((one) => letters(one) === letters(text)) ?? null;
}

export const isKeyless = (provider: ProviderName): boolean =>
  PROVIDERS[provider].keyVariables.length === 0;
