// The typed client of the daemon's API, based on the generated types. The transport is injected: node:http in the
// command, fetch in the console. Not openapi-fetch, because it builds a global Request and Headers for every call and
// so loads Node's fetch before `relay` can print anything.
import { readResponse } from './api-error.ts';
import { KEYED } from './keyed.ts';
import type { paths } from './openapi.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface ClientRequest {
  readonly method: Method;
  /** Path and query, with parameters filled in and encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The body, in place of a text. */
  readonly file?: Blob;
  /** The response of a call that succeeds is a file. */
  readonly wantsFile?: boolean;
  readonly signal?: AbortSignal;
}

export interface ClientResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
  /** The response's body, in place of a text. */
  readonly file?: Blob;
}

export type SendRequest = (request: ClientRequest) => Promise<ClientResponse>;

export interface Client {
  /** Any call by its method and path, without types. */
  call(method: Method, path: string, input?: RequestParts): Promise<unknown>;
  get<Path extends PathsOf<'get'>>(
    path: Path,
    ...rest: RequestArgs<Operation<Path, 'get'>>
  ): Promise<OperationResult<Operation<Path, 'get'>>>;
  post<Path extends PathsOf<'post'>>(
    path: Path,
    ...rest: RequestArgs<Operation<Path, 'post'>>
  ): Promise<OperationResult<Operation<Path, 'post'>>>;
  patch<Path extends PathsOf<'patch'>>(
    path: Path,
    ...rest: RequestArgs<Operation<Path, 'patch'>>
  ): Promise<OperationResult<Operation<Path, 'patch'>>>;
  delete<Path extends PathsOf<'delete'>>(
    path: Path,
    ...rest: RequestArgs<Operation<Path, 'delete'>>
  ): Promise<OperationResult<Operation<Path, 'delete'>>>;
}

/** The header that makes a call safe to repeat. */
export const IDEMPOTENCY_KEY_HEADER = 'idempotency-key';

export interface RequestParts {
  readonly path?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly header?: Readonly<Record<string, string | undefined>>;
  /** A blob is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  readonly wantsFile?: boolean;
  readonly signal?: AbortSignal;
}

interface ClientOptions {
  readonly send: SendRequest;
  /**
   * Creates the idempotency key for calls that take one and were given none; one key per call, for all its attempts.
   */
  readonly newKey?: () => string;
}

export function createClient({ send, newKey }: ClientOptions): Client {
  const call = async (method: Method, template: string, parts: RequestParts = {}) => {
    const { signal, wantsFile } = parts;
    const { type, ...content } = encodeBody(parts.body);
    const keyed = newKey !== undefined && takesKey(method, template);
    const headers = {
      accept: wantsFile ? '*/*' : 'application/json',
      ...(keyed ? { [IDEMPOTENCY_KEY_HEADER]: newKey() } : {}),
      ...given({ 'content-type': type, ...parts.header }),
    };
    const response = await send({
      method,
      path: fill(template, parts.path ?? {}) + queryString(parts.query ?? {}),
      headers,
      ...content,
      ...(wantsFile ? { wantsFile } : {}),
      ...(signal === undefined ? {} : { signal }),
    });
    return response.file ?? readResponse(response);
  };
  return {
    call: (method, path, input) => call(method, path, input),
    get: (path, ...[input]) => call('GET', path, input as RequestParts) as Promise<never>,
    post: (path, ...[input]) => call('POST', path, input as RequestParts) as Promise<never>,
    patch: (path, ...[input]) => call('PATCH', path, input as RequestParts) as Promise<never>,
    delete: (path, ...[input]) => call('DELETE', path, input as RequestParts) as Promise<never>,
  };
}

function encodeBody(
  body: unknown,
): Pick<ClientRequest, 'body' | 'file'> & { readonly type?: string } {
  if (body === undefined) return {};
  if (!isBlob(body)) return { type: 'application/json', body: JSON.stringify(body) };
  return { type: body.type || 'application/octet-stream', file: body };
}

/** Without `Blob` itself, which Node loads when it is named. */
const isBlob = (body: unknown): body is Blob =>
  typeof body === 'object' && body !== null && 'arrayBuffer' in body;

/** Every write of version 1 takes a key. */
const takesKey = (method: Method, template: string): boolean =>
  template.startsWith('/api/v1/') ? method !== 'GET' : KEYED.has(`${method} ${template}`);

function fill(template: string, values: Readonly<Record<string, string | number>>): string {
  return template.replace(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(String(values[name] ?? '')),
  );
}

const given = (values: NonNullable<RequestParts['header']>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );

function queryString(values: Readonly<Record<string, string | number | undefined>>): string {
  const pairs = Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

// Types over the generated ones: which paths have which method, what a call needs and returns.

export type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete';
export type Operation<Path extends keyof paths, V extends Verb> = NonNullable<paths[Path][V]>;
/** Calls with JSON in both directions; archives, files, streams and pages use the transport itself. */
type PathsOf<V extends Verb> = {
  [Path in keyof paths]: [OperationResult<Operation<Path, V>>] extends [never] ? never : Path;
}[keyof paths];

type Json<Response> = Response extends { content: { 'application/json': infer Body } }
  ? Body
  : Response extends { content?: never }
    ? null
    : never;
/** The result of a successful call; null if the response has no body. */
export type OperationResult<Op> = Op extends {
  requestBody: { content: { 'application/gzip': unknown } | { '*/*': unknown } };
}
  ? never
  : JsonResult<Op>;
export type JsonResult<Op> = Op extends { responses: infer Responses }
  ? { [S in keyof Responses & (200 | 201 | 204)]: Json<Responses[S]> }[keyof Responses &
      (200 | 201 | 204)]
  : never;

type Part<Name extends string, Value> = [Value] extends [never]
  ? unknown
  : Record<never, never> extends Value
    ? { readonly [N in Name]?: Value }
    : { readonly [N in Name]: Value };
type Parameter<Op, Where extends string> = Op extends { parameters: infer P }
  ? Where extends keyof P
    ? Exclude<P[Where], undefined>
    : never
  : never;
type Given<Op> = Op extends { requestBody?: infer R } ? NonNullable<R> : never;
type Body<Op> = [Given<Op>] extends [never]
  ? never
  : Given<Op> extends { content: { 'application/json': infer B } }
    ? B
    : Given<Op> extends { content: { '*/*': unknown } }
      ? Blob
      : never;
export type OperationInput<Op> = { readonly signal?: AbortSignal } & Part<
  'path',
  Parameter<Op, 'path'>
> &
  Part<'query', Parameter<Op, 'query'>> &
  Part<'header', Parameter<Op, 'header'>> &
  Part<'body', Body<Op>>;
type RequestArgs<Op> =
  Record<never, never> extends OperationInput<Op>
    ? [input?: OperationInput<Op>]
    : [input: OperationInput<Op>];
