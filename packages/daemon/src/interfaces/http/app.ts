// The server's type as the routes see it, and what this server adds to Fastify's own types.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { apiErrorSchema } from '@relay/contract/api/common';
import type { TokenClient } from '@relay/contract/api/credentials';
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
import { z } from 'zod';

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
export const ZOD_COMPILERS = {
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
export type RouteAccess =
  | 'owner'
  | 'token'
  | 'confirmed'
  | 'forwarder'
  | 'program'
  | 'monitor'
  | 'open';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: RouteAccess;
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

// Who a request comes from, once its credential was looked at.

interface HashedCredential {
  /** The hash of the secret: names the principal without giving it away. */
  readonly hash: string;
}

export type Principal =
  | (HashedCredential & { readonly kind: 'token' | 'session' | 'forwarder' })
  | (HashedCredential & { readonly kind: 'program'; readonly program: TokenClient });

// The refusals a route documents, beside its own answer.

/** An answer sent as it is made; the OpenAPI document calls it a string. */
export const streamSchema = z.custom<Readable>();

const ALWAYS = [401, 403, 421, 429, 500, 503] as const;
type Always = (typeof ALWAYS)[number];

/** What the guard and the error handler may answer on any route, and the given ones. */
export function errorResponses<Status extends number = never>(
  ...statuses: Status[]
): Record<Status | Always, typeof apiErrorSchema> {
  const entries = [...ALWAYS, ...statuses].map((status) => [status, apiErrorSchema]);
  return Object.fromEntries(entries) as Record<Status | Always, typeof apiErrorSchema>;
}
