// Makes one model call, without the SDK's retries, tool runs and telemetry. Retries follow our own table, and the usage
// is reported and stored before the answer counts.

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
  /** Without a price the calls count as free. */
  readonly price?: Price;
  /** Whether it can see pictures. */
  readonly vision?: boolean;
}

/** Opened at the beginning of each turn, so that a changed setting applies from the next turn on. */
export interface ModelSource {
  /** The configured model, or another one of the same provider. */
  open(request?: { readonly model?: string }): Promise<OpenedModel>;
}

interface ModelCall extends ModelQuestion {
  readonly listener?: TextListener | undefined;
}

/** Receives an answer while it is streamed. */
interface TextListener {
  text(delta: string): void;
  /** Discards the text received so far: the answer starts again, or there is none. */
  textReset(): void;
}

export interface ModelCaller {
  readonly opened: OpenedModel;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly callTimeoutMs: number;
  /** The time left in the turn. */
  leftMs(): number;
  /** The error for a turn that took too long. */
  timeoutError(): RelayError;
  onUsage(spent: ModelUsage): Promise<void>;
}

export async function callModel(caller: ModelCaller, call: ModelCall): Promise<ModelAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    const tried = await tryOnce(caller, call);
    if ('answer' in tried) {
      await caller.onUsage(costOf(caller.opened, call, tried.answer));
      return tried.answer;
    }
    const { error, waitMs } = tried.failure;
    const wait = error.isRetryable ? delayFor(RETRY.model_call, attempt, Math.random()) : null;
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
  if (left <= 0) throw caller.timeoutError();
  const timeoutError = () =>
    left <= callTimeoutMs
      ? caller.timeoutError()
      : new RelayError('model_unreachable', {
          provider: opened.provider,
          what: `no answer within ${Math.ceil(callTimeoutMs / 1_000)} s`,
        });
  const hearing = call.listener && hearingOf(call.listener);
  try {
    const limit = { clock, signal, ms: Math.min(callTimeoutMs, left), timeoutError };
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

/**
 * Passes on the text of one attempt. If the attempt fails, the text is reset, and nothing that arrives later is passed
 * on.
 */
function hearingOf(listener: TextListener) {
  let hasText = false;
  let over = false;
  return {
    text(delta: string) {
      if (over) return;
      hasText = true;
      listener.text(delta);
    },
    takeBack() {
      over = true;
      if (hasText) listener.textReset();
    },
  };
}

/** Uses the provider's token counts; where they are missing, our own estimate. */
function costOf(
  { provider, name, price }: OpenedModel,
  call: ModelCall,
  { usage, responseMessages }: ModelAnswer,
): ModelUsage {
  const tokens = {
    inputTokens:
      usage.inputTokens ??
      estimateTokens(call.instructions + JSON.stringify(call.messages, withoutBytes)),
    outputTokens: usage.outputTokens ?? estimateTokens(JSON.stringify(responseMessages)),
  };
  const micros = price === undefined ? 0 : costMicros(price, tokens);
  return { provider, model: name, ...tokens, micros };
}

/** A picture costs far less than its bytes would as text. */
const withoutBytes = (_: string, value: unknown): unknown =>
  value instanceof Uint8Array ? 'x'.repeat(PICTURE_AS_TEXT) : value;

const PICTURE_AS_TEXT = 5_000;

// Calls the SDK once, for the whole answer or a streamed one, without the SDK's retries, tool runs and telemetry. A
// partial answer is a failure.

/** Never a string: the SDK would send the name to a gateway on the internet. */
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
  /** If given, it receives the text while it is streamed. */
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
  // Without our own handler the SDK writes errors, including answers, to the console.
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

// Loads the AI SDK when a model is needed: it is large, and the daemon starts without it. Its warnings are off, because
// they would go to the console and may quote somebody's text.

let loaded: typeof import('ai') | null = null;

export async function loadSdk(): Promise<typeof import('ai')> {
  globalThis.AI_SDK_LOG_WARNINGS = false;
  // Cached, because even a loaded module would be looked up again for every call.
  loaded ??= await import('ai');
  return loaded;
}

const SOON_MS = 2_000;

/**
 * Loads the SDK soon after the daemon has started, so that the first turn does not wait for it. Does nothing without a
 * model.
 */
export function preloadSdk(models: { open(): Promise<unknown> }): () => void {
  const load = () => models.open().then(loadSdk);
  // The turn that needs the model reports what is missing.
  const timer = setTimeout(() => void load().catch(() => {}), SOON_MS).unref();
  return () => clearTimeout(timer);
}

// Tests the model with one short question, in the same way as a turn's call. The question offers a tool, because a
// server that refuses tools would refuse every turn. An error is the one that a turn would have failed with.

const testQuestion = async (): Promise<ModelQuestion> => {
  const { jsonSchema } = await loadSdk();
  return {
    instructions: 'This is a test of the connection. Answer with the one word: ready.',
    messages: [{ role: 'user' as const, content: 'Are you there?' }],
    tools: {
      note: {
        description: 'Saves a note. Not needed for this question.',
        inputSchema: jsonSchema({
          type: 'object',
          properties: { text: { type: 'string' } },
          required: ['text'],
          additionalProperties: false,
        }),
      },
    },
  };
};

/** Resolves to the milliseconds that the answer took. */
export async function askTestQuestion(
  opened: OpenedModel,
  { clock, patienceMs }: { readonly clock: Clock; readonly patienceMs: number },
): Promise<number> {
  const question = await testQuestion();
  const began = performance.now();
  const ms = () => Math.round(performance.now() - began);
  await callModel(
    {
      opened,
      clock,
      signal: new AbortController().signal,
      callTimeoutMs: patienceMs,
      leftMs: () => patienceMs - ms(),
      timeoutError: () => new RelayError('model_slow', { seconds: Math.ceil(patienceMs / 1_000) }),
      onUsage: async () => {},
    },
    question,
  );
  return ms();
}
