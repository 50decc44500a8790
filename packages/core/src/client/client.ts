// The typed client of the daemon's API, over the types generated from it. The transport is injected:
// the command brings node:http, the console fetch. Own code rather than openapi-fetch, which builds
// a global Request and Headers for every call, and so loads Node's fetch before `relay` can speak.
import type { ApiErrorResponse } from '../api/errors.ts';
import type { Answer, Operation, PathsOf, Rest } from './operations.ts';

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export interface ClientRequest {
  readonly method: Method;
  /** Path and query, filled in and encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
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

/** The daemon refused, in its own words. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: string | undefined;

  constructor(status: number, code: string, sentence: string, details?: string) {
    super(sentence);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.details = details;
  }

  get sentence(): string {
    return this.message;
  }
}

interface Parts {
  readonly path?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly header?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
}

export function createClient({ send }: { send: Send }): Client {
  const call = async (method: Method, template: string, parts: Parts = {}) => {
    const path = fill(template, parts.path ?? {}) + queryString(parts.query ?? {});
    const headers = { accept: 'application/json', ...given(parts.header ?? {}) };
    const response = await send(
      parts.body === undefined
        ? { method, path, headers }
        : {
            method,
            path,
            headers: { ...headers, 'content-type': 'application/json' },
            body: JSON.stringify(parts.body),
          },
    );
    return read(response);
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

function read({ status, body }: ClientResponse): unknown {
  const parsed = parse(body);
  if (status >= 200 && status < 300 && parsed !== undefined) return parsed;
  if (isRefusal(parsed)) {
    throw new ApiError(status, parsed.code ?? 'refused', parsed.error, parsed.details);
  }
  throw new ApiError(status, 'unreadable_answer', 'The answer did not come from a Relay daemon.');
}

/** Where seed 000 gives a body, it is a sentence alone. */
type Refusal = Omit<ApiErrorResponse, 'code'> & { readonly code?: string };

/** By hand: zod takes longer to load than most commands take to run. */
function isRefusal(parsed: unknown): parsed is Refusal {
  if (typeof parsed !== 'object' || parsed === null) return false;
  const { error, code, details } = parsed as Partial<Record<keyof ApiErrorResponse, unknown>>;
  const optional = [code, details].every((part) => part === undefined || typeof part === 'string');
  return typeof error === 'string' && optional;
}

function parse(body: string): unknown {
  if (body === '') return null;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
