// The server's type as the routes see it, and what this server adds to Fastify's own types.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Principal } from './authenticate.ts';

export type App = FastifyInstance<
  Server,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/** `owner`: token or session, the default. `token`: the token alone. `open`: anybody on this host. */
export type Access = 'owner' | 'token' | 'open';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    /** What a body must be; JSON unless said. */
    body?: 'json' | 'gzip';
  }
  interface FastifyRequest {
    /** Null on open routes only. */
    principal: Principal | null;
  }
}
