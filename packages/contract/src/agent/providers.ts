// Whose models agents can use, by the names that settings and commands know them by. One place for the
// daemon, which opens them, and for the command, which asks for one.

export const PROVIDER_NAMES = [
  'anthropic',
  'openai',
  'google',
  'ollama',
  'vllm',
  'openai-compatible',
] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** As somebody wrote it; null for one that nobody knows. */
export function parseProviderName(text: string): ProviderName | null {
  const name = text.trim().toLowerCase();
  return PROVIDER_NAMES.find((one) => one === name) ?? null;
}

const KEYLESS: readonly ProviderName[] = ['ollama', 'vllm', 'openai-compatible'];

/** A server of one's own, which is reached without a key. */
export const isKeyless = (provider: ProviderName): boolean => KEYLESS.includes(provider);
