// What models were asked since the start of the daemon. The rows are the truth: each scrape reads their sums, so
// nothing is counted twice or forgotten.
import { Counter, type Registry } from 'prom-client';
import type { ModelUse } from '../store/model-use.ts';

export function modelFigures(registry: Registry): (used: readonly ModelUse[]) => void {
  const registers = [registry];
  const runs = new Counter({
    name: 'relay_model_runs_total',
    help: 'Turns that a model was asked for, by who asked and how they ended.',
    labelNames: ['actor', 'state'],
    registers,
  });
  const tokens = new Counter({
    name: 'relay_model_tokens_total',
    help: 'Tokens given to models and taken from them.',
    labelNames: ['actor', 'direction'],
    registers,
  });
  const seconds = new Counter({
    name: 'relay_model_run_seconds_total',
    help: 'How long those turns took together.',
    labelNames: ['actor'],
    registers,
  });
  return (used) => {
    for (const counter of [runs, tokens, seconds]) counter.reset();
    for (const { actor, state, count, input, output, took } of used) {
      runs.inc({ actor, state }, count);
      tokens.inc({ actor, direction: 'in' }, input);
      tokens.inc({ actor, direction: 'out' }, output);
      seconds.inc({ actor }, took);
    }
  };
}
