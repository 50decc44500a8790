// The control API: drives people, phones and faults of the simulated network over HTTP. Invariant: it listens only on
// 127.0.0.1; `close` always completes, and leaves the network running.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RequestError, readRequestText, refuseBrowsers } from '../http.ts';
import type { Network } from '../whatsapp/network.ts';
import { type ControlResponse, controlRoutes, dispatchRequest } from './routes.ts';

interface ControlServerOptions {
  /** Defaults to a free port. */
  port?: number;
}

export interface ControlServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  url: string;
  close(): Promise<void>;
}

export async function startControl(
  network: Network,
  { port = 0 }: ControlServerOptions = {},
): Promise<ControlServer> {
  const routes = controlRoutes(network);

  async function handle(request: IncomingMessage): Promise<ControlResponse> {
    refuseBrowsers(request);
    const { method = 'GET', url = '/' } = request;
    return dispatchRequest(routes, { method, target: url, text: await readRequestText(request) });
  }

  const server = createServer((request, response) => {
    handle(request).then(
      ({ body, status }) => sendJson(response, status, body),
      (error: unknown) => fail(response, error),
    );
  });
  const address = await listen(server, port);

  async function close(): Promise<void> {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  }

  return { url: `http://127.0.0.1:${address.port}`, close, [Symbol.asyncDispose]: close };
}

function listen(server: Server, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server.address() as AddressInfo));
  });
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  if (body === undefined) {
    response.writeHead(status).end();
    return;
  }
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function fail(response: ServerResponse, error: unknown): void {
  // Closes the connection, because the unread rest of the body would be parsed as the next request.
  response.setHeader('connection', 'close');
  if (error instanceof RequestError) sendJson(response, error.status, { error: error.message });
  else sendJson(response, 500, { error: String(error) });
}
