// Encrypted blobs over https, as the service's media hosts keep them: POST to put, GET to fetch.
// Invariant: it never sees a key; what it holds is what the sender encrypted.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { mediaCertificate } from './certificate.ts';

const HOST = '127.0.0.1';

export interface Stored {
  url: string;
  directPath: string;
}

export class MediaStore {
  readonly #blobs = new Map<string, Buffer>();
  readonly #server: Server;
  #host = HOST;

  constructor() {
    this.#server = createServer(mediaCertificate(), (request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
  }

  get host(): string {
    return this.#host;
  }

  async listen(): Promise<void> {
    const { promise, reject, resolve } = Promise.withResolvers<void>();
    this.#server.once('error', reject).listen(0, HOST, resolve);
    await promise;
    this.#host = `${HOST}:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  put(name: string, blob: Buffer): Stored {
    const directPath = `/v/${encodeURIComponent(name)}.enc`;
    this.#blobs.set(directPath, blob);
    return { url: `https://${this.#host}${directPath}`, directPath };
  }

  get(directPath: string): Buffer | undefined {
    return this.#blobs.get(directPath);
  }

  get size(): number {
    return this.#blobs.size;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', `https://${this.#host}`);
    if (request.method === 'POST') {
      const name = decodeURIComponent(pathname.split('/').at(-1) ?? '');
      const { directPath, url } = this.put(name, await buffer(request));
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ url, direct_path: directPath }));
      return;
    }
    const blob = this.#blobs.get(pathname);
    if (!blob) {
      response.writeHead(404).end();
      return;
    }
    const range = /bytes=(\d+)-(\d*)/.exec(request.headers.range ?? '');
    if (!range) {
      response.end(blob);
      return;
    }
    const end = range[2] ? Number(range[2]) + 1 : undefined;
    response.writeHead(206).end(blob.subarray(Number(range[1]), end));
  }
}
