// Routes with which the owner creates, changes and deletes webhooks and reads their deliveries. A secret is shown once,
// when it is created.
import {
  changeWebhookSchema,
  createWebhookSchema,
  deliveriesResponseSchema,
  listDeliveriesSchema,
  replayedSchema,
  webhookDeliverySchema,
  webhookSchema,
  webhookSecretSchema,
  webhooksResponseSchema,
} from '@relay/contract/api/webhooks';
import { z } from 'zod';
import { type App, errorResponses } from '../app.ts';
import type { HttpDeps } from '../deps.ts';

const tags = ['webhooks'];
const params = z.object({ webhook: z.string().max(128).describe('Name or id of the webhook') });
const one = params.extend({
  delivery: z.string().min(4).max(36).describe('Id of the delivery, or its beginning'),
});

export function webhookRoutes(app: App, { webhooks }: Pick<HttpDeps, 'webhooks'>): void {
  app.get(
    '/api/webhooks',
    {
      schema: {
        operationId: 'listWebhooks',
        summary: 'List webhooks with their events and state',
        tags,
        response: { 200: webhooksResponseSchema, ...errorResponses() },
      },
    },
    async () => ({ webhooks: [...(await webhooks.list())] }),
  );

  app.post(
    '/api/webhooks',
    {
      config: { access: 'token' },
      schema: {
        operationId: 'createWebhook',
        summary: 'Add a webhook; its secret is shown once',
        tags,
        body: createWebhookSchema,
        response: { 201: webhookSecretSchema, ...errorResponses(400, 404, 409, 413, 415) },
      },
    },
    async ({ body }, reply) =>
      reply
        .code(201)
        .header('cache-control', 'no-store')
        .send(await webhooks.create(body)),
  );

  app.patch(
    '/api/webhooks/:webhook',
    {
      config: { access: 'token' },
      schema: {
        operationId: 'changeWebhook',
        summary: 'Change a webhook, or turn it on or off; omitted fields stay unchanged',
        tags,
        params,
        body: changeWebhookSchema,
        response: { 200: webhookSchema, ...errorResponses(400, 404, 409, 413, 415) },
      },
    },
    ({ params: { webhook }, body }) => webhooks.change(webhook, body),
  );

  app.delete(
    '/api/webhooks/:webhook',
    {
      schema: {
        operationId: 'removeWebhook',
        summary: 'Remove a webhook; its queued events are discarded',
        tags,
        params,
        response: { 200: webhookSchema, ...errorResponses(404) },
      },
    },
    ({ params: { webhook } }) => webhooks.remove(webhook),
  );

  app.post(
    '/api/webhooks/:webhook/rotate',
    {
      config: { access: 'token' },
      schema: {
        operationId: 'rotateWebhookSecret',
        summary: 'Create a new secret, shown once; the old one stays valid for one day',
        tags,
        params,
        response: { 200: webhookSecretSchema, ...errorResponses(404, 415) },
      },
    },
    async ({ params: { webhook } }, reply) =>
      reply.header('cache-control', 'no-store').send(await webhooks.rotate(webhook)),
  );

  app.post(
    '/api/webhooks/:webhook/test',
    {
      schema: {
        operationId: 'testWebhook',
        summary: 'Send a test event now and return the result',
        tags,
        params,
        response: { 200: webhookDeliverySchema, ...errorResponses(404, 415) },
      },
    },
    ({ params: { webhook } }) => webhooks.test(webhook),
  );

  deliveryRoutes(app, webhooks);
}

function deliveryRoutes(app: App, webhooks: HttpDeps['webhooks']): void {
  app.get(
    '/api/webhooks/:webhook/deliveries',
    {
      schema: {
        operationId: 'listWebhookDeliveries',
        summary: 'List the deliveries of a webhook, newest first',
        tags,
        params,
        querystring: listDeliveriesSchema,
        response: { 200: deliveriesResponseSchema, ...errorResponses(400, 404) },
      },
    },
    ({ params: { webhook }, query }) => webhooks.deliveries(webhook, query),
  );

  app.post(
    '/api/webhooks/:webhook/deliveries/:delivery/replay',
    {
      schema: {
        operationId: 'replayWebhookDelivery',
        summary: 'Send a delivery again, under the same id',
        tags,
        params: one,
        response: { 200: webhookDeliverySchema, ...errorResponses(400, 404, 415) },
      },
    },
    ({ params: { webhook, delivery } }) => webhooks.replay(webhook, delivery),
  );

  app.post(
    '/api/webhooks/:webhook/replay',
    {
      schema: {
        operationId: 'replayDeadWebhookDeliveries',
        summary: 'Send all failed deliveries again',
        tags,
        params,
        response: { 200: replayedSchema, ...errorResponses(404, 415) },
      },
    },
    async ({ params: { webhook } }) => ({ replayed: await webhooks.replayDead(webhook) }),
  );
}
