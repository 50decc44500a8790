// What happens to sockets rather than requests: broken ones, slow ones, and all of them at the end.
// Invariant: no caller can hold a connection open for ever, and closing always ends.
import type { Socket } from 'node:net';
import { RelayError } from '@relay/core/errors';
import type { App } from './app.ts';
import { errorBody } from './errors.ts';
import { hasBody } from './guard.ts';
import type { Streams } from './streams.ts';

/** For bytes that are not HTTP, or headers that never end: there is no request to answer. */
export function answerBrokenRequest(_error: Error, socket: Socket): void {
  if (!socket.writable) return;
  const what = 'it is not readable as HTTP';
  const body = JSON.stringify(errorBody(new RelayError('invalid_request', { what })));
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** A body that trickles in is cut off. An archive or a file is not: its reader sets the pace. */
export function hurryBodies(app: App, bodyMs: number): void {
  app.addHook('preParsing', async (request, _reply, payload) => {
    const streamed = (request.routeOptions.config.body ?? 'json') !== 'json';
    if (!streamed && hasBody(request.headers)) {
      const timer = setTimeout(() => request.raw.destroy(), bodyMs);
      request.raw.once('end', () => clearTimeout(timer));
      request.raw.once('close', () => clearTimeout(timer));
    }
    return payload;
  });
}

/** Streams end at once, idle connections too; running requests get their answer, within bounds. */
export function closeGently(app: App, streams: Streams, drainMs: number): void {
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
    streams.endAll();
    setTimeout(() => app.server.closeAllConnections(), drainMs).unref();
  });
  // Fastify closes what is idle when the closing begins; this closes what becomes idle after.
  app.addHook('onResponse', async () => {
    if (closing) setImmediate(() => app.server.closeIdleConnections());
  });
}
