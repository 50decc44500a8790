// Declares the operations of version 1: path, access, schemas, headers, problems and idempotency, the same for each.
// The account is in the path; a route gets that account's services and hands them on.
import { createHash } from 'node:crypto';
import { type V1Call, type V1Surface, v1 } from '@relay/contract/api/v1';
import { RelayError } from '@relay/contract/errors';
import type { ClientScope } from '@relay/contract/policy/scopes';
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { z } from 'zod';
import {
  type App,
  fileContent,
  type OperationExample,
  type Principal,
  type RouteAccess,
} from '../app.ts';
import type { HttpDeps, HttpLimits } from '../deps.ts';
import type { Authenticator } from '../guard.ts';
import type { OpenStreams } from '../streams.ts';
import { registerFileRoutes } from '../upload.ts';
import { createOwnerSurface } from './owner-surface.ts';

/** Where the operations of an account begin. */
export const V1_ACCOUNT = '/api/v1/accounts/:account';

export interface V1Context {
  readonly deps: HttpDeps;
  readonly streams: OpenStreams;
  readonly authenticator: Authenticator;
  readonly limits: HttpLimits;
}

/** The account of a request: its name, and its services. */
interface V1Account {
  readonly name: string;
  readonly services: HttpDeps;
}

/** A handler's view of a request. */
interface V1Request<Params, Query, Body> extends V1Call, V1Account {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly principal: Principal;
  /** The operations as the caller may use them. */
  readonly surface: V1Surface;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface Operation<
  Params extends z.ZodRawShape,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Name extends keyof typeof v1,
> {
  readonly method: Method;
  /** Below the account. */
  readonly path: string;
  /** `noun.verb`; the typed client's name for it. */
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  /** Clients with this scope may call it; without one, only the owner. */
  readonly scope?: ClientScope | 'any';
  /** What the owner must confirm, or do with their token. */
  readonly owner?: 'confirmed' | 'token';
  readonly params?: Params;
  readonly query?: Query;
  /** `file`: the body is a file of any type, which the handler reads as a stream. */
  readonly body?: Body | 'file';
  readonly status?: 200 | 201;
  /** `file`: the handler sends a file, or the part of it that is asked for. */
  readonly response: Name | 'file';
  /** Also answers with Server-Sent Events. */
  readonly streams?: true;
  /** Statuses of problems besides those that every operation may answer. */
  readonly problems?: readonly number[];
  /**
   * Whether a request may be carried out again after its outcome was lost. `never`: its effect cannot be recognised, so
   * the same key is then refused.
   */
  readonly repeat?: 'never' | ((body: z.output<Body>) => 'safe' | 'never');
  /** Whether a file is the one that the kept response is about. */
  isSameFile?(request: FastifyRequest, kept: z.input<(typeof v1)[Name]>): Promise<boolean>;
  readonly example: OperationExample;
  run(
    input: V1Request<z.output<z.ZodObject<Params>>, z.output<Query>, z.output<Body>>,
  ): Promise<z.input<(typeof v1)[Name]> | FastifyReply>;
}

const accessOf = ({
  scope,
  owner,
}: {
  scope?: ClientScope | 'any';
  owner?: 'confirmed' | 'token';
}): RouteAccess =>
  scope === undefined ? (owner ?? 'owner') : { scope, ...(owner === undefined ? {} : { owner }) };

function whoMayCall(scope: ClientScope | 'any' | undefined): string {
  if (scope === undefined) return 'For the owner.';
  return scope === 'any'
    ? 'For the owner and all clients.'
    : `For the owner, and clients with the scope \`${scope}\`.`;
}

const EVERY_PROBLEM = [400, 401, 403, 404, 421, 429, 500, 503];
const idempotencyHeaders = z.object({
  'idempotency-key': z.string().min(1).max(128).optional(),
});
const rangeHeaders = z.object({ range: z.string().optional() });

export function operation<
  Name extends keyof typeof v1,
  Params extends z.ZodRawShape = Record<never, never>,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
>(app: App, context: V1Context, spec: Operation<Params, Query, Body, Name>): void {
  const { method, example, body, query } = spec;
  const changes = method !== 'GET';
  const status = spec.status ?? 200;
  const takesFile = body === 'file';
  const answers =
    spec.response === 'file'
      ? { 200: fileContent, 206: fileContent }
      : {
          [status]: {
            content: {
              'application/json': { schema: v1[spec.response] },
              ...(spec.streams && { 'text/event-stream': { schema: z.string() } }),
            },
          },
        };
  const refused = changes ? [409, 415, ...(body === undefined ? [] : [413])] : [];
  const problems = [...EVERY_PROBLEM, ...refused, ...(spec.problems ?? [])];
  const route: RouteOptions = {
    method,
    url: `${V1_ACCOUNT}${spec.path}`,
    config: { access: accessOf(spec), example, ...(takesFile && { body: 'media' }) },
    ...(takesFile && { bodyLimit: Number.MAX_SAFE_INTEGER }),
    schema: {
      operationId: spec.operationId,
      summary: spec.summary,
      description: [spec.description, whoMayCall(spec.scope)].filter(Boolean).join(' '),
      tags: [spec.tag],
      params: z.object({ account: z.string().max(64), ...spec.params }),
      ...(query === undefined ? {} : { querystring: query }),
      ...(takesFile && { consumes: ['*/*'] }),
      ...(takesFile || body === undefined ? {} : { body }),
      ...(changes && { headers: idempotencyHeaders }),
      ...(spec.response === 'file' && { headers: rangeHeaders }),
      response: {
        ...answers,
        ...Object.fromEntries(
          problems.map((one) => [
            one,
            { content: { 'application/problem+json': { schema: v1.problem } } },
          ]),
        ),
      },
    },
    handler: async (request, reply) => {
      const { principal } = request;
      if (principal === null) throw new RelayError('unauthorized');
      const { account, ...params } = request.params as { account: string } & object;
      const found = { name: account, services: context.deps };
      const key = changes ? keyOf(request) : null;
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      const call = { key, signal: gone.signal };
      const input = {
        ...found,
        ...call,
        params: params as z.output<z.ZodObject<Params>>,
        query: request.query as z.output<Query>,
        body: request.body as z.output<Body>,
        principal,
        surface: surfaceOf(found, principal, call),
        request,
        reply,
      };
      const run = async () => spec.run(input);
      if (key === null) return send(reply, status, await run());
      const { keptResponses } = found.services;
      // Of a file only its type is known before all of it is received.
      const known = takesFile ? request.raw.headers['content-type'] : request.body;
      let isKept = true;
      const answer = await keptResponses.once(
        {
          actor: principal.kind === 'program' ? `token:${principal.program.id}` : 'owner',
          key: `${method} ${request.url} ${key}`,
          hash: createHash('sha256')
            .update(JSON.stringify(known ?? null))
            .digest(),
          mayRepeat: repeatOf(spec.repeat, input.body) !== 'never',
        },
        async () => {
          isKept = false;
          return (await run()) as object;
        },
      );
      const kept = answer as z.input<(typeof v1)[Name]>;
      if (isKept && (await spec.isSameFile?.(request, kept)) === false) {
        throw new RelayError('key_reused');
      }
      return send(reply, status, answer);
    },
  };
  if (takesFile) registerFileRoutes(app, (scope) => scope.route(route));
  else app.route(route);
}

const repeatOf = <Body>(
  repeat: 'never' | ((body: Body) => 'safe' | 'never') | undefined,
  body: Body,
) => (typeof repeat === 'function' ? repeat(body) : repeat);

const send = (reply: FastifyReply, status: number, answer: object): FastifyReply =>
  answer === reply ? reply : reply.code(status).header('cache-control', 'no-store').send(answer);

const keyOf = ({ headers }: FastifyRequest): string | null => {
  const given = headers['idempotency-key'];
  return given === undefined ? null : String(given);
};

function surfaceOf({ services }: V1Account, principal: Principal, call: V1Call): V1Surface {
  return principal.kind === 'program'
    ? services.clients.v1(principal.hash, call)
    : createOwnerSurface(services, call);
}

/** The client that calls; undefined for the owner. */
export const clientBehind = (principal: Principal) =>
  principal.kind === 'program' ? principal.program : undefined;

// Pages. A cursor is opaque, and belongs to the list that returned it.

export const pageQuery = {
  cursor: z.string().max(400).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
};

/** The page that is asked for, with the place behind its cursor. */
export function readPage(
  list: string,
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
  form: RegExp,
) {
  if (cursor === undefined) return { cursor: null, limit };
  const [of, place = ''] = Buffer.from(cursor, 'base64url').toString().split('\n');
  if (of !== list || !form.test(place)) {
    throw new RelayError('invalid_request', { what: 'the cursor does not belong to this list' });
  }
  return { cursor: place, limit };
}

export function toPage<Item>(
  list: string,
  { data, next_cursor: place }: { readonly data: Item[]; readonly next_cursor: string | null },
) {
  const next_cursor =
    place === null ? null : Buffer.from(`${list}\n${place}`).toString('base64url');
  return { data, next_cursor };
}

export const OFFSET = /^\d{1,9}$/;
export const UUID = /^[0-9a-f-]{36}$/;

/** A page of a list that its service returns as a whole. */
export function slicePage<Item>(
  all: readonly Item[],
  { cursor, limit }: { readonly cursor: string | null; readonly limit: number },
) {
  const from = Number(cursor ?? 0);
  const end = from + limit;
  return { data: all.slice(from, end), next_cursor: end < all.length ? String(end) : null };
}
