// What a set is going to cost, before anybody is asked.
import type { EvalPlan } from '@relay/core/api/eval';

export type Cost = Pick<EvalPlan, 'calls' | 'input_tokens' | 'output_tokens'>;

export const NOTHING: Cost = { calls: 0, input_tokens: 0, output_tokens: 0 };

export const together = (one: Cost, other: Cost): Cost => ({
  calls: one.calls + other.calls,
  input_tokens: one.input_tokens + other.input_tokens,
  output_tokens: one.output_tokens + other.output_tokens,
});
