// Seed 003's routes for conversations, which the API calls instances. They only call the service.
import {
  type ConversationService,
  createInstanceResponseSchema,
  createInstanceSchema,
  instanceCountsSchema,
  instanceSchema,
  listedInstanceSchema,
  listInstancesSchema,
  sendMessageSchema,
  stateTransitionSchema,
  transcriptLineSchema,
  transcriptQuerySchema,
} from '@relay/contract/api/instances';
import { RelayError } from '@relay/contract/errors';
import { type InstanceId, instanceId } from '@relay/contract/ids';
import { z } from 'zod';
import { type App, errorResponses } from '../app.ts';

const tags = ['instances'];
const params = z.strictObject({ id: z.string() });
const headers = z.object({ 'idempotency-key': z.string().min(1).max(200).optional() });

/** A string that is not an id is answered with 404, like the id of an instance that never existed. */
function named(id: string): InstanceId {
  try {
    return instanceId(id);
  } catch {
    throw new RelayError('instance_not_found', { id });
  }
}

export function instanceRoutes(app: App, service: ConversationService): void {
  app.post(
    '/api/instances',
    {
      schema: {
        operationId: 'createInstance',
        summary: 'Delegate a conversation: an objective, a contact, todos',
        description:
          'The same `Idempotency-Key` with the same body makes no second conversation and is answered as the first was.',
        tags,
        headers,
        body: createInstanceSchema,
        response: { 201: createInstanceResponseSchema, ...errorResponses(400, 409, 413, 415) },
      },
    },
    async ({ body, headers }, reply) =>
      reply.code(201).send(await service.create(body, headers['idempotency-key'])),
  );

  app.get(
    '/api/instances',
    {
      schema: {
        operationId: 'listInstances',
        summary: 'List conversations, the newest first, or whatever changed last',
        description:
          'The next page begins after the last instance of the one before: `after` is its id. By change, `changed_before` is its `updated_at` besides, so that a page goes on where it was even if that instance has moved.',
        tags,
        querystring: listInstancesSchema,
        response: { 200: z.array(listedInstanceSchema), ...errorResponses(400) },
      },
    },
    async (request) => [...(await service.list(request.query))],
  );

  app.get(
    '/api/instances/counts',
    {
      schema: {
        operationId: 'countInstances',
        summary: 'How many conversations there are of each state, and whose turn it is in how many',
        tags,
        response: { 200: instanceCountsSchema, ...errorResponses() },
      },
    },
    () => service.counts(),
  );

  app.get(
    '/api/instances/:id',
    {
      schema: {
        operationId: 'getInstance',
        summary: 'One conversation with its todos and state',
        tags,
        params,
        response: { 200: listedInstanceSchema, ...errorResponses(404) },
      },
    },
    (request) => service.get(named(request.params.id)),
  );

  app.get(
    '/api/instances/:id/transcript',
    {
      schema: {
        operationId: 'getTranscript',
        summary: 'Every message of a conversation or a part of them, the oldest first',
        tags,
        params,
        querystring: transcriptQuerySchema,
        response: { 200: z.array(transcriptLineSchema), ...errorResponses(400, 404) },
      },
    },
    async ({ params: { id }, query }) => [...(await service.transcript(named(id), query))],
  );

  app.get(
    '/api/instances/:id/transitions',
    {
      schema: {
        operationId: 'listTransitions',
        summary: 'How a conversation came to where it stands, the oldest step first',
        tags,
        params,
        response: { 200: z.array(stateTransitionSchema), ...errorResponses(404) },
      },
    },
    async (request) => [...(await service.transitions(named(request.params.id)))],
  );

  for (const [verb, summary] of [
    ['cancel', 'End a conversation without a farewell'],
    ['pause', 'Send nothing until it is resumed'],
    ['resume', 'Go on where it was paused, or after it asked for you'],
  ] as const) {
    app.post(
      `/api/instances/:id/${verb}`,
      {
        schema: {
          operationId: `${verb}Instance`,
          summary,
          tags,
          params,
          response: { 200: instanceSchema, ...errorResponses(404, 409, 415) },
        },
      },
      (request) => service[verb](named(request.params.id)),
    );
  }

  app.post(
    '/api/instances/:id/send',
    {
      schema: {
        operationId: 'sendMessage',
        summary: 'Write to the contact yourself',
        description:
          'The same `Idempotency-Key` with the same message never sends twice and answers with the line that there is.',
        tags,
        params,
        headers,
        body: sendMessageSchema,
        response: { 200: transcriptLineSchema, ...errorResponses(400, 404, 409, 413, 415) },
      },
    },
    ({ params: { id }, body: { message }, headers }) =>
      service.send(named(id), message, headers['idempotency-key']),
  );
}
