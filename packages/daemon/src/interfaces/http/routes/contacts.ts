// Routes for contacts and message requests. They only call the service.
import {
  contactCountsSchema,
  contactDetailSchema,
  contactsResponseSchema,
  listContactsSchema,
  messageRequestDismissedSchema,
  messageRequestSchema,
} from '@relay/contract/api/contacts';
import { RelayError } from '@relay/contract/errors';
import { type ContactId, contactId } from '@relay/contract/ids';
import { z } from 'zod';
import { type App, errorResponses } from '../app.ts';
import type { HttpDeps } from '../deps.ts';

const tags = ['people'];

export function contactRoutes(app: App, { people }: Pick<HttpDeps, 'people'>): void {
  app.get(
    '/api/contacts',
    {
      schema: {
        operationId: 'findContacts',
        summary: 'List people and groups with their grants; search by name, number or address',
        tags,
        querystring: listContactsSchema,
        response: { 200: contactsResponseSchema, ...errorResponses(400) },
      },
    },
    (request) => people.find(request.query),
  );

  app.get(
    '/api/contacts/counts',
    {
      schema: {
        operationId: 'countContacts',
        summary: 'Count people and groups by grant',
        tags,
        response: { 200: contactCountsSchema, ...errorResponses() },
      },
    },
    () => people.counts(),
  );

  app.get(
    '/api/contacts/:contact',
    {
      schema: {
        operationId: 'getContact',
        summary: 'Get a person or group: addresses, chats, conversations, clients and decisions',
        tags,
        params: z.strictObject({ contact: z.string() }),
        response: { 200: contactDetailSchema, ...errorResponses(404) },
      },
    },
    (request) => people.detail(named(request.params.contact)),
  );

  app.get(
    '/api/knocks',
    {
      schema: {
        operationId: 'listKnocks',
        summary: 'List message requests, newest first',
        tags,
        response: { 200: z.array(messageRequestSchema), ...errorResponses() },
      },
    },
    async () => [...(await people.messageRequests())],
  );

  app.post(
    '/api/knocks/:contact/dismiss',
    {
      schema: {
        operationId: 'dismissKnock',
        summary: 'Dismiss a message request; the next message creates a new one',
        tags,
        params: z.strictObject({ contact: z.string() }),
        response: { 200: messageRequestDismissedSchema, ...errorResponses(404, 415) },
      },
    },
    async (request) => {
      await people.dismiss(named(request.params.contact));
      return { dismissed: true as const };
    },
  );
}

function named(id: string): ContactId {
  try {
    return contactId(id);
  } catch {
    throw new RelayError('contact_not_found');
  }
}
