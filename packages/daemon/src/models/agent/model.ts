// One call of a model: no SDK retries, no SDK tool runs, no telemetry. Tried again by our own table, and
// what it cost is told and waited for before its answer counts.

import type { ModelTrial } from '@relay/contract/api/settings';
import { RelayError } from '@relay/contract/errors';
import { costMicros, type Price } from '@relay/core/agent/budget';
import { estimateTokens } from '@relay/core/agent/context-window';
import type { ModelUsage } from '@relay/core/ports/agent-turn';
import { delayFor, RETRY } from '@relay/core/retry';
import type { GenerateTextResult, LanguageModel, ModelMessage, ToolSet } from 'ai';
import { type Clock, runWithinLimit } from './clock.ts';
import type { ModelFailure } from './model-failure.ts';

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

interface ModelCall extends ModelQuestion {
  readonly listener?: TextListener | undefined;
}

/** Hears an answer as it comes. */
interface TextListener {
  text(delta: string): void;
  /** What was told of this answer does not count: it begins anew, or there is none. */
  textReset(): void;
}

export interface ModelCaller {
  readonly opened: OpenedModel;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly callTimeoutMs: number;
  /** What is left of the turn. */
  leftMs(): number;
  /** The turn took too long. */
  late(): RelayError;
  spent(spent: ModelUsage): Promise<void>;
}

export async function callModel(caller: ModelCaller, call: ModelCall): Promise<ModelAnswer> {
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
  caller: ModelCaller,
  call: ModelCall,
): Promise<{ answer: ModelAnswer } | { failure: ModelFailure }> {
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
    const answer = await runWithinLimit(limit, (ended) =>
      generateAnswer(opened.model, call, ended, hearing?.text),
    );
    return { answer };
  } catch (error) {
    hearing?.takeBack();
    signal.throwIfAborted();
    if (error instanceof RelayError && error.code === 'model_slow') throw error;
    const { classifyModelError } = await import('./model-failure.ts');
    return { failure: classifyModelError(error, opened.provider) };
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
): ModelUsage {
  const tokens = {
    inputTokens:
      usage.inputTokens ?? estimateTokens(call.instructions + JSON.stringify(call.messages)),
    outputTokens: usage.outputTokens ?? estimateTokens(JSON.stringify(responseMessages)),
  };
  const micros = price === undefined ? 0 : costMicros(price, tokens);
  return { provider, model: name, ...tokens, micros };
}

// What the SDK is asked for one call: the whole answer, or the same answer told as it comes. Either way no
// retries, no tool runs and no telemetry of its own; half an answer is a failure, never an answer.

/** Never a name: the SDK would take that to a gateway on the internet. */
type ModelObject = Exclude<LanguageModel, string>;

interface ModelQuestion {
  readonly instructions: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: ToolSet;
}

export type ModelAnswer = Pick<
  GenerateTextResult<ToolSet, never, never>,
  'text' | 'toolCalls' | 'responseMessages' | 'usage'
>;

async function generateAnswer(
  model: ModelObject,
  question: ModelQuestion,
  abortSignal: AbortSignal,
  /** Given: hears the words as they come. */
  text?: (delta: string) => void,
): Promise<ModelAnswer> {
  const { generateText, streamText } = await loadSdk();
  const asked = {
    model,
    instructions: question.instructions,
    messages: [...question.messages],
    tools: question.tools,
    maxRetries: 0,
    abortSignal,
    telemetry: { isEnabled: false, recordInputs: false, recordOutputs: false },
  };
  if (text === undefined) return generateText(asked);
  // Without a handler of ours the SDK writes errors, and with them answers, to the console.
  const streamed = streamText({ ...asked, onError: () => {} });
  for await (const part of streamed.stream) {
    abortSignal.throwIfAborted();
    if (part.type === 'error') throw part.error;
    if (part.type === 'text-delta' && part.text !== '') text(part.text);
  }
  return {
    text: await streamed.text,
    toolCalls: await streamed.toolCalls,
    responseMessages: await streamed.responseMessages,
    usage: await streamed.usage,
  };
}

// The AI SDK, loaded when there is a model to speak to: it is large, and the daemon starts without it.
// Its warnings would go to the console, and may quote what somebody wrote.

let loaded: typeof import('ai') | null = null;

export async function loadSdk(): Promise<typeof import('ai')> {
  globalThis.AI_SDK_LOG_WARNINGS = false;
  // Kept: even what is loaded would be looked up anew with every call of a model.
  loaded ??= await import('ai');
  return loaded;
}

const SOON_MS = 2_000;

/** Once the daemon has come to rest, so that the first turn need not wait for it. Without a model, never. */
export function preloadSdk(models: { open(): Promise<unknown> }): () => void {
  const load = () => models.open().then(loadSdk);
  // What is missing is told by the turn that needs it.
  const timer = setTimeout(() => void load().catch(() => {}), SOON_MS).unref();
  return () => clearTimeout(timer);
}

// One short question to the model, to see whether it answers: the same call that a turn makes, once. Whatever goes
// wrong is the sentence that a turn would have failed with.

const PATIENCE_MS = 20_000;

const QUESTION = {
  instructions: 'This is a test of the connection. Answer with the one word: ready.',
  messages: [{ role: 'user' as const, content: 'Are you there?' }],
  tools: {},
};

export async function tryModel(models: ModelSource, clock: Clock): Promise<ModelTrial> {
  const began = performance.now();
  const ms = () => Math.round(performance.now() - began);
  try {
    const opened = await models.open();
    await callModel(
      {
        opened,
        clock,
        signal: new AbortController().signal,
        callTimeoutMs: PATIENCE_MS,
        leftMs: () => PATIENCE_MS - ms(),
        late: () => new RelayError('model_slow', { seconds: PATIENCE_MS / 1_000 }),
        spent: async () => {},
      },
      QUESTION,
    );
    return { ok: true, sentence: `${opened.name} answered in ${ms()} ms.`, ms: ms() };
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    return { ok: false, sentence: error.message, ms: ms() };
  }
}
