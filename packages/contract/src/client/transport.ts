// The published client's transport: fetch with the token on every request. A missing response throws a
// RelayConnectionError; aborting throws the given reason.
import type { PostStream } from './answer-stream.ts';
import {
  RETRYABLE_HTTP_STATUSES,
  RelayConnectionError,
  readResponse,
  retryAfterMs,
} from './api-error.ts';
import {
  type ClientRequest,
  type ClientResponse,
  IDEMPOTENCY_KEY_HEADER,
  type SendRequest,
} from './client.ts';
import type { Platform } from './platform.ts';

export interface ClientTransportOptions {
  /** The daemon's address: `http://127.0.0.1:3214` by default; '' on a page served by the daemon. */
  readonly baseUrl?: string;
  /**
   * The owner's token, or a client's for `/api/tools`; a function is called for every request. Without one, the page's
   * session is used.
   */
  readonly token?: string | (() => string | Promise<string>);
  /** How long to wait for a response, in milliseconds; two minutes by default. */
  readonly timeoutMs?: number;
}

/** Opens a stream as text; rejects if the response is not a stream. */
export type OpenStream = (
  path: string,
  signal: AbortSignal,
  headers?: Readonly<Record<string, string>>,
) => Promise<AsyncIterable<string>>;

export interface ClientTransport {
  readonly send: SendRequest;
  readonly open: OpenStream;
  readonly ask: PostStream;
}

interface Init {
  readonly method: string;
  readonly body?: string | Blob;
  readonly headers: Readonly<Record<string, string>>;
}

const AWAY = 'The daemon does not answer. Start it with `relay start`.';

/** A stream sends something every 20 or 30 s, at least a keep-alive. */
const SILENCE_MS = 75_000;

export function createFetchTransport(
  options: ClientTransportOptions,
  { fetch, sleep }: Pick<Platform, 'fetch' | 'sleep'>,
): ClientTransport {
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
      readResponse(await whole(response, signal));
      throw new RelayConnectionError('The response is not a stream.');
    }
    return textOf(response.body, signal, sleep);
  };

  return {
    async send({ path, signal: caller, file, wantsFile, ...init }) {
      const late = AbortSignal.timeout(timeoutMs);
      const signal = caller === undefined ? late : AbortSignal.any([caller, late]);
      const sent = file === undefined ? init : { ...init, body: file };
      return whole(await request(path, sent, signal, caller), caller, wantsFile);
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

async function whole(
  response: Response,
  caller?: AbortSignal,
  wantsFile = false,
): Promise<ClientResponse> {
  const { status, ok } = response;
  const headers = Object.fromEntries(response.headers);
  try {
    return wantsFile && ok
      ? { status, headers, body: '', file: await response.blob() }
      : { status, headers, body: await response.text() };
  } catch (error) {
    caller?.throwIfAborted();
    throw new RelayConnectionError('The response was interrupted.', error);
  }
}

/** Uses a reader because not every browser can iterate a stream. */
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
    throw new RelayConnectionError('The stream was interrupted.', error);
  } finally {
    // Ends the request if the caller stops reading first.
    reader.cancel().catch(() => {});
  }
}

// Repeats a call when that is safe: reads, and calls with an idempotency key, after status 429 or 503 or no response.
// Nothing else is ever sent twice, and a repeated request is identical to the byte.

export interface RetryOptions {
  /** The number of retries; 3 by default, 0 for none. */
  readonly retries?: number;
  /** The time limit for retries in milliseconds: a pause beyond it ends them. One minute by default. */
  readonly patienceMs?: number;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 15_000;

export function withRetries(
  send: SendRequest,
  { retries = 3, patienceMs = 60_000 }: RetryOptions,
  { now, sleep, chance }: Pick<Platform, 'now' | 'sleep' | 'chance'>,
): SendRequest {
  return async (request) => {
    const began = now();
    for (let sent = 1; ; sent++) {
      const outcome = await attempt(send, request);
      if (!('error' in outcome) && !RETRYABLE_HTTP_STATUSES.includes(outcome.status))
        return outcome;
      const asked = 'error' in outcome ? undefined : retryAfterMs(outcome);
      const pause = retryPause(sent, asked, chance());
      const over = sent > retries || now() - began + pause > patienceMs;
      if (over || !isSafe(request)) {
        if ('error' in outcome) throw outcome.error;
        return outcome;
      }
      await sleep(pause, request.signal);
    }
  };
}

const isSafe = ({ method, headers }: ClientRequest): boolean =>
  method === 'GET' || headers[IDEMPOTENCY_KEY_HEADER] !== undefined;

/** Never shorter than the server asked for; half of the rest is random, so that many clients do not return at once. */
export function retryPause(nth: number, asked: number | undefined, chance: number): number {
  const full = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (nth - 1));
  return asked === undefined ? full * (0.5 + chance / 2) : asked + FIRST_PAUSE_MS * chance;
}

async function attempt(
  send: SendRequest,
  request: ClientRequest,
): Promise<ClientResponse | { readonly error: RelayConnectionError }> {
  try {
    return await send(request);
  } catch (error) {
    if (error instanceof RelayConnectionError) return { error };
    throw error;
  }
}
