// Turns a reply into the format of chat completions: one body, or the chunks of a stream. Invariant: both are
// equivalent; the concatenated deltas of a stream are the body's message.

import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { ChatRequest, Reply, ScriptedCall } from './schemas.ts';
import { argumentsText } from './script.ts';

interface ScriptedTurn {
  text?: string | undefined;
  tool_calls?: ScriptedCall[] | undefined;
}

/** What the server adds to a turn: its number makes every id unique and repeatable. */
interface ReplyStamp {
  number: number;
  created: number;
}

const PIECES = 6;

function pieces(text: string): string[] {
  const size = Math.max(4, Math.ceil(text.length / PIECES));
  const count = Math.ceil(text.length / size);
  return Array.from({ length: count }, (_, index) => text.slice(index * size, (index + 1) * size));
}

/** Four characters per token: rough, but deterministic. */
export const countTokens = (text: string): number => Math.ceil(text.length / 4);

function wireCalls(turn: ScriptedTurn, { number }: ReplyStamp) {
  return (turn.tool_calls ?? []).map((call, index) => ({
    id: `call_${number}_${index}`,
    type: 'function' as const,
    function: { name: call.name, arguments: argumentsText(call) },
  }));
}

function usage(request: ChatRequest, turn: ScriptedTurn, stamp: ReplyStamp) {
  const prompt = countTokens(JSON.stringify([request.messages, request.tools ?? []]));
  const called = wireCalls(turn, stamp).map((call) => JSON.stringify(call.function));
  const completion = countTokens([turn.text ?? '', ...called].join(''));
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
  };
}

const finishReason = (turn: ScriptedTurn): string =>
  turn.tool_calls?.length ? 'tool_calls' : 'stop';

const head = (request: ChatRequest, stamp: ReplyStamp, object: string) => ({
  id: `chatcmpl-${stamp.number}`,
  object,
  created: stamp.created,
  model: request.model,
});

function completionBody(request: ChatRequest, turn: ScriptedTurn, stamp: ReplyStamp) {
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
function* completionChunks(request: ChatRequest, turn: ScriptedTurn, stamp: ReplyStamp) {
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

// Writes a reply to the connection: JSON, an event stream, an error, or the exact bytes of a rule. Invariant: a waiting
// or streaming reply ends when its client disconnects or the server stops.

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

const KINDS: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'invalid_request_error',
  429: 'rate_limit_error',
};

export function sendError(response: ServerResponse, status: number, message: string): void {
  const type = KINDS[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error');
  sendJson(response, status, { error: { message, type, param: null, code: null } });
}

export async function sendReply(
  response: ServerResponse,
  request: ChatRequest,
  reply: Reply,
  stamp: ReplyStamp,
  stopping: AbortSignal,
): Promise<void> {
  if (reply.delay_ms) await pause(response, reply.delay_ms, stopping);
  if (response.destroyed) return;
  if (reply.raw !== undefined) return sendRaw(response, request, reply);
  if (reply.status !== undefined && reply.status >= 300) return sendFault(response, reply);
  if (!request.stream) return sendJson(response, 200, completionBody(request, reply, stamp));

  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const [index, chunk] of [...completionChunks(request, reply, stamp)].entries()) {
    if (index > 0 && reply.chunk_delay_ms) await pause(response, reply.chunk_delay_ms, stopping);
    if (response.destroyed) return;
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  }
  response.end('data: [DONE]\n\n');
}

async function pause(
  response: ServerResponse,
  delay: number,
  stopping: AbortSignal,
): Promise<void> {
  const left = new AbortController();
  response.once('close', () => left.abort());
  try {
    await wait(delay, undefined, { signal: AbortSignal.any([left.signal, stopping]) });
  } catch {
    response.destroy();
  }
}

function retryAfter({ status, retry_after }: Reply): Record<string, string> {
  const seconds = retry_after ?? (status === 429 || status === 503 ? 1 : undefined);
  return seconds === undefined ? {} : { 'retry-after': String(seconds) };
}

function sendFault(response: ServerResponse, reply: Reply): void {
  const { status = 500, text } = reply;
  for (const [name, value] of Object.entries(retryAfter(reply))) response.setHeader(name, value);
  sendError(response, status, text ?? `A scripted failure with status ${status}.`);
}

function sendRaw(response: ServerResponse, request: ChatRequest, reply: Reply): void {
  const raw = typeof reply.raw === 'string' ? { body: reply.raw } : reply.raw;
  if (!raw) return;
  const type = raw.content_type ?? (request.stream ? 'text/event-stream' : 'application/json');
  response.writeHead(reply.status ?? 200, { 'content-type': type, ...retryAfter(reply) });
  if (!raw.cut) {
    response.end(raw.body);
    return;
  }
  // The bytes must be sent before the connection breaks, or the client receives none of them.
  response.write(raw.body, () => setImmediate(() => response.destroy()));
}
