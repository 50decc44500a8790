// The doors of programs: MCP at /mcp, over HTTP and over an upgraded connection, and the same tools by plain
// calls. Host, Origin and token were looked at before; the token is looked up again at each call.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex, Writable } from 'node:stream';
import { toolCallResponseSchema, toolsResponseSchema } from '@relay/contract/api/tools';
import { RelayError } from '@relay/contract/errors';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type App, errorResponses, type Principal } from '../app.ts';
import type { HttpDeps, HttpLimits } from '../deps.ts';
import { errorBody } from '../errors.ts';
import type { Authenticator } from '../guard.ts';
import type { OpenStreams } from '../streams.ts';

const tags = ['programs'];

export function toolRoutes(app: App, { programs }: Pick<HttpDeps, 'programs'>): void {
  app.get(
    '/api/tools',
    {
      config: { access: 'program' },
      schema: {
        operationId: 'listTools',
        summary: 'The tools that this token opens',
        tags,
        response: { 200: toolsResponseSchema, ...errorResponses() },
      },
    },
    async (request) => ({ tools: [...programs.tools(clientOf(request).program)] }),
  );

  app.post(
    '/api/tools/:tool',
    {
      config: { access: 'program' },
      schema: {
        operationId: 'callTool',
        summary: 'Call a tool; what needs the owner’s yes waits in the approvals',
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
      programs.call(
        clientOf(request).hash,
        request.params.tool,
        request.body,
        request.headers['idempotency-key'] ?? null,
      ),
  );
}

export function mcpRoutes(
  app: App,
  { programs }: Pick<HttpDeps, 'programs'>,
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
        // The limit of requests would not hold for what comes in heaps; the protocol has given them up.
        if (Array.isArray(request.body)) throw new RelayError('invalid_request', { what: BATCH });
        const asked = webRequest(request, raw);
        const response = await programs.fetch(asked, principal.hash, request.body);
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

const BATCH = 'a batch is no message: send each by itself';

/** What `relay mcp` asks for: the connection itself, for lines in both directions. */
const PROTOCOL = 'relay-mcp';

/**
 * Beside Fastify, which knows no upgrades: the same questions in the same order as its guard. `admit` throws
 * what is wrong with a request.
 */
export function mcpPipe(
  app: App,
  { programs }: Pick<HttpDeps, 'programs'>,
  deps: RevocationDeps & { admit(request: IncomingMessage): Promise<Principal | null> },
): void {
  const open = new Set<Socket>();
  app.server.on('upgrade', (request: IncomingMessage, connection: Duplex, head: Buffer) => {
    // What came along with the question is the first of the lines.
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
        programs.pipe(connection, principal.hash);
      },
      (error: unknown) =>
        refuse(connection, error instanceof RelayError ? error : new RelayError('internal')),
    );
  });
  app.addHook('preClose', async () => {
    // Not as if all had been answered: whoever waits must see that it was cut off.
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

/** For the library's sake: the body is handed over beside it, read already. */
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

// What a program keeps open, it keeps open as long as its token is good: it ends at once when the token is
// rotated or revoked here, and at the next look when it ran out or was changed by other means.

interface RevocationDeps {
  readonly streams: OpenStreams;
  readonly authenticator: Authenticator;
  readonly limits: HttpLimits;
}

/** `cut` ends it so that whoever reads can tell it from an answer that is complete. */
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
      // Nobody could say; the next look will.
      () => {},
    );
  };
  const looking = setInterval(look, limits.pollMs);
  ended.addEventListener('abort', () => {
    clearInterval(looking);
    cut();
  });
  // It may have ended between the guard and here.
  look();
}
