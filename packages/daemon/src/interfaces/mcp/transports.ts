// The two MCP transports: one request over HTTP, and one connection with a message per line. Importing this file loads
// the MCP library, so only `client-api.ts` does, on first use.
import type { Duplex } from 'node:stream';
import {
  createMcpHandler,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { Confirmations } from './protocol.ts';
import { ChangeNotices, createListenHandler, isListenRequest } from './resources/change-notices.ts';
import { createServerFactory } from './server.ts';
import type { ClientDeps } from './tool.ts';

export function openTransports(deps: ClientDeps) {
  const confirmations = new Confirmations();
  // Logged as body, because the library's messages may quote what a client sent.
  const onerror = ({ message }: Error) => deps.log.debug('mcp', { body: message });
  const notices = new ChangeNotices(deps);
  const factory = createServerFactory(
    deps,
    confirmations,
    ({ authInfo }) => authInfo?.token ?? '',
    null,
  );
  const handler = createMcpHandler(factory, { onerror });
  return {
    async fetch(request: Request, hash: string, parsedBody: unknown): Promise<Response> {
      const fetch = isListenRequest(parsedBody)
        ? await createListenHandler(notices, hash, factory, onerror)
        : handler.fetch;
      // The library calls it a token but does not inspect it; it is the token's hash.
      return fetch(request, { parsedBody, authInfo: { token: hash, clientId: '', scopes: [] } });
    },
    pipe(connection: Duplex, hash: string): void {
      const pinned = createServerFactory(deps, confirmations, () => hash, notices);
      serveStdio(pinned, { transport: lineTransport(connection), onerror });
    },
  };
}

// MCP over a connection with one JSON message per line, which `relay mcp` connects to a client's stdin.
// Invariant: the end of the input does not cancel running calls, so one piped line gets one line as answer; and unread
// output is bounded.

/** Maximum length of a line. */
const MOST_BYTES = 1_048_576;
/** Maximum number of running requests; further lines stay unread. */
const MOST_WAITING = 64;
/** A client that leaves this much unread has stopped reading. */
const MOST_UNREAD_BYTES = 16 * MOST_BYTES;

export function lineTransport(connection: Duplex): Transport {
  const waiting = new Set<RequestId>();
  let ended = false;
  let closed = false;
  const transport: Transport = {
    async start() {
      readLines(connection, MOST_BYTES, take);
      connection.on('end', () => {
        ended = true;
        goOn();
      });
      connection.on('drain', () => goOn());
      connection.on('error', () => connection.destroy());
      connection.on('close', () => void transport.close());
    },
    async send(message) {
      if (isJSONRPCResponse(message) && message.id !== undefined) waiting.delete(message.id);
      write(message);
      goOn();
    },
    async close() {
      if (closed) return;
      closed = true;
      connection.end();
      transport.onclose?.();
    },
  };

  function write(message: object): void {
    if (!connection.writable) return;
    connection.write(`${JSON.stringify(message)}\n`);
    if (connection.writableLength > MOST_UNREAD_BYTES) connection.destroy();
  }

  function goOn(): void {
    if (ended && waiting.size === 0) void transport.close();
    else if (waiting.size >= MOST_WAITING || connection.writableNeedDrain) connection.pause();
    else connection.resume();
  }

  function take(line: string): void {
    const { message, fault } = parseMessage(line);
    if (message === undefined) write(fault);
    else receive(message);
  }

  function receive(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message) && message.method !== LISTEN_METHOD) waiting.add(message.id);
    // A cancelled request gets no answer.
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      waiting.delete(message.params?.requestId as RequestId);
    }
    transport.onmessage?.(message);
    goOn();
  }
  return transport;
}

/** This request never ends by itself, so the end of the input does not wait for it. */
const LISTEN_METHOD = 'subscriptions/listen';

type ParsedMessage =
  | { readonly message: JSONRPCMessage; readonly fault?: never }
  | { readonly message?: never; readonly fault: object };

function parseMessage(line: string): ParsedMessage {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { fault: fault(null, -32700, 'Parse error: not valid JSON.') };
  }
  if (isMessage(value)) return { message: value };
  const what = 'Invalid Request: not a JSON-RPC 2.0 message.';
  return { fault: fault(idOf(value), -32600, what) };
}

const isMessage = (value: unknown): value is JSONRPCMessage =>
  isJSONRPCRequest(value) || isJSONRPCNotification(value) || isJSONRPCResponse(value);

const idOf = (value: unknown): RequestId | null => {
  const { id } = (value ?? {}) as { id?: unknown };
  return typeof id === 'string' || Number.isInteger(id) ? (id as RequestId) : null;
};

const fault = (id: RequestId | null, code: number, message: string) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});

// Splits a connection into lines at the newline byte only: U+2028 may occur in a message, but node:readline would split
// there. A line longer than the limit ends the connection.

const NEWLINE = 10;

export function readLines(
  connection: Duplex,
  mostBytes: number,
  take: (line: string) => void,
): void {
  let begun: Buffer[] = [];
  let size = 0;
  const finish = (last: Buffer) => {
    const line = Buffer.concat([...begun, last])
      .toString('utf8')
      .trim();
    begun = [];
    size = 0;
    if (line !== '') take(line);
  };
  connection.on('data', (part: Buffer) => {
    let from = 0;
    for (let to = part.indexOf(NEWLINE); to !== -1; to = part.indexOf(NEWLINE, from)) {
      finish(part.subarray(from, to));
      from = to + 1;
    }
    const rest = part.subarray(from);
    size += rest.length;
    if (size > mostBytes) connection.destroy();
    else if (rest.length > 0) begun.push(rest);
  });
  // `echo -n` sends a last line without a newline.
  connection.on('end', () => finish(Buffer.alloc(0)));
}
