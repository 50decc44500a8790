// Routes with which the owner creates, rotates and revokes clients' tokens. A secret is shown once.
import {
  createTokenSchema,
  tokenSchema,
  tokenSecretSchema,
  tokensResponseSchema,
} from '@relay/contract/api/credentials';
import { tokenId } from '@relay/contract/ids';
import { z } from 'zod';
import { type App, errorResponses } from '../app.ts';
import type { HttpDeps } from '../deps.ts';
import { OWNER_TOKEN_HEADER } from '../guard.ts';
import { sharedTokensOf } from '../shared-tokens.ts';
import type { OpenStreams } from '../streams.ts';

const tags = ['tokens'];
const params = z.object({ token: z.string().max(128).describe('Name or id of the token') });

/** Needed only by a browser session that did not sign in within the last five minutes; the guard reads it. */
const headers = z.object({ [OWNER_TOKEN_HEADER]: z.string().max(200).optional() });

export function tokenRoutes(
  app: App,
  { tokens, accounts }: Pick<HttpDeps, 'tokens' | 'accounts'>,
  streams: OpenStreams,
): void {
  app.get(
    '/api/tokens',
    {
      schema: {
        operationId: 'listProgramTokens',
        summary: 'List the tokens of clients with scopes, contacts and last use',
        tags,
        response: { 200: tokensResponseSchema, ...errorResponses() },
      },
    },
    async () => ({ tokens: [...(await tokens.list())] }),
  );

  app.post(
    '/api/tokens',
    {
      config: { access: 'confirmed' },
      schema: {
        operationId: 'createProgramToken',
        summary: 'Create a token for a client; its secret is shown once',
        tags,
        headers,
        body: createTokenSchema,
        response: { 201: tokenSecretSchema, ...errorResponses(400, 404, 409, 413, 415) },
      },
    },
    async (request, reply) =>
      reply
        .code(201)
        .header('cache-control', 'no-store')
        .send(await sharedTokensOf(accounts, request).create(request.body)),
  );

  app.post(
    '/api/tokens/:token/rotate',
    {
      config: { access: 'confirmed' },
      schema: {
        operationId: 'rotateProgramToken',
        summary:
          'Create a new secret for a token, shown once; the old one stops working immediately',
        tags,
        params,
        headers,
        response: { 200: tokenSecretSchema, ...errorResponses(404, 409, 415) },
      },
    },
    async (request, reply) => {
      const rotated = await sharedTokensOf(accounts, request).rotate(request.params.token);
      streams.endProgram(tokenId(rotated.id));
      return reply.header('cache-control', 'no-store').send(rotated);
    },
  );

  app.post(
    '/api/tokens/:token/resume',
    {
      config: { access: 'confirmed' },
      schema: {
        operationId: 'resumeProgramToken',
        summary: 'Accept the secret of a token again that a restore suspended',
        tags,
        params,
        headers,
        response: { 200: tokenSchema, ...errorResponses(404, 409, 415) },
      },
    },
    (request) => sharedTokensOf(accounts, request).resume(request.params.token),
  );

  app.delete(
    '/api/tokens/:token',
    {
      schema: {
        operationId: 'revokeProgramToken',
        summary: 'Revoke a token; its queued messages are not sent',
        tags,
        params,
        response: { 200: tokenSchema, ...errorResponses(404) },
      },
    },
    async (request) => {
      const revoked = await sharedTokensOf(accounts, request).revoke(request.params.token);
      streams.endProgram(tokenId(revoked.id));
      return revoked;
    },
  );
}
