// MCP over a connection that carries one JSON message a line: what `relay mcp` hands through from a program's
// stdin. Invariant: the end of the input ends nothing that is still being answered, so that one line piped
// in is answered by one line; and what a program does not read is not piled up for it.

import type { Duplex } from 'node:stream';
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server';
import { eachLine } from './lines.ts';

/** Longer lines are no message of ours. */
const MOST_BYTES = 1_048_576;
/** What may be under way at once; further lines wait to be read. */
const MOST_WAITING = 64;
/** Whoever leaves as much unread has stopped reading. */
const MOST_UNREAD_BYTES = 16 * MOST_BYTES;

export function lineTransport(connection: Duplex): Transport {
  const waiting = new Set<RequestId>();
  let ended = false;
  let closed = false;
  const transport: Transport = {
    async start() {
      eachLine(connection, MOST_BYTES, take);
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
    const { message, fault } = read(line);
    if (message === undefined) write(fault);
    else receive(message);
  }

  function receive(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message) && message.method !== LISTEN) waiting.add(message.id);
    // What is cancelled is not answered.
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      waiting.delete(message.params?.requestId as RequestId);
    }
    transport.onmessage?.(message);
    goOn();
  }
  return transport;
}

/** Answered when it ends, which it never does by itself: nobody waits for it at the end of the input. */
const LISTEN = 'subscriptions/listen';

type Read =
  | { readonly message: JSONRPCMessage; readonly fault?: never }
  | { readonly message?: never; readonly fault: object };

function read(line: string): Read {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { fault: fault(null, -32700, 'Parse error: it is no JSON.') };
  }
  if (isMessage(value)) return { message: value };
  const what = 'Invalid Request: it is no message of JSON-RPC 2.0.';
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
