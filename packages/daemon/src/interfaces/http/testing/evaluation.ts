// Fixtures for an evaluation: its estimated cost, and a report.
import type { EvalPlan, EvalReport } from '@relay/contract/api/eval';
import { triggerReport } from '@relay/core/eval/trigger-set';

export const evalPlan: EvalPlan = {
  provider: 'scripted',
  model: 'scripted',
  calls: 1,
  input_tokens: 700,
  output_tokens: 15,
  left_today: 2_000_000,
};

export const evalReport: EvalReport = {
  provider: 'scripted',
  model: 'scripted',
  spent: { calls: 0, input_tokens: 0, output_tokens: 0 },
  trigger: triggerReport([]),
  digest: null,
};
