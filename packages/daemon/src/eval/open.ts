// `relay eval`: the sets that ship with Relay, run against the owner's own model. It reads no chat of the
// owner and sends nothing to anybody; all it does outside of itself is to count what it spent.
import type { EvalRequest, EvalSet } from '@relay/core/api/eval';
import { RelayError } from '@relay/core/errors';
import { spreadOver } from '@relay/core/eval/score';
import type { TriggerCase } from '@relay/core/eval/trigger';
import type { EvalVerbs } from '@relay/core/ports/eval';
import { asking, type EvalWorld, leftToday } from './ask.ts';
import { type Cost, NOTHING, together } from './cost.ts';
import { readTriggerSet } from './sets.ts';
import { runTriggers, triggerCost } from './trigger.ts';

/** Questions at once: a model on the same machine has no use for more, one elsewhere answers soon enough. */
const PLACES = 4;

export function openEval(world: EvalWorld): EvalVerbs {
  let running = false;
  return {
    async plan(request) {
      const { provider, name } = await world.models.open();
      const chosen = await choose(request);
      return { provider, model: name, ...costOf(chosen), left_today: await leftToday(world) };
    },
    async run(request, sink, signal) {
      if (running) throw new RelayError('eval_running');
      running = true;
      try {
        const model = await world.models.open();
        const chosen = await choose(request);
        const asked = asking(world, model, signal);
        const progress = (set: EvalSet, of: number) => {
          let done = 0;
          return { places: PLACES, done: () => sink({ type: 'progress', set, done: ++done, of }) };
        };
        const { calls } = chosen.trigger === null ? NOTHING : triggerCost(chosen.trigger);
        const trigger =
          chosen.trigger === null
            ? null
            : await runTriggers(chosen.trigger, asked, progress('trigger', calls));
        const { provider, name } = model;
        const report = { provider, model: name, spent: asked.spent, trigger, digest: null };
        sink({ type: 'done', report });
      } finally {
        running = false;
      }
    },
  };
}

interface Chosen {
  readonly trigger: readonly TriggerCase[] | null;
}

async function choose({ set, limit }: EvalRequest): Promise<Chosen> {
  const wanted = (name: EvalSet) => set === 'all' || set === name;
  return {
    trigger: wanted('trigger') ? spreadOver(await readTriggerSet(), limit) : null,
  };
}

const costOf = ({ trigger }: Chosen): Cost =>
  together(trigger === null ? NOTHING : triggerCost(trigger), NOTHING);
