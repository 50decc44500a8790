// A server with a daemon's responses, for programs that use the published client. It is unavailable at first and breaks
// a stream once, so that every run includes reconnecting.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CannedDaemon {
  readonly url: string;
  /** The requests in order: method, path, and the relevant headers. */
  readonly asked: { call: string; key?: string; after?: string }[];
  close(): void;
}

const frame = (id: number, event: string, data: object) =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
const EVENT = { at: '2026-11-15T10:00:00.000Z', subject: null, data: { on: true } };

export async function startCannedDaemon(): Promise<CannedDaemon> {
  const asked: CannedDaemon['asked'] = [];
  const server = createServer((request, response) => {
    const call = `${request.method} ${request.url}`;
    const { 'idempotency-key': key, 'last-event-id': after } = request.headers;
    const before = asked.filter((one) => one.call === call).length;
    asked.push({ call, ...given('key', key), ...given('after', after) });
    const json = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const stream = (...frames: string[]) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(frames.join(''));
    };
    switch (call) {
      case 'GET /api/status':
        return json(200, { version: '0.1.0' });
      case 'POST /api/whatsapp/messages':
        if (before === 0) return json(503, { error: 'Not yet.', code: 'daemon_not_ready' });
        return before === 1 ? request.socket.destroy() : json(200, { id: 'sent' });
      case 'POST /api/tools/get_chats':
        return json(200, { chats: [] });
      case 'GET /api/events':
        if (before > 0) return stream(frame(1, 'ready', {}), frame(2, 'hold', EVENT));
        stream(frame(1, 'ready', {}));
        return breakOff(request);
      case 'GET /api/whatsapp/qr/stream':
        return stream(frame(1, 'connected', { phoneNumber: '15550000000' }));
      default:
        return json(404, { error: 'Not found.', code: 'instance_not_found' });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, asked, close };
}

const breakOff = ({ socket }: IncomingMessage) => void setTimeout(() => socket.destroy(), 50);
const given = <Name extends string>(name: Name, value: string | string[] | undefined) =>
  value === undefined ? {} : { [name]: String(value) };
