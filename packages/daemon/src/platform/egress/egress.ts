// The only HTTP client for addresses outside. A name is resolved once and the connection uses the checked address; each
// redirect is checked again; size, time and redirects are limited. No proxy, no cookies, no cache.

import { lookup } from 'node:dns/promises';
import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from './address.ts';

export interface EgressRequest {
  readonly method?: 'GET' | 'POST';
  /** Sent to this origin only: a redirect to another origin gets none of them. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly maxBytes?: number;
  /** Only the status is needed; the body is not read. */
  readonly statusOnly?: boolean;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Always rejects with an `EgressError`. */
export type Egress = (url: string, request?: EgressRequest) => Promise<EgressResponse>;

export interface EgressOptions {
  /** For tests: private addresses with their port, such as `127.0.0.1:8080`, that may be reached anyway. */
  readonly allowedAddresses?: readonly string[];
  /**
   * Hosts with their port, such as `collector:4318`, that the owner chose for a collector or for their model: allowed
   * whatever address the name resolves to. Never for what comes from a client, from a model or from a message.
   */
  readonly ownHosts?: readonly string[];
  readonly resolve?: ResolveHost;
}

const MOST_BYTES = 1024 * 1024;
const TIMEOUT_MS = 10_000;
const MOST_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export function openEgress(options: EgressOptions = {}): Egress {
  return async (asked, request = {}) => {
    const over = AbortSignal.timeout(request.timeoutMs ?? TIMEOUT_MS);
    const signal = request.signal ? AbortSignal.any([over, request.signal]) : over;
    const ended = () => new EgressError(over.aborted ? 'too_slow' : 'stopped');
    let url = parseUrl(asked);
    let { headers = {} } = request;
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
      const addresses = await unlessAborted(addressesOf(url, options), signal, ended);
      const one = { url, addresses, headers, signal, ended, request };
      const answer = await requestOnce(one);
      if (!REDIRECTS.has(answer.status)) return answer;
      const next = redirectOf(answer, url, request);
      if (next.origin !== url.origin) headers = {};
      url = next;
    }
    throw new EgressError('too_many_redirects');
  };
}

async function addressesOf(url: URL, options: EgressOptions): Promise<readonly ResolvedAddress[]> {
  const { found, inside } = await resolveChecked(url, options);
  // One private address refuses the whole name: a name that resolves to both kinds is suspicious.
  if (found.length === 0 || inside.length > 0) throw new EgressError('address_inside');
  return found;
}

/** An address of this host on the public internet; rejects with an `EgressError` if it has none, or a private one. */
export async function resolvePublicHost(host: string): Promise<string> {
  const [first] = await addressesOf(parseUrl(`http://${host}`), {});
  return first?.address ?? '';
}

/**
 * `fetch` for a server that somebody chose who may not reach this network, such as the model of a hosted account. Follows
 * no redirect, and the answer is streamed.
 */
export const createPublicFetch =
  (options: EgressOptions = {}): typeof fetch =>
  async (input, init) => {
    const asked = new Request(input, init);
    const { method, signal } = asked;
    const url = parseUrl(asked.url);
    const addresses = await addressesOf(url, options);
    const body = Buffer.from(await asked.arrayBuffer());
    const headers = { ...Object.fromEntries(asked.headers), 'accept-encoding': 'identity' };
    const open = url.protocol === 'https:' ? requestHttps : requestHttp;
    const lookup = pinned(addresses);
    return new Promise((resolve, reject) => {
      const sent = open(url, { method, headers, agent: false, lookup, signal }, (response) => {
        // After the reader has left, nothing else listens.
        response.on('error', () => {});
        const answered = new Headers();
        for (const [name, value] of Object.entries(headersOf(response)))
          answered.set(name, value ?? '');
        const isEmpty = response.statusCode === 204 || response.statusCode === 304;
        const stream = isEmpty ? null : ReadableStream.from<Uint8Array>(response);
        resolve(new Response(stream, { status: response.statusCode ?? 0, headers: answered }));
      });
      // As the platform's own does, so that callers see a failure of the network.
      sent.on('error', (cause) =>
        reject(signal.aborted ? cause : new TypeError('fetch failed', { cause })),
      );
      sent.end(body);
    });
  };

/** The addresses of a URL, and those among them that may not be reached, as `address:port`. */
async function resolveChecked(url: URL, options: EgressOptions) {
  const { allowedAddresses: allowed = [], ownHosts: own = [], resolve = resolveHost } = options;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const family = isIP(host);
  const found = family === 0 ? await resolve(host) : [{ address: host, family }];
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const isOwn = own.includes(hostAndPort(url));
  const inside = found
    .filter(({ address }) => !isOwn && !isPublicAddress(address))
    .filter(({ address }) => !allowed.includes(`${address}:${port}`))
    .map(({ address, family: kind }) =>
      kind === 6 ? `[${address}]:${port}` : `${address}:${port}`,
    );
  return { found, inside };
}

/**
 * The private addresses that keep a URL from being reached, without a request to it; none if it may be reached. Rejects
 * with an `EgressError` if it is not an address or has none.
 */
export const findInsideAddresses = async (
  url: string,
  options: EgressOptions = {},
): Promise<readonly string[]> => {
  const { found, inside } = await resolveChecked(parseUrl(url), options);
  if (found.length === 0) throw new EgressError('unknown_name');
  return inside;
};

