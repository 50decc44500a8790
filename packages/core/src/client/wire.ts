// The wire of the published client: fetch, with the token on every request. An answer that never comes is a
// RelayConnectionError; whoever aborts gets the reason they gave.
import type { PostStream } from './answer-stream.ts';
import { RelayConnectionError, readAnswer } from './api-error.ts';
import type { ClientResponse, Send } from './client.ts';
import type { Platform } from './platform.ts';

export interface WireOptions {
  /** Where the daemon listens: `http://127.0.0.1:3214` unless given; '' on a page that the daemon served. */
  readonly baseUrl?: string;
  /** The owner's, or a program's for `/api/tools`; a function is asked at every call. None: the page's session. */
  readonly token?: string | (() => string | Promise<string>);
  /** How long an answer may take to come, in milliseconds; two minutes unless given. */
  readonly timeoutMs?: number;
}

/** Opens what the daemon tells as it happens, as text; rejects when the answer is no stream. */
export type OpenStream = (
  path: string,
  signal: AbortSignal,
  headers?: Readonly<Record<string, string>>,
) => Promise<AsyncIterable<string>>;

export interface Wire {
  readonly send: Send;
  readonly open: OpenStream;
  readonly ask: PostStream;
}

interface Init {
  readonly method: string;
  readonly body?: string;
  readonly headers: Readonly<Record<string, string>>;
}

const AWAY = 'The daemon does not answer. `relay start` starts it.';

/** A stream says something every 20 or 30 s, if only that it is there. */
const SILENCE_MS = 75_000;

export function fetchWire(
  options: WireOptions,
  { fetch, sleep }: Pick<Platform, 'fetch' | 'sleep'>,
): Wire {
  const { baseUrl = 'http://127.0.0.1:3214', timeoutMs = 120_000 } = options;
  const root = baseUrl.replace(/(?<!\/)\/+$/, '');
  const request = async (
    path: string,
    init: Init,
    signal: AbortSignal,
    caller: AbortSignal | undefined,
  ) => {
    const token = typeof options.token === 'function' ? await options.token() : options.token;
    const bearer = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return fetch(root + path, {
      ...init,
      headers: { ...init.headers, ...bearer },
      signal,
      redirect: 'error',
    }).catch((error: unknown) => {
      caller?.throwIfAborted();
      throw new RelayConnectionError(AWAY, error);
    });
  };

  const stream = async (path: string, { headers, ...init }: Init, signal: AbortSignal) => {
    const accepting = { ...init, headers: { accept: 'text/event-stream', ...headers } };
    const response = await request(path, accepting, signal, signal);
    if (response.status !== 200 || response.body === null) {
      readAnswer(await whole(response, signal));
      throw new RelayConnectionError('The answer is no stream.');
    }
    return textOf(response.body, signal, sleep);
  };

  return {
    async send({ path, signal: caller, ...init }) {
      const late = AbortSignal.timeout(timeoutMs);
      const signal = caller === undefined ? late : AbortSignal.any([caller, late]);
      return whole(await request(path, init, signal, caller), caller);
    },
    open: (path, signal, headers = {}) => stream(path, { method: 'GET', headers }, signal),
    ask: (path, body, signal) =>
      stream(
        path,
        { method: 'POST', body, headers: { 'content-type': 'application/json' } },
        signal,
      ),
  };
}

async function whole(response: Response, caller?: AbortSignal): Promise<ClientResponse> {
  const { status, headers } = response;
  const body = await response.text().catch((error: unknown) => {
    caller?.throwIfAborted();
    throw new RelayConnectionError('The answer broke off.', error);
  });
  return { status, headers: Object.fromEntries(headers), body };
}

/** By its reader: not every browser lets a stream be iterated. */
async function* textOf(
  body: NonNullable<Response['body']>,
  signal: AbortSignal,
  sleep: Platform['sleep'],
): AsyncGenerator<string, void, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const read = async () => {
    const heard = new AbortController();
    const silence = sleep(SILENCE_MS, heard.signal).then(() => {
      throw new Error('silence');
    });
    return Promise.race([reader.read(), silence]).finally(() => heard.abort());
  };
  try {
    for (let next = await read(); !next.done; next = await read()) {
      yield decoder.decode(next.value, { stream: true });
    }
  } catch (error) {
    signal.throwIfAborted();
    throw new RelayConnectionError('The stream broke off.', error);
  } finally {
    // Ends the request, if whoever reads stops first.
    reader.cancel().catch(() => {});
  }
}
