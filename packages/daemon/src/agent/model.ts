// One call of a model: no SDK retries, no SDK tool runs, no telemetry. Tried again by our own table, and
// what it cost is told and waited for before its answer counts.
import { estimateTokens } from '@relay/core/agent/tokens';
import { RelayError } from '@relay/core/errors';
import type { Spent } from '@relay/core/ports/turn';
import { delayFor, RETRY } from '@relay/core/retry';
import type { GenerateTextResult, LanguageModel, ModelMessage, ToolSet } from 'ai';
import type { Clock } from './clock.ts';
import type { Failure } from './failure.ts';
import { sdk } from './sdk.ts';
import { within } from './within.ts';

/** Never a name: the SDK would take that to a gateway on the internet. */
export type ModelObject = Exclude<LanguageModel, string>;

export interface OpenedModel {
  readonly model: ModelObject;
  readonly provider: string;
  readonly name: string;
}

/** Asked at the beginning of each turn, so that a setting that was changed counts from the next on. */
export interface ModelSource {
  /** The primary one, or another of the same provider. */
  open(wish?: { readonly model?: string }): Promise<OpenedModel>;
}

export interface ModelCall {
  readonly instructions: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: ToolSet;
}

export interface Caller {
  readonly opened: OpenedModel;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly callTimeoutMs: number;
  /** What is left of the turn. */
  leftMs(): number;
  /** The turn took too long. */
  late(): RelayError;
  spent(spent: Spent): Promise<void>;
}

export type ModelAnswer = Pick<
  GenerateTextResult<ToolSet, never, never>,
  'text' | 'toolCalls' | 'responseMessages' | 'usage'
>;

export async function callModel(caller: Caller, call: ModelCall): Promise<ModelAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    const tried = await tryOnce(caller, call);
    if ('answer' in tried) {
      await caller.spent(costOf(caller.opened, call, tried.answer));
      return tried.answer;
    }
    const { error, waitMs } = tried.failure;
    const wait = error.passes ? delayFor(RETRY.model_call, attempt, Math.random()) : null;
    if (wait === null || Math.max(wait, waitMs ?? 0) >= caller.leftMs()) throw error;
    await caller.clock.wait(Math.max(wait, waitMs ?? 0), caller.signal);
  }
}

async function tryOnce(
  caller: Caller,
  call: ModelCall,
): Promise<{ answer: ModelAnswer } | { failure: Failure }> {
  const { generateText } = await sdk();
  const { failureOf } = await import('./failure.ts');
  const { opened, clock, signal, callTimeoutMs } = caller;
  const left = caller.leftMs();
  if (left <= 0) throw caller.late();
  const slow = () =>
    left <= callTimeoutMs
      ? caller.late()
      : new RelayError('model_unreachable', {
          provider: opened.provider,
          what: `no answer within ${Math.ceil(callTimeoutMs / 1_000)} s`,
        });
  try {
    const limit = { clock, signal, ms: Math.min(callTimeoutMs, left), late: slow };
    const answer = await within(limit, (abortSignal) =>
      generateText({
        model: opened.model,
        instructions: call.instructions,
        messages: [...call.messages],
        tools: call.tools,
        maxRetries: 0,
        abortSignal,
        telemetry: { isEnabled: false, recordInputs: false, recordOutputs: false },
      }),
    );
    return { answer };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof RelayError && error.code === 'model_slow') throw error;
    return { failure: failureOf(error, opened.provider) };
  }
}

/** As the provider counts it; where it does not say, as we do. */
function costOf({ provider, name }: OpenedModel, call: ModelCall, answer: ModelAnswer): Spent {
  const { inputTokens, outputTokens } = answer.usage;
  return {
    provider,
    model: name,
    inputTokens: inputTokens ?? estimateTokens(call.instructions + JSON.stringify(call.messages)),
    outputTokens: outputTokens ?? estimateTokens(JSON.stringify(answer.responseMessages)),
  };
}
