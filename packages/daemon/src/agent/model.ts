// One call of a model: no SDK retries, no SDK tool runs, no telemetry. Tried again by our own table, and
// what it cost is told and waited for before its answer counts.
import { costMicros, type Price } from '@relay/core/agent/prices';
import { estimateTokens } from '@relay/core/agent/tokens';
import { RelayError } from '@relay/core/errors';
import type { Spent } from '@relay/core/ports/turn';
import { delayFor, RETRY } from '@relay/core/retry';
import { answerTo, type ModelAnswer, type ModelObject, type Question } from './answer.ts';
import type { Clock } from './clock.ts';
import type { Failure } from './failure.ts';
import { within } from './within.ts';

export interface OpenedModel {
  readonly model: ModelObject;
  readonly provider: string;
  readonly name: string;
  /** Without one its calls count as free. */
  readonly price?: Price;
}

/** Asked at the beginning of each turn, so that a setting that was changed counts from the next on. */
export interface ModelSource {
  /** The primary one, or another of the same provider. */
  open(wish?: { readonly model?: string }): Promise<OpenedModel>;
}

export interface ModelCall extends Question {
  readonly listener?: TextListener | undefined;
}

/** Hears an answer as it comes. */
export interface TextListener {
  text(delta: string): void;
  /** What was told of this answer does not count: it begins anew, or there is none. */
  textReset(): void;
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
  const hearing = call.listener && hearingOf(call.listener);
  try {
    const limit = { clock, signal, ms: Math.min(callTimeoutMs, left), late: slow };
    const answer = await within(limit, (ended) =>
      answerTo(opened.model, call, ended, hearing?.text),
    );
    return { answer };
  } catch (error) {
    hearing?.takeBack();
    signal.throwIfAborted();
    if (error instanceof RelayError && error.code === 'model_slow') throw error;
    const { failureOf } = await import('./failure.ts');
    return { failure: failureOf(error, opened.provider) };
  }
}

/** One attempt's words: taken back when it fails, and nothing that it says afterwards is passed on. */
function hearingOf(listener: TextListener) {
  let told = false;
  let over = false;
  return {
    text(delta: string) {
      if (over) return;
      told = true;
      listener.text(delta);
    },
    takeBack() {
      over = true;
      if (told) listener.textReset();
    },
  };
}

/** As the provider counts it; where it does not say, as we do. */
function costOf(
  { provider, name, price }: OpenedModel,
  call: ModelCall,
  { usage, responseMessages }: ModelAnswer,
): Spent {
  const tokens = {
    inputTokens:
      usage.inputTokens ?? estimateTokens(call.instructions + JSON.stringify(call.messages)),
    outputTokens: usage.outputTokens ?? estimateTokens(JSON.stringify(responseMessages)),
  };
  const micros = price === undefined ? 0 : costMicros(price, tokens);
  return { provider, model: name, ...tokens, micros };
}
