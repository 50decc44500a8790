// The Fastify app's type as the routes see it, and what Relay adds to Fastify's own types.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { apiErrorSchema } from '@relay/contract/api/common';
import type { FoundClient, SignedInOwner } from '@relay/contract/api/credentials';
import type { KnownErrorCode } from '@relay/contract/errors';
import type { AccountId } from '@relay/contract/ids';
import type { ClientScope } from '@relay/contract/policy/scopes';
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
import type { ServedAccount } from './deps.ts';

export type App = FastifyInstance<
  Server,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

type SchemaController = NonNullable<FastifyServerOptions['schemaController']>;

/**
 * Schemas are compiled by zod only, so Fastify's own compilers, which are slow to load, stay unloaded. Fastify's types
 * allow only those two, hence the cast.
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
 * Who may call a route:
 * - `owner`: the owner's token, a browser session, or a paired device. This is the default; a device may need its
 *   passkey again (`EVERYDAY_CHANGES` in guard.ts).
 * - `token`: only the owner's token.
 * - `confirmed`: the owner's token, or a session that has just signed in or sends the token in the header
 *   `relay-owner-token`, or a device whose passkey was just used.
 * - `forwarder`: the owner's token, or the token of notification forwarders, which is valid for no other access.
 * - `program`: a client's scoped token. Not the owner's token, because it has no scopes that limit it.
 * - `monitor`: the owner, or a token with the scope `metrics:read`.
 * - `open`: anybody on this host or at the address for phones.
 * - a scope: the owner, or a client whose token has it; `any`: the owner, or any client.
 */
export type RouteAccess =
  | 'owner'
  | 'token'
  | 'confirmed'
  | 'forwarder'
  | 'program'
  | 'monitor'
  | 'open'
  | ScopedAccess;

interface ScopedAccess {
  readonly scope: ClientScope | 'any';
  /** What the owner needs, `owner` if omitted. */
  readonly owner?: 'token' | 'confirmed';
}

/** What anybody but a client needs. */
export const ownerAccess = (access: RouteAccess) =>
  typeof access === 'object' ? (access.owner ?? 'owner') : access;

/**
 * What a route is about, and so whose it is:
 * - `account`: what is in an account. Only for the account's owner; this is the default.
 * - `figures`: the state and the figures of an account. Also for the home's owner and for operators.
 * - `home`: all accounts of this home, or the home itself. Only for the home's owner.
 * - `machine`: the processes of this home. For the home's owner and for operators.
 * - `caller`: the caller, or whatever the caller may see. It is for no particular account.
 */
export type RouteSubject = 'account' | 'figures' | 'home' | 'machine' | 'caller';

/** A request and its response as the documentation shows them, and as the contract test sends them. */
export interface OperationExample {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number>>;
  /** The text stands for the bytes of a file. */
  readonly body?: object | string;
  readonly response: object | string;
  /** Problems of this operation alone, by status. */
  readonly problems?: Readonly<
    Record<number, readonly [KnownErrorCode, Readonly<Record<string, string | number>>]>
  >;
}

/** The address that a request came to. */
export interface Site {
  /** Whether it came through the owner's proxy, from outside this machine. */
  readonly isRemote: boolean;
  readonly host: string;
  readonly origin: string;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: RouteAccess;
    subject?: RouteSubject;
    /** The body's media type; JSON by default. */
    body?: 'json' | 'gzip' | 'file' | 'media';
    /** Of an operation of version 1: what its documentation shows. */
    example?: OperationExample;
  }
  interface FastifyInstance {
    /** The routes as declared, for the documentation and for the guard's tests. */
    readonly routes: readonly RouteOptions[];
  }
  interface FastifyRequest {
    /** Where the request came to; set by the guard. */
    site: Site;
    /** Which account the request is for. Not set on routes that are for none. */
    account?: ServedAccount;
    /** Null on open routes only. */
    principal: Principal | null;
  }
}

// The principal of a request, set after its credential was checked.

interface HashedCredential {
  /** The hash of the secret: identifies the principal without revealing the secret. */
  readonly hash: string;
}

export type Principal =
  | OwnerPrincipal
  | (HashedCredential & { readonly kind: 'forwarder'; readonly account: AccountId })
  | (HashedCredential & { readonly kind: 'program'; readonly program: FoundClient });

/** An owner, by their token or by a session. */
export type OwnerPrincipal = HashedCredential & {
  readonly kind: 'token' | 'session' | 'device';
  readonly owner: SignedInOwner;
};

// The error responses that a route documents besides its own.

/** A response that is streamed; the OpenAPI document calls it a string. */
export const streamSchema = z.custom<Readable>();

/** A response that is a file of any type. */
export const fileContent = { content: { 'application/octet-stream': { schema: streamSchema } } };

const ALWAYS = [401, 403, 421, 429, 500, 503] as const;
type Always = (typeof ALWAYS)[number];

/** The error responses that the guard and the error handler may give on any route, plus `statuses`. */
export function errorResponses<Status extends number = never>(
  ...statuses: Status[]
): Record<Status | Always, typeof apiErrorSchema> {
  const entries = [...ALWAYS, ...statuses].map((status) => [status, apiErrorSchema]);
  return Object.fromEntries(entries) as Record<Status | Always, typeof apiErrorSchema>;
}
