// Routes for retention periods and for erasing a contact's data. They only call the service.
import {
  chatRetentionRequestSchema,
  erasureReceiptSchema,
  forgetPreviewSchema,
  forgetQuerySchema,
  forgetRequestSchema,
  retentionChatSchema,
  retentionRunSchema,
  retentionStatusSchema,
} from '@relay/contract/api/retention';
import { type App, errorResponses } from '../app.ts';
import type { HttpDeps } from '../deps.ts';

export function retentionRoutes(app: App, { retention }: Pick<HttpDeps, 'retention'>): void {
  app.get(
    '/api/retention',
    {
      schema: {
        operationId: 'getRetention',
        summary: 'Get the limits, the age of stored data, and past deletions',
        tags: ['privacy'],
        response: { 200: retentionStatusSchema, ...errorResponses() },
      },
    },
    () => retention.status(),
  );
  app.patch(
    '/api/retention/chats',
    {
      schema: {
        operationId: 'setChatRetention',
        summary: 'Set how many days messages of one chat are kept',
        tags: ['privacy'],
        body: chatRetentionRequestSchema,
        response: { 200: retentionChatSchema, ...errorResponses(400, 404, 413, 415) },
      },
    },
    (request) => retention.setChat(request.body.id, request.body.days),
  );
  app.post(
    '/api/retention/run',
    {
      schema: {
        operationId: 'runRetention',
        summary: 'Delete now what is older than its limit, and rewrite the database files',
        tags: ['privacy'],
        response: { 200: retentionRunSchema, ...errorResponses() },
      },
    },
    () => retention.run(),
  );
  app.get(
    '/api/forget',
    {
      schema: {
        operationId: 'previewForget',
        summary: 'Preview what erasing a contact or a group would delete',
        tags: ['privacy'],
        querystring: forgetQuerySchema,
        response: { 200: forgetPreviewSchema, ...errorResponses(400, 404, 409) },
      },
    },
    (request) => retention.preview(request.query.id),
  );
  app.post(
    '/api/forget',
    {
      schema: {
        operationId: 'forget',
        summary: 'Erase a contact or a group permanently; returns a receipt',
        tags: ['privacy'],
        body: forgetRequestSchema,
        response: { 200: erasureReceiptSchema, ...errorResponses(400, 404, 409, 413, 415) },
      },
    },
    (request) => retention.forget(request.body.id),
  );
}
