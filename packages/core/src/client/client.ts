// The typed client of the daemon's API, over the types generated from it. The transport is injected:
// the command brings node:http, the console fetch. Own code rather than openapi-fetch, which builds
// a global Request and Headers for every call, and so loads Node's fetch before `relay` can speak.
import { readAnswer } from './api-error.ts';
import { KEYED } from './keyed.ts';
import type { Answer, Operation, PathsOf, Rest } from './operations.ts';

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export interface ClientRequest {
  readonly method: Method;
  /** Path and query, filled in and encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

export interface ClientResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

export type Send = (request: ClientRequest) => Promise<ClientResponse>;

export interface Client {
  get<Path extends PathsOf<'get'>>(
    path: Path,
    ...rest: Rest<Operation<Path, 'get'>>
  ): Promise<Answer<Operation<Path, 'get'>>>;
  post<Path extends PathsOf<'post'>>(
    path: Path,
    ...rest: Rest<Operation<Path, 'post'>>
  ): Promise<Answer<Operation<Path, 'post'>>>;
  patch<Path extends PathsOf<'patch'>>(
    path: Path,
    ...rest: Rest<Operation<Path, 'patch'>>
  ): Promise<Answer<Operation<Path, 'patch'>>>;
  delete<Path extends PathsOf<'delete'>>(
    path: Path,
    ...rest: Rest<Operation<Path, 'delete'>>
  ): Promise<Answer<Operation<Path, 'delete'>>>;
}

/** The header that makes a call safe to send again. */
export const KEY = 'idempotency-key';

interface Parts {
  readonly path?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly header?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

interface ClientOptions {
  readonly send: Send;
  /** For the calls that take a key of idempotency and were given none; made once, however often one is sent. */
  readonly newKey?: () => string;
}

export function createClient({ send, newKey }: ClientOptions): Client {
  const call = async (method: Method, template: string, parts: Parts = {}) => {
    const { body, signal } = parts;
    const keyed = newKey !== undefined && KEYED.has(`${method} ${template}`);
    const headers = {
      accept: 'application/json',
      ...(keyed ? { [KEY]: newKey() } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...given(parts.header ?? {}),
    };
    const response = await send({
      method,
      path: fill(template, parts.path ?? {}) + queryString(parts.query ?? {}),
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    return readAnswer(response);
  };
  return {
    get: (path, ...[input]) => call('GET', path, input as Parts) as Promise<never>,
    post: (path, ...[input]) => call('POST', path, input as Parts) as Promise<never>,
    patch: (path, ...[input]) => call('PATCH', path, input as Parts) as Promise<never>,
    delete: (path, ...[input]) => call('DELETE', path, input as Parts) as Promise<never>,
  };
}

function fill(template: string, values: Readonly<Record<string, string | number>>): string {
  return template.replace(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(String(values[name] ?? '')),
  );
}

const given = (values: NonNullable<Parts['header']>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );

function queryString(values: Readonly<Record<string, string | number | undefined>>): string {
  const pairs = Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
