// Turns a reply into the wire format of chat completions: one body, or the chunks of a stream.
// Invariant: both say the same; the concatenated deltas of a stream are the body's message.
import { argumentsText } from './rules.ts';
import type { ChatRequest, ScriptedCall } from './schemas.ts';

export interface Turn {
  text?: string | undefined;
  tool_calls?: ScriptedCall[] | undefined;
}

/** What the server adds to a turn: its number makes every id unique and repeatable. */
export interface Stamp {
  number: number;
  created: number;
}

const PIECES = 6;

function pieces(text: string): string[] {
  const size = Math.max(4, Math.ceil(text.length / PIECES));
  const count = Math.ceil(text.length / size);
  return Array.from({ length: count }, (_, index) => text.slice(index * size, (index + 1) * size));
}

/** Four characters to a token: rough, and the same every time. */
export const countTokens = (text: string): number => Math.ceil(text.length / 4);

function wireCalls(turn: Turn, { number }: Stamp) {
  return (turn.tool_calls ?? []).map((call, index) => ({
    id: `call_${number}_${index}`,
    type: 'function' as const,
    function: { name: call.name, arguments: argumentsText(call) },
  }));
}

function usage(request: ChatRequest, turn: Turn, stamp: Stamp) {
  const prompt = countTokens(JSON.stringify([request.messages, request.tools ?? []]));
  const called = wireCalls(turn, stamp).map((call) => JSON.stringify(call.function));
  const completion = countTokens([turn.text ?? '', ...called].join(''));
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
  };
}

const finishReason = (turn: Turn): string => (turn.tool_calls?.length ? 'tool_calls' : 'stop');

const head = (request: ChatRequest, stamp: Stamp, object: string) => ({
  id: `chatcmpl-${stamp.number}`,
  object,
  created: stamp.created,
  model: request.model,
});

export function completion(request: ChatRequest, turn: Turn, stamp: Stamp) {
  const calls = wireCalls(turn, stamp);
  const message = {
    role: 'assistant',
    content: turn.text ?? null,
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return {
    ...head(request, stamp, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(turn) }],
    usage: usage(request, turn, stamp),
  };
}

/** The chunks of a stream; each becomes one `data:` line. */
export function* chunks(request: ChatRequest, turn: Turn, stamp: Stamp) {
  const top = head(request, stamp, 'chat.completion.chunk');
  const counted = request.stream_options?.include_usage === true;
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...top,
    choices: [{ index: 0, delta, finish_reason }],
    ...(counted && { usage: null }),
  });

  yield chunk({ role: 'assistant', content: turn.tool_calls?.length ? null : '' });
  for (const content of pieces(turn.text ?? '')) yield chunk({ content });
  for (const [index, { id, type, function: called }] of wireCalls(turn, stamp).entries()) {
    const opening = { index, id, type, function: { name: called.name, arguments: '' } };
    yield chunk({ tool_calls: [opening] });
    for (const piece of pieces(called.arguments)) {
      yield chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
  }
  yield chunk({}, finishReason(turn));
  if (counted) yield { ...top, choices: [], usage: usage(request, turn, stamp) };
}
