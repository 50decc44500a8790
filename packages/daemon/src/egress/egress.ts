// The one client for the outside. A name is resolved once and the connection goes to what was checked; each
// redirect is checked anew; size, time and redirects have limits. No proxy, no cookies, nothing is kept.
import { type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isOutside } from './address.ts';
import { EgressError } from './error.ts';
import { type Answer, readAnswer, readStatus } from './read.ts';
import { type Address, type Resolve, resolve } from './resolve.ts';

export interface EgressRequest {
  readonly method?: 'GET' | 'POST';
  /** Sent to this origin alone: a redirect to another gets none of them. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly mostBytes?: number;
  /** The status is the answer: what else comes is not read. */
  readonly statusOnly?: boolean;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Rejects with an `EgressError`, whatever went wrong. */
export type Egress = (url: string, request?: EgressRequest) => Promise<Answer>;

export interface EgressOptions {
  /** For tests: addresses with their port, as in `127.0.0.1:8080`, that may be reached all the same. */
  readonly allow?: readonly string[];
  /**
   * Hosts with their port, as in `collector:4318`, that the owner wrote into the file of settings: wherever the name
   * leads. Never for what comes over the API, from a model or from anybody's message.
   */
  readonly own?: readonly string[];
  readonly resolve?: Resolve;
}

const MOST_BYTES = 1024 * 1024;
const TIMEOUT_MS = 10_000;
const MOST_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export function openEgress(options: EgressOptions = {}): Egress {
  const allowed = new Set(options.allow ?? []);
  const own = new Set(options.own ?? []);
  const resolveName = options.resolve ?? resolve;

  async function addressesOf(url: URL): Promise<readonly Address[]> {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const family = isIP(host);
    const found = family === 0 ? await resolveName(host) : [{ address: host, family }];
    const port = url.port || (url.protocol === 'https:' ? '443' : '80');
    const isOwn = own.has(placeOf(url));
    const reachable = ({ address }: Address) =>
      isOwn || isOutside(address) || allowed.has(`${address}:${port}`);
    // One bad address spoils them all: a name that leads inside and outside is up to no good.
    if (found.length === 0 || !found.every(reachable)) throw new EgressError('address_inside');
    return found;
  }

  return async (asked, request = {}) => {
    const over = AbortSignal.timeout(request.timeoutMs ?? TIMEOUT_MS);
    const signal = request.signal ? AbortSignal.any([over, request.signal]) : over;
    const ended = () => new EgressError(over.aborted ? 'too_slow' : 'stopped');
    let url = parsed(asked);
    let { headers = {} } = request;
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
      const addresses = await unlessAborted(addressesOf(url), signal, ended);
      const one = { url, addresses, headers, signal, ended, request };
      const answer = await send(one);
      if (!REDIRECTS.has(answer.status)) return answer;
      const next = redirectOf(answer, url, request);
      if (next.origin !== url.origin) headers = {};
      url = next;
    }
    throw new EgressError('too_many_redirects');
  };
}

/** Host and port, as `own` has them. */
export const placeOf = ({ hostname, port, protocol }: URL): string =>
  `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;

function parsed(text: string, base?: URL): URL {
  const url = URL.canParse(text, base?.href) ? new URL(text, base) : null;
  if (url === null) throw new EgressError('not_an_address');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new EgressError('not_http');
  if (url.username !== '' || url.password !== '') throw new EgressError('not_an_address');
  return url;
}

function redirectOf({ headers }: Answer, from: URL, { method = 'GET' }: EgressRequest): URL {
  // What was posted was for one place; nobody else is given it.
  if (method !== 'GET') throw new EgressError('too_many_redirects');
  const next = parsed(headers.location ?? '', from);
  if (from.protocol === 'https:' && next.protocol === 'http:') throw new EgressError('not_http');
  return next;
}

interface OneRequest {
  readonly url: URL;
  readonly addresses: readonly Address[];
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly request: EgressRequest;
  ended(): EgressError;
}

function send({ url, addresses, headers, signal, ended, request }: OneRequest): Promise<Answer> {
  const { method = 'GET', body, mostBytes = MOST_BYTES, statusOnly = false } = request;
  const options: RequestOptions & { rejectUnauthorized: boolean } = {
    method,
    headers: { 'user-agent': 'relay', 'accept-encoding': 'identity', ...headers },
    // A connection of its own: no pool, and no proxy that the environment may name.
    agent: false,
    lookup: pinned(addresses),
    rejectUnauthorized: true,
    signal,
  };
  return new Promise((resolve, reject) => {
    const failed = (error: unknown) => reject(signal.aborted ? ended() : egressError(error));
    const open = url.protocol === 'https:' ? requestHttps : requestHttp;
    const sent = open(url, options, (response) => {
      const read = statusOnly ? readStatus(response, url) : readAnswer(response, url, mostBytes);
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

/** Whoever asks for the name's address is given those that were checked, and no new ones. */
function pinned(addresses: readonly Address[]): LookupFunction {
  return (_name, { all }, answer) => {
    if (all) return answer(null, [...addresses]);
    const [first] = addresses;
    return answer(null, first?.address ?? '', first?.family);
  };
}

/** A name that is never answered must not be waited for longer than the rest. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal, ended: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(ended());
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
