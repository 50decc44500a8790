// Webhooks of version 1. A client has its own, which are limited like its token and end with it.

import { type V1, v1 } from '@relay/contract/api/v1';
import type { Webhook, WebhookDelivery } from '@relay/contract/api/webhooks';
import { RelayError } from '@relay/contract/errors';
import { z } from 'zod';
import type { App } from '../app.ts';
import { EXAMPLE } from './examples.ts';
import {
  clientBehind,
  OFFSET,
  operation,
  pageQuery,
  readPage,
  slicePage,
  toPage,
  type V1Context,
} from './operation.ts';

const tag = 'webhooks';
const scope = 'webhooks:write';
const params = { webhook_id: z.guid() };
const path = '/webhooks/:webhook_id';
const named = { webhook_id: EXAMPLE.webhook.webhook_id };
const SECRET = 'whsec_dGhpcyBpcyBhbiBleGFtcGxlIG9mIGEgc2VjcmV0IQ==';
const SEQ = /^\d{1,18}$/;

export function webhookOperations(app: App, context: V1Context): void {
  operation(app, context, {
    method: 'GET',
    path: '/webhooks',
    operationId: 'webhooks.list',
    summary: 'List webhooks',
    description: 'A client sees its own.',
    tag,
    scope,
    query: z.strictObject(pageQuery),
    response: 'webhooks',
    example: { query: { limit: 20 }, response: { data: [EXAMPLE.webhook], next_cursor: null } },
    async run({ services, principal, query }) {
      const client = clientBehind(principal);
      const all = (await services.webhooks.list(client)).map((one) => toWebhook(one, client));
      return toPage(tag, slicePage(all, readPage(tag, query, OFFSET)));
    },
  });

  operation(app, context, {
    method: 'POST',
    path: '/webhooks',
    operationId: 'webhooks.create',
    summary: 'Add a webhook; its secret is shown once',
    description:
      'A webhook of a client receives what its token may see, and ends when the token is revoked.',
    tag,
    scope,
    owner: 'token',
    body: v1.createWebhook,
    status: 201,
    response: 'webhookSecret',
    repeat: 'never',
    example: {
      body: { url: EXAMPLE.webhook.url, name: 'crm', events: EXAMPLE.webhook.events },
      response: { ...EXAMPLE.webhook, secret: SECRET },
    },
    async run({ services, principal, body: { contacts, ...body } }) {
      const client = clientBehind(principal);
      const chats = contacts === undefined ? {} : { chats: requireIds(contacts, client) };
      const made = await services.webhooks.create({ ...body, ...chats, verify: true }, client);
      return { ...toWebhook(made, client), secret: made.secret };
    },
  });

  operation(app, context, {
    method: 'GET',
    path,
    operationId: 'webhooks.get',
    summary: 'Get a webhook',
    tag,
    scope,
    params,
    response: 'webhook',
    example: { params: named, response: EXAMPLE.webhook },
    async run({ services, principal, params: { webhook_id: webhook } }) {
      const client = clientBehind(principal);
      const found = (await services.webhooks.list(client)).find(({ id }) => id === webhook);
      if (found === undefined) throw new RelayError('webhook_not_found', { webhook });
      return toWebhook(found, client);
    },
  });

  operation(app, context, {
    method: 'PATCH',
    path,
    operationId: 'webhooks.change',
    summary: 'Change a webhook, or turn it on or off; omitted fields stay unchanged',
    tag,
    scope,
    owner: 'token',
    params,
    body: v1.changeWebhook,
    response: 'webhook',
    example: {
      params: named,
      body: { enabled: false },
      response: { ...EXAMPLE.webhook, enabled: false },
    },
    async run({ services, principal, params, body: { contacts, ...body } }) {
      const client = clientBehind(principal);
      const chats =
        contacts === undefined ? {} : { chats: contacts && requireIds(contacts, client) };
      const changed = { ...body, ...chats };
      return toWebhook(await services.webhooks.change(params.webhook_id, changed, client), client);
    },
  });

  operation(app, context, {
    method: 'DELETE',
    path,
    operationId: 'webhooks.delete',
    summary: 'Delete a webhook; its queued events are discarded',
    tag,
    scope,
    params,
    response: 'webhook',
    example: { params: named, response: EXAMPLE.webhook },
    async run({ services, principal, params }) {
      const client = clientBehind(principal);
      return toWebhook(await services.webhooks.remove(params.webhook_id, client), client);
    },
  });

  operation(app, context, {
    method: 'POST',
    path: `${path}/rotate`,
    operationId: 'webhooks.rotate',
    summary: 'Create a new secret, shown once; the former one stays valid for one day',
    tag,
    scope,
    owner: 'token',
    params,
    response: 'webhookSecret',
    repeat: 'never',
    example: { params: named, response: { ...EXAMPLE.webhook, secret: SECRET } },
    async run({ services, principal, params }) {
      const client = clientBehind(principal);
      const rotated = await services.webhooks.rotate(params.webhook_id, client);
      return { ...toWebhook(rotated, client), secret: rotated.secret };
    },
  });

  operation(app, context, {
    method: 'POST',
    path: `${path}/test`,
    operationId: 'webhooks.test',
    summary: 'Send a test event now and return the result',
    tag,
    scope,
    params,
    response: 'delivery',
    example: { params: named, response: { ...EXAMPLE.delivery, type: 'ping' } },
    run: async ({ services, principal, params }) =>
      toDelivery(await services.webhooks.test(params.webhook_id, clientBehind(principal))),
  });

  operation(app, context, {
    method: 'GET',
    path: `${path}/deliveries`,
    operationId: 'webhooks.deliveries',
    summary: 'List the deliveries of a webhook, newest first',
    tag,
    scope,
    params,
    query: z.strictObject(pageQuery),
    response: 'deliveries',
    example: {
      params: named,
      query: { limit: 20 },
      response: { data: [EXAMPLE.delivery], next_cursor: null },
    },
    async run({ services, principal, params, query }) {
      const { cursor, limit } = readPage('deliveries', query, SEQ);
      const page = await services.webhooks.deliveries(
        params.webhook_id,
        { limit, ...(cursor === null ? {} : { cursor }) },
        clientBehind(principal),
      );
      return toPage('deliveries', {
        data: page.deliveries.map(toDelivery),
        next_cursor: page.cursor,
      });
    },
  });
}

type Client = ReturnType<typeof clientBehind>;
const GUID = z.guid();

/** A client names contacts by their ids: a name would find people whom it may not know of. */
function requireIds(contacts: string[], client: Client): string[] {
  if (client !== undefined && contacts.some((one) => !GUID.safeParse(one).success)) {
    throw new RelayError('invalid_request', { what: '"contacts" must be ids of contacts' });
  }
  return contacts;
}

const toWebhook = ({ id, chats, note, ...one }: Webhook, client: Client): V1<'webhook'> => ({
  ...one,
  webhook_id: id,
  contacts:
    chats?.map(({ id: contact_id, kind, name }) => ({
      contact_id,
      kind,
      name: client === undefined ? name : null,
    })) ?? null,
  explanation: note,
});

const toDelivery = ({ id, event_at, last_error, ...one }: WebhookDelivery): V1<'delivery'> => ({
  ...one,
  delivery_id: id,
  occurred_at: event_at,
  explanation: last_error,
});
