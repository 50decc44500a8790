// The model providers by the names that settings and commands use. The daemon and the command share this list.

export const PROVIDER_NAMES = [
  'anthropic',
  'openai',
  'google',
  'ollama',
  'vllm',
  'openai-compatible',
] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** Parses a provider's name as a person typed it; null if it is unknown. */
export function parseProviderName(text: string): ProviderName | null {
  const name = text.trim().toLowerCase();
  return PROVIDER_NAMES.find((one) => one === name) ?? null;
}

/** The environment variables that may hold a provider's key; none for a self-hosted server, which needs no key. */
export const KEY_VARIABLES: Readonly<Record<ProviderName, readonly string[]>> = {
  anthropic: ['ANTHROPIC_API_KEY'],
  openai: ['OPENAI_API_KEY'],
  google: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
  ollama: [],
  vllm: [],
  'openai-compatible': [],
};

export const isKeyless = (provider: ProviderName): boolean => KEY_VARIABLES[provider].length === 0;
