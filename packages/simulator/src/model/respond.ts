// Writes a reply to the wire: JSON, a stream of events, an error, or exactly the bytes a rule gives.
// Invariant: a reply that waits or streams ends when its client leaves or the server stops.
import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { chunks, completion, type Stamp } from './completion.ts';
import type { ChatRequest, Reply } from './schemas.ts';

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
  stamp: Stamp,
  stopping: AbortSignal,
): Promise<void> {
  if (reply.delay_ms) await pause(response, reply.delay_ms, stopping);
  if (response.destroyed) return;
  if (reply.raw !== undefined) return sendRaw(response, request, reply);
  if (reply.status !== undefined && reply.status >= 300) return sendFault(response, reply);
  if (!request.stream) return sendJson(response, 200, completion(request, reply, stamp));

  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const [index, chunk] of [...chunks(request, reply, stamp)].entries()) {
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
  // The bytes must be on their way before the connection breaks, or the client sees none of them.
  response.write(raw.body, () => setImmediate(() => response.destroy()));
}
