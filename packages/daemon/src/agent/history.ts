// What a step adds to the session's messages: the model's own words and calls as it may see them again,
// each call with exactly one answer. Providers refuse histories with a call that is odd or unanswered.
import type { Labelled } from '@relay/core/agent/labelled';
import type { AssistantModelMessage, ModelMessage, ToolModelMessage } from 'ai';
import { MOST_ARGUMENT_BYTES } from './calls.ts';

type AssistantPart = Exclude<AssistantModelMessage['content'], string>[number];

export interface AnsweredCall {
  /** As the model gave it. */
  readonly id: string;
  /** Unique within the session. */
  readonly kept: string;
  readonly name: string;
  readonly input: unknown;
  readonly answer: Labelled;
}

const NAME = /^[\w-]{1,64}$/;

export function stepMessages(
  spoken: readonly ModelMessage[],
  calls: readonly AnsweredCall[],
): ModelMessage[] {
  const waiting = [...calls];
  const parts = spoken
    .filter((message) => message.role === 'assistant')
    .flatMap(({ content }) =>
      typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content,
    )
    .flatMap((part): AssistantPart[] => {
      if (part.type !== 'tool-call') return isSpoken(part) ? [part] : [];
      const at = waiting.findIndex(({ id }) => id === part.toolCallId);
      const [call] = at === -1 ? [] : waiting.splice(at, 1);
      if (call === undefined) return [];
      return [{ ...part, toolCallId: call.kept, toolName: nameOf(call), input: inputOf(call) }];
    });
  const answers: ToolModelMessage['content'] = calls.map((call) => ({
    type: 'tool-result',
    toolCallId: call.kept,
    toolName: nameOf(call),
    output: { type: 'text', value: call.answer.text },
  }));
  return [
    ...(parts.length === 0 ? [] : [{ role: 'assistant' as const, content: parts }]),
    ...(answers.length === 0 ? [] : [{ role: 'tool' as const, content: answers }]),
  ];
}

const isSpoken = ({ type }: AssistantPart): boolean => type === 'text' || type === 'reasoning';

const nameOf = ({ name }: AnsweredCall): string => (NAME.test(name) ? name : 'unknown_tool');

/** An object, as every provider wants it, and never one that fills the context. */
function inputOf({ input }: AnsweredCall): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return {};
  return Buffer.byteLength(JSON.stringify(input)) > MOST_ARGUMENT_BYTES ? {} : input;
}