/** Host and port in the format of `ownHosts`. */
export const hostAndPort = ({ hostname, port, protocol }: URL): string =>
  `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;

function parseUrl(text: string, base?: URL): URL {
  const url = URL.canParse(text, base?.href) ? new URL(text, base) : null;
  if (url === null) throw new EgressError('not_an_address');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new EgressError('not_http');
  if (url.username !== '' || url.password !== '') throw new EgressError('not_an_address');
  return url;
}

function redirectOf(
  { headers }: EgressResponse,
  from: URL,
  { method = 'GET' }: EgressRequest,
): URL {
  // A posted body was meant for one place and is not sent to another.
  if (method !== 'GET') throw new EgressError('too_many_redirects');
  const next = parseUrl(headers.location ?? '', from);
  if (from.protocol === 'https:' && next.protocol === 'http:') throw new EgressError('not_http');
  return next;
}

interface OneRequest {
  readonly url: URL;
  readonly addresses: readonly ResolvedAddress[];
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly request: EgressRequest;
  ended(): EgressError;
}

function requestOnce({
  url,
  addresses,
  headers,
  signal,
  ended,
  request,
}: OneRequest): Promise<EgressResponse> {
  const { method = 'GET', body, maxBytes = MOST_BYTES, statusOnly = false } = request;
  const options: RequestOptions & { rejectUnauthorized: boolean } = {
    method,
    headers: { 'user-agent': 'relay', 'accept-encoding': 'identity', ...headers },
    // A separate connection: no pool, and no proxy from the environment.
    agent: false,
    lookup: pinned(addresses),
    rejectUnauthorized: true,
    signal,
  };
  return new Promise((resolve, reject) => {
    const failed = (error: unknown) => reject(signal.aborted ? ended() : egressError(error));
    const open = url.protocol === 'https:' ? requestHttps : requestHttp;
    const sent = open(url, options, (response) => {
      const read = statusOnly
        ? readStatusOnly(response, url)
        : readWholeResponse(response, url, maxBytes);
      read.then(resolve, (error: unknown) => {
        sent.destroy();
        failed(error);
      });
    });
    sent.on('error', failed);
    sent.end(body);
  });
}

const egressError = (error: unknown): EgressError =>
  error instanceof EgressError ? error : new EgressError('unreachable', { cause: error });

/** A DNS lookup that returns only the checked addresses. */
function pinned(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_name, { all }, answer) => {
    if (all) return answer(null, [...addresses]);
    const [first] = addresses;
    return answer(null, first?.address ?? '', first?.family);
  };
}

/** A name lookup that gets no answer must not outlast the time limit. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal, ended: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(ended());
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

// Why a request failed. The caller reacts to the reason and words its own message: the error names no address, since
// that may be text that somebody else wrote.

const REASONS = {
  not_an_address: 'that is not an address on the web',
  not_http: 'only http and https lead outside, and never from https back to http',
  address_inside: 'that address is not on the public internet',
  unknown_name: 'that name has no address',
  unreachable: 'nothing answers there',
  too_slow: 'the answer took too long',
  stopped: 'it was stopped',
  too_large: 'the answer is too large',
  too_many_redirects: 'it leads on to other addresses too often',
  garbled: 'the answer cannot be read',
} as const;

export type EgressReason = keyof typeof REASONS;

export class EgressError extends Error {
  readonly reason: EgressReason;

  constructor(reason: EgressReason, options: { cause?: unknown } = {}) {
    super(REASONS[reason], options);
    this.name = 'EgressError';
    this.reason = reason;
  }
}

// Reads a whole response within its limit. One that is longer, compressed or cut off is an error.

interface EgressResponse {
  /** The final address, after redirects. */
  readonly url: string;
  readonly status: number;
  /** Names in lower case; repeated headers are joined. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

/** The body is discarded. */
async function readStatusOnly(response: IncomingMessage, url: URL): Promise<EgressResponse> {
  response.destroy();
  const { statusCode: status = 0 } = response;
  return { url: url.href, status, headers: headersOf(response), body: new Uint8Array() };
}

async function readWholeResponse(
  response: IncomingMessage,
  url: URL,
  mostBytes: number,
): Promise<EgressResponse> {
  const headers = headersOf(response);
  // A small compressed body can expand to a large one, and none was requested.
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') throw new EgressError('garbled');
  if (Number(headers['content-length'] ?? 0) > mostBytes) throw new EgressError('too_large');
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response as AsyncIterable<Uint8Array>) {
    size += part.length;
    if (size > mostBytes) throw new EgressError('too_large');
    parts.push(part);
  }
  return { url: url.href, status: response.statusCode ?? 0, headers, body: Buffer.concat(parts) };
}

const headersOf = ({ headers }: IncomingMessage): EgressResponse['headers'] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

// Resolves a name with the operating system's resolver, once for each request.

interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

type ResolveHost = (name: string) => Promise<readonly ResolvedAddress[]>;

const resolveHost: ResolveHost = async (name) => {
  try {
    return await lookup(name, { all: true, order: 'verbatim' });
  } catch (cause) {
    throw new EgressError('unknown_name', { cause });
  }
};
