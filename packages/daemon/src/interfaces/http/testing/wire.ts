// A server on a real socket for the tests of this folder: any header may be set, including Host.
import { type Agent, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { App } from '../app.ts';
import type { HttpDeps } from '../deps.ts';
import { createHttpServer } from '../server.ts';
import { TOKEN } from './stand-ins.ts';

export interface Listening {
  readonly app: App;
  readonly port: number;
  readonly host: string;
  call(options: Call): Promise<Reply>;
  /** Resolves when the headers have arrived; the caller reads the body. */
  open(options: Call): Promise<IncomingMessage>;
}

export interface Call {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export const bearer = { authorization: `Bearer ${TOKEN}` };

/** A server that is closed when the test ends. */
export async function listening(deps: HttpDeps): Promise<Listening> {
  const server = await listen(deps);
  onTestFinished(() => server.app.close());
  return server;
}

/** A server that the caller closes, for several tests. Without an agent each request has its own connection. */
export async function listen(deps: HttpDeps, agent?: Agent): Promise<Listening> {
  const app = await createHttpServer(deps);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const open = ({ method = 'GET', path, headers = {}, body }: Call) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const length =
        body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const sent = request(
        {
          ...{ host: '127.0.0.1', port, method, path, headers: { ...length, ...headers } },
          agent: agent ?? false,
        },
        resolve,
      );
      sent.on('error', reject);
      sent.end(body);
    });
  return {
    app,
    port,
    host: `127.0.0.1:${port}`,
    open,
    async call(options) {
      const response = await open(options);
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      const { statusCode = 0, headers } = response;
      return { status: statusCode, headers, body: Buffer.concat(chunks).toString() };
    },
  };
}
