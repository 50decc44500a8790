// The trigger set against a model: phase 1 as it is for every message, phase 2 for what it passes on, with
// the very prompt and the very reading that an observed group gets.
import { estimateTokens } from '@relay/core/agent/tokens';
import type { TriggerReport } from '@relay/core/api/eval';
import { INVENTED } from '@relay/core/eval/digest';
import {
  passesPhaseOne,
  questionOf,
  type TriggerCase,
  triggerReport,
} from '@relay/core/eval/trigger';
import { readTrigger } from '@relay/core/observer/trigger/answer';
import { triggerPrompt } from '@relay/core/observer/trigger/prompt';
import type { Asking, Question } from './ask.ts';
import type { Cost } from './cost.ts';
import { eachOf } from './pool.ts';

/** `{"label": "false_positive"}`, and a little more where a model likes to talk. */
const TOKENS_OF_A_LABEL = 15;

export function triggerCost(cases: readonly TriggerCase[]): Cost {
  const questions = cases.filter(passesPhaseOne).map(promptOf);
  return {
    calls: questions.length,
    input_tokens: questions.reduce((sum, each) => sum + tokensOf(each), 0),
    output_tokens: questions.length * TOKENS_OF_A_LABEL,
  };
}

export async function runTriggers(
  cases: readonly TriggerCase[],
  asking: Asking,
  told: { readonly places: number; done(): void },
): Promise<TriggerReport> {
  const sorted = await eachOf(cases, told.places, async (given) => {
    if (!passesPhaseOne(given)) return { given };
    const answer = await asking.ask(promptOf(given));
    told.done();
    return { given, label: answer === null ? null : readTrigger(answer) };
  });
  return triggerReport(sorted);
}

const promptOf = (given: TriggerCase): Question => triggerPrompt(questionOf(given), INVENTED);
const tokensOf = ({ instructions, text }: Question): number =>
  estimateTokens(instructions.text + text.text);
