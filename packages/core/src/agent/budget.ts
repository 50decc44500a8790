// The daily budget of all agents, in tokens and money, and the price of a model call. When it is used up, the error
// names the setting that would allow more.
import { type ProviderName, parseProviderName } from '@relay/contract/agent/providers';
import { RelayError } from '@relay/contract/errors';
import type { AgentSettings } from '@relay/contract/settings';

export interface DayUse {
  readonly tokens: number;
  /** Millionths of a US dollar. */
  readonly micros: number;
}

export const ZERO_DAY_USE: DayUse = { tokens: 0, micros: 0 };

/** Null while there is budget left. */
export function dayBudgetError(
  { tokens_per_day, usd_per_day }: Pick<AgentSettings, 'tokens_per_day' | 'usd_per_day'>,
  { tokens, micros }: DayUse,
): RelayError | null {
  if (tokens >= tokens_per_day) {
    return new RelayError('budget_spent', {
      whom: 'today',
      used: tokens,
      limit: tokens_per_day,
      setting: 'agent.tokens_per_day',
    });
  }
  const used = micros / 1_000_000;
  return used < usd_per_day
    ? null
    : new RelayError('money_spent', { used: used.toFixed(2), limit: usd_per_day.toFixed(2) });
}

// The cost of a model call, in millionths of a US dollar. The owner's prices take precedence; without them a rather
// high price is assumed for providers that bill by the token.

/** US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
}

export type PriceSettings = Pick<
  AgentSettings,
  'usd_per_million_input_tokens' | 'usd_per_million_output_tokens'
>;

/** Null: no price is known, so calls count as free unless the owner sets one. */
const ASSUMED: Readonly<Record<ProviderName, Price | null>> = {
  anthropic: { input: 5, output: 25 },
  openai: { input: 2.5, output: 15 },
  google: { input: 2.5, output: 15 },
  // Its models differ widely in price.
  openrouter: { input: 5, output: 25 },
  groq: { input: 1, output: 3 },
  mistral: { input: 2, output: 6 },
  ollama: null,
  'lm-studio': null,
  'llama.cpp': null,
  vllm: null,
  'openai-compatible': null,
};

const FREE: Price = { input: 0, output: 0 };

export interface ModelPrice extends Price {
  /** `unknown`: no price is known, so its calls count as free. */
  readonly from: 'settings' | 'assumed' | 'unknown';
}

export function modelPriceFor(provider: string, settings: PriceSettings): ModelPrice {
  const { usd_per_million_input_tokens: input, usd_per_million_output_tokens: output } = settings;
  const name = parseProviderName(provider);
  const assumed = name === null ? null : ASSUMED[name];
  const known = assumed ?? FREE;
  if (input !== null || output !== null) {
    return { input: input ?? known.input, output: output ?? known.output, from: 'settings' };
  }
  return { ...known, from: assumed === null ? 'unknown' : 'assumed' };
}

/** A dollar per million tokens is a millionth of a dollar per token. */
export const costMicros = (
  { input, output }: Price,
  tokens: { readonly inputTokens: number; readonly outputTokens: number },
): number => Math.ceil(tokens.inputTokens * input + tokens.outputTokens * output);
