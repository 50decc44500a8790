// `relay eval`: the sets that ship with Relay, run against the owner's own model. It reads no chat of the
// owner and sends nothing to anybody; all it does outside of itself is to count what it spent.
import type { EvalRequest, EvalSet } from '@relay/core/api/eval';
import { RelayError } from '@relay/core/errors';
import type { DayCase } from '@relay/core/eval/days';
import { spreadOver } from '@relay/core/eval/score';
import type { TriggerCase } from '@relay/core/eval/trigger';
import type { EvalVerbs } from '@relay/core/ports/eval';
import { asking, type EvalWorld, leftToday } from './ask.ts';
import { type Cost, NOTHING, together } from './cost.ts';
import { digestCost, runDigests } from './digest.ts';
import { readDigestSet, readTriggerSet } from './sets.ts';
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
        const { trigger, digest } = await choose(request);
        const asked = asking(world, model, signal);
        const told = (set: EvalSet, { calls: of }: Cost) => {
          let done = 0;
          return { places: PLACES, done: () => sink({ type: 'progress', set, done: ++done, of }) };
        };
        const report = {
          provider: model.provider,
          model: model.name,
          spent: asked.spent,
          trigger:
            trigger && (await runTriggers(trigger, asked, told('trigger', triggerCost(trigger)))),
          digest: digest && (await runDigests(digest, asked, told('digest', digestCost(digest)))),
        };
        sink({ type: 'done', report });
      } finally {
        running = false;
      }
    },
  };
}

interface Chosen {
  readonly trigger: readonly TriggerCase[] | null;
  readonly digest: readonly DayCase[] | null;
}

async function choose({ set, limit }: EvalRequest): Promise<Chosen> {
  const wanted = (name: EvalSet) => set === 'all' || set === name;
  return {
    trigger: wanted('trigger') ? spreadOver(await readTriggerSet(), limit) : null,
    digest: wanted('digest') ? spreadOver(await readDigestSet(), limit) : null,
  };
}

const costOf = ({ trigger, digest }: Chosen): Cost =>
  together(
    trigger === null ? NOTHING : triggerCost(trigger),
    digest === null ? NOTHING : digestCost(digest),
  );
