// What all agents together may use in one of the owner's days: tokens, and money. Used up, it names the setting that
// would allow more. Pure.
import { RelayError } from '../errors.ts';
import type { AgentSettings } from '../settings.ts';

export interface DayUse {
  readonly tokens: number;
  /** Millionths of a US dollar. */
  readonly micros: number;
}

export const NOTHING_USED: DayUse = { tokens: 0, micros: 0 };

/** Null while there is something left. */
export function dayBudgetSpent(
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
