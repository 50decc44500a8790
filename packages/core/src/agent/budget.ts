// What all agents together may use in one of the owner's days: tokens, and money. Used up, it names the setting that
// would allow more. Pure.
import { RelayError } from '@relay/contract/errors';
import type { AgentSettings } from '@relay/contract/settings';

export interface DayUse {
  readonly tokens: number;
  /** Millionths of a US dollar. */
  readonly micros: number;
}

export const ZERO_DAY_USE: DayUse = { tokens: 0, micros: 0 };

/** Null while there is something left. */
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

// What a call of a model costs, in millionths of a US dollar. The owner's own prices count first; without them a price
// is assumed for providers that bill by the token, rather too high than too low. Pure.

/** In US dollars for a million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
}

export type PriceSettings = Pick<
  AgentSettings,
  'usd_per_million_input_tokens' | 'usd_per_million_output_tokens'
>;

const ASSUMED: Readonly<Record<string, Price>> = {
  anthropic: { input: 5, output: 25 },
  openai: { input: 2.5, output: 15 },
  google: { input: 2.5, output: 15 },
};

const FREE: Price = { input: 0, output: 0 };

export interface ModelPrice extends Price {
  /** `unknown`: nobody said, so its calls count as free. */
  readonly from: 'settings' | 'assumed' | 'unknown';
}

export function modelPriceFor(provider: string, settings: PriceSettings): ModelPrice {
  const { usd_per_million_input_tokens: input, usd_per_million_output_tokens: output } = settings;
  const assumed = Object.hasOwn(ASSUMED, provider) ? ASSUMED[provider] : undefined;
  const known = assumed ?? FREE;
  if (input !== null || output !== null) {
    return { input: input ?? known.input, output: output ?? known.output, from: 'settings' };
  }
  return { ...known, from: assumed === undefined ? 'unknown' : 'assumed' };
}

/** A dollar for a million tokens is a millionth of a dollar for one. */
export const costMicros = (
  { input, output }: Price,
  tokens: { readonly inputTokens: number; readonly outputTokens: number },
): number => Math.ceil(tokens.inputTokens * input + tokens.outputTokens * output);
