// Relay's own sets run against the owner's model, as the route calls it. Implemented by the daemon's `eval`;
// every refusal is a RelayError from the one table.
import type { EvalEvent, EvalPlan, EvalRequest } from '../api/eval.ts';

export interface EvalVerbs {
  /** Asks no model. */
  plan(request: EvalRequest): Promise<EvalPlan>;
  /**
   * Resolves when the last event was told: `done` or `error`. Aborting the signal ends it; what was spent
   * by then is counted. One at a time.
   */
  run(request: EvalRequest, sink: (event: EvalEvent) => void, signal: AbortSignal): Promise<void>;
}
