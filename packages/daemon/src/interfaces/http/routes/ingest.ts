// Routes for notification forwarders, which submit what a phone shows of observed groups, and for their token.
// Invariant: that token is valid for the submit route only, which returns nothing but counts.
import { randomBytes } from 'node:crypto';
import {
  ingestReportSchema,
  ingestTokenSchema,
  ingestTokenStateSchema,
  notificationsSchema,
} from '@relay/contract/api/ingest';
import { z } from 'zod';
import { type App, errorResponses } from '../app.ts';
import type { HttpDeps } from '../deps.ts';
import { hashSecret } from '../guard.ts';

const tags = ['ingest'];

export function ingestRoutes(
  app: App,
  { ingest, forwarderTokens }: Pick<HttpDeps, 'ingest' | 'forwarderTokens'>,
): void {
  app.post(
    '/api/ingest/notifications',
    {
      config: { access: 'forwarder' },
      schema: {
        operationId: 'ingestNotifications',
        summary: 'Forward one or more notifications of observed groups; they are never answered',
        tags,
        body: notificationsSchema,
        response: { 200: ingestReportSchema, ...errorResponses(400, 404, 409, 413, 415) },
      },
    },
    ({ body }) => ingest.take([body].flat()),
  );

  app.get(
    '/api/ingest/token',
    {
      schema: {
        operationId: 'getIngestToken',
        summary: 'Get the state of the forwarder token: whether it exists, and its last use',
        tags,
        response: { 200: ingestTokenStateSchema, ...errorResponses() },
      },
    },
    () => forwarderTokens.state(),
  );

  app.post(
    '/api/ingest/token',
    {
      config: { access: 'token' },
      schema: {
        operationId: 'createIngestToken',
        summary: 'Create a forwarder token, shown once; the previous one is revoked',
        tags,
        response: { 201: ingestTokenSchema, ...errorResponses(415) },
      },
    },
    async (_request, reply) => {
      const token = `relay_forwarder_${randomBytes(32).toString('base64url')}`;
      await forwarderTokens.replace(hashSecret(token));
      return reply.code(201).header('cache-control', 'no-store').send({ token });
    },
  );

  app.delete(
    '/api/ingest/token',
    {
      schema: {
        operationId: 'revokeIngestToken',
        summary: 'Revoke the forwarder token',
        tags,
        response: { 204: z.null().describe('The token is revoked'), ...errorResponses() },
      },
    },
    async (_request, reply) => {
      await forwarderTokens.revoke();
      return reply.code(204).send(null);
    },
  );
}
