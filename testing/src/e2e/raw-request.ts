// Sends one HTTP request on a new connection with exactly the given headers, as a client, a web page or another user of
// the machine would.
import { type IncomingHttpHeaders, request as open } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface RawRequest {
  readonly port: number;
  readonly method: string;
  readonly path: string;
  /** A string is sent unchanged, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  /** Null if the response is not JSON. */
  readonly json: unknown;
}

export function rawRequest({
  port,
  method,
  path,
  body,
  headers = {},
}: RawRequest): Promise<RawResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<RawResponse>();
  const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const type = sent === undefined ? {} : { 'content-type': 'application/json' };
  const length = sent === undefined ? {} : { 'content-length': String(Buffer.byteLength(sent)) };
  const outgoing = open({
    ...{ host: '127.0.0.1', port, method, path, agent: false },
    headers: { ...type, ...length, ...headers },
  });
  // A daemon that is killed during a request can cause two errors.
  outgoing.on('error', reject);
  outgoing.once('response', async (response) => {
    try {
      const bytes = await buffer(response);
      const text = bytes.toString('utf8');
      const isJson = /^application\/(problem\+)?json/.test(response.headers['content-type'] ?? '');
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        bytes,
        text,
        json: isJson ? JSON.parse(text) : null,
      });
    } catch (error) {
      reject(error);
    }
  });
  outgoing.end(sent);
  return promise;
}
