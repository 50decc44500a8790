// The server's type as the routes see it, and what this server adds to Fastify's own types.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyServerOptions,
  RouteOptions,
} from 'fastify';
import {
  serializerCompiler,
  validatorCompiler,
  type ZodTypeProvider,
} from 'fastify-type-provider-zod';
import type { Principal } from './principal.ts';

export type App = FastifyInstance<
  Server,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

type SchemaController = NonNullable<FastifyServerOptions['schemaController']>;

/**
 * Schemas are zod's alone: Fastify's own compilers, slow to load, stay unloaded. Its types know no
 * other compilers than those two, hence the cast.
 */
export const ZOD_ONLY = {
  schemaController: {
    compilersFactory: {
      buildValidator: () => validatorCompiler,
      buildSerializer: () => serializerCompiler,
    },
  } as unknown as SchemaController,
};

/**
 * `owner`: token or session, the default. `token`: the token alone. `confirmed`: the token, or a session that has just
 * signed in or brings the token in the header `relay-owner-token`. `forwarder`: that token, or the one of
 * notification forwarders, which opens nothing else. `program`: a scoped token, and not the owner's, which has
 * no scopes to bound it. `monitor`: the owner, or a token with the scope `metrics:read`. `open`: anybody on this host.
 */
export type Access = 'owner' | 'token' | 'confirmed' | 'forwarder' | 'program' | 'monitor' | 'open';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    /** What a body must be; JSON unless said. */
    body?: 'json' | 'gzip' | 'file';
  }
  interface FastifyInstance {
    /** The route table, as declared: what is documented and what the guard's tests run through. */
    readonly routes: readonly RouteOptions[];
  }
  interface FastifyRequest {
    /** Null on open routes only. */
    principal: Principal | null;
  }
}
