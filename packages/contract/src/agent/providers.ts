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

const KEYLESS: readonly ProviderName[] = ['ollama', 'vllm', 'openai-compatible'];

/** Whether the provider is a self-hosted server that needs no key. */
export const isKeyless = (provider: ProviderName): boolean => KEYLESS.includes(provider);
