// MCP over a connection that carries one JSON message a line: what `relay mcp` hands through from a program's
// stdin. Invariant: the end of the input ends nothing that is still being answered, so that one line piped
// in is answered by one line.

import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';

/** Longer lines are no message of ours. */
const MOST_BYTES = 1_048_576;

export function lineTransport(connection: Duplex): Transport {
  const waiting = new Set<string | number>();
  let ended = false;
  let closed = false;
  const transport: Transport = {
    async start() {
      let size = 0;
      connection.on('data', (part: Buffer) => {
        const line = part.lastIndexOf(10);
        size = line === -1 ? size + part.length : part.length - line - 1;
        if (size > MOST_BYTES) connection.destroy();
      });
      const lines = createInterface({ input: connection, crlfDelay: Number.POSITIVE_INFINITY });
      lines.on('line', (line) => take(line));
      lines.on('close', () => {
        ended = true;
        finish();
      });
      connection.on('error', () => connection.destroy());
      connection.on('close', () => void transport.close());
    },
    async send(message) {
      if ('id' in message && !('method' in message) && message.id !== undefined) {
        waiting.delete(message.id);
      }
      if (connection.writable) connection.write(`${JSON.stringify(message)}\n`);
      finish();
    },
    async close() {
      if (closed) return;
      closed = true;
      connection.end();
      transport.onclose?.();
    },
  };
  const finish = () => {
    if (ended && waiting.size === 0) void transport.close();
  };
  const take = (line: string) => {
    if (line.trim() === '') return;
    try {
      const message = JSON.parse(line) as JSONRPCMessage;
      if ('method' in message && 'id' in message && message.id !== undefined) {
        waiting.add(message.id);
      }
      transport.onmessage?.(message);
    } catch (error) {
      const parse = { code: -32700, message: 'Parse error: it is no JSON.' };
      if (connection.writable) {
        connection.write(`${JSON.stringify({ jsonrpc: '2.0', id: null, error: parse })}\n`);
      }
      transport.onerror?.(error instanceof Error ? error : new Error('unreadable'));
    }
  };
  return transport;
}
