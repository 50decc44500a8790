// Routes for clients: MCP at /mcp, over HTTP and over an upgraded connection, and the same tools as plain calls. The
// guard has already checked Host, Origin and token; the token is looked up again at each call.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex, Writable } from 'node:stream';
import { toolCallResponseSchema, toolsResponseSchema } from '@relay/contract/api/tools';
import { RelayError } from '@relay/contract/errors';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { inAccount } from '../account-scope.ts';
import { type App, errorResponses, type Principal } from '../app.ts';
import type { HttpDeps, HttpLimits, ServedAccount } from '../deps.ts';
import { errorBody } from '../errors.ts';
import type { Authenticator } from '../guard.ts';
import type { OpenStreams } from '../streams.ts';

const tags = ['programs'];

export function toolRoutes(app: App, { clients }: Pick<HttpDeps, 'clients'>): void {
  app.get(
    '/api/tools',
    {
      config: { access: 'program' },
      schema: {
        operationId: 'listTools',
        summary: 'List the tools of this token',
        tags,
        response: { 200: toolsResponseSchema, ...errorResponses() },
      },
    },
    async (request) => {
      const { program, hash } = clientOf(request);
      return { tools: [...(await clients.tools(program, hash))] };
    },
  );

  app.post(
    '/api/tools/:tool',
    {
      config: { access: 'program' },
      schema: {
        operationId: 'callTool',
        summary: 'Call a tool; calls that need the owner’s approval create an approval',
        tags,
        params: z.object({ tool: z.string().max(60) }),
        headers: z.object({ 'idempotency-key': z.string().min(1).max(128).optional() }),
        body: z.record(z.string(), z.unknown()),
        response: {
          200: toolCallResponseSchema,
          ...errorResponses(400, 404, 409, 413, 415, 502, 504),
        },
      },
    },
    (request) =>
      clients.call(
        clientOf(request).hash,
        request.params.tool,
        request.body,
        request.headers['idempotency-key'] ?? null,
      ),
  );
}

export function mcpRoutes(
  app: App,
  { clients }: Pick<HttpDeps, 'clients'>,
  deps: RevocationDeps,
): void {
  for (const method of ['POST', 'GET', 'DELETE'] as const) {
    app.route({
      method,
      url: '/mcp',
      config: { access: 'program' },
      schema: { hide: true },
      handler: async (request, reply) => {
        const { raw } = reply;
        const principal = clientOf(request);
        // A batch would bypass the request limit; current versions of MCP no longer allow batches.
        if (Array.isArray(request.body)) throw new RelayError('invalid_request', { what: BATCH });
        const asked = webRequest(request, raw);
        const response = await clients.fetch(asked, principal.hash, request.body);
        if (isStream(response)) {
          closeWhenRevoked(deps, principal, raw, () => {
            if (!raw.writableFinished) raw.destroy();
          });
        }
        return reply.send(response);
      },
    });
  }
}

const isStream = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') === true;

const BATCH = 'batches are not supported; send each message separately';

/** The upgrade protocol of `relay mcp`, which then sends lines in both directions. */
const PROTOCOL = 'relay-mcp';

/**
 * Handles upgrades, which Fastify does not. The checks and their order are those of the guard; `admit` throws when one
 * of them fails.
 */
export function mcpPipe(
  app: App,
  { clients }: Pick<HttpDeps, 'clients'>,
  deps: RevocationDeps & {
    admit(request: IncomingMessage): Promise<Principal | null>;
    /** The account that a client's connection is for. */
    account(principal: Principal): ServedAccount;
  },
): void {
  const open = new Set<Socket>();
  app.server.on('upgrade', (request: IncomingMessage, connection: Duplex, head: Buffer) => {
    // Bytes that arrived with the upgrade request belong to the first line.
    if (head.length > 0) connection.unshift(head);
    connection.on('error', () => connection.destroy());
    connection.once('close', () => open.delete(request.socket));
    open.add(request.socket);
    deps.admit(request).then(
      (principal) => {
        if (principal?.kind !== 'program' || !isPipe(request)) {
          return refuse(connection, new RelayError('program_needed'));
        }
        connection.write(
          `HTTP/1.1 101 Switching Protocols\r\nUpgrade: ${PROTOCOL}\r\nConnection: Upgrade\r\n\r\n`,
        );
        closeWhenRevoked(deps, principal, connection, () => request.socket.resetAndDestroy());
        inAccount(deps.account(principal), () => clients.pipe(connection, principal.hash));
      },
      (error: unknown) =>
        refuse(connection, error instanceof RelayError ? error : new RelayError('internal')),
    );
  });
  app.addHook('preClose', async () => {
    // Reset the connection: a clean end would look as if all calls had been answered.
    for (const connection of open) connection.resetAndDestroy();
  });
}

const isPipe = ({ url, headers }: IncomingMessage): boolean =>
  url === '/mcp' && headers.upgrade === PROTOCOL;

function refuse(connection: Duplex, error: RelayError): void {
  const body = JSON.stringify(errorBody(error));
  connection.end(
    `HTTP/1.1 ${error.status} Refused\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

type ClientPrincipal = Extract<Principal, { kind: 'program' }>;

function clientOf({ principal }: FastifyRequest): ClientPrincipal {
  if (principal?.kind !== 'program') throw new RelayError('program_needed');
  return principal;
}

/** The library needs a web Request; the body has already been read and is passed separately. */
const webRequest = (
  { method, headers, host, url }: FastifyRequest,
  response: ServerResponse,
): Request => {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return new Request(`http://${host}${url}`, {
    method,
    headers: Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    ),
    signal: gone.signal,
  });
};

// Closes a client's open streams when its token becomes invalid: at once when it is rotated or revoked here, and at the
// next poll when it expires or is changed by other means.

interface RevocationDeps {
  readonly streams: OpenStreams;
  readonly authenticator: Authenticator;
  readonly limits: HttpLimits;
}

/** `cut` ends the stream in a way that the reader can tell from a complete response. */
function closeWhenRevoked(
  { streams, authenticator, limits }: RevocationDeps,
  principal: Principal,
  stream: Writable,
  cut: () => void,
): void {
  const ended = streams.open(principal, stream);
  const look = () => {
    authenticator.holds(principal).then(
      (good) => {
        if (!good) cut();
      },
      // The check failed; the next poll repeats it.
      () => {},
    );
  };
  const looking = setInterval(look, limits.pollMs);
  ended.addEventListener('abort', () => {
    clearInterval(looking);
    cut();
  });
  // The token may have become invalid since the guard checked it.
  look();
}
