// What the SDK is asked for one call: the whole answer, or the same answer told as it comes. Either way no
// retries, no tool runs and no telemetry of its own; half an answer is a failure, never an answer.
import type { GenerateTextResult, LanguageModel, ModelMessage, ToolSet } from 'ai';
import { sdk } from './sdk.ts';

/** Never a name: the SDK would take that to a gateway on the internet. */
export type ModelObject = Exclude<LanguageModel, string>;

export interface Question {
  readonly instructions: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: ToolSet;
}

export type ModelAnswer = Pick<
  GenerateTextResult<ToolSet, never, never>,
  'text' | 'toolCalls' | 'responseMessages' | 'usage'
>;

export async function answerTo(
  model: ModelObject,
  question: Question,
  abortSignal: AbortSignal,
  /** Given: hears the words as they come. */
  text?: (delta: string) => void,
): Promise<ModelAnswer> {
  const { generateText, streamText } = await sdk();
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
