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
        summary: 'Create a conversation: objective, contact and todos',
        description:
          'The same `Idempotency-Key` with the same body creates no second conversation and returns the first response.',
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
        summary: 'List conversations, newest or last changed first',
        description:
          'For the next page, set `after` to the id of the last instance. In the order by change, also set `changed_before` to its `updated_at`, so that the page continues correctly if that instance has changed since.',
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
        summary: 'Count conversations by state and by turn',
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
        summary: 'Get a conversation with its todos and state',
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
        summary: 'List the messages of a conversation, oldest first',
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
        summary: 'List the state changes of a conversation, oldest first',
        tags,
        params,
        response: { 200: z.array(stateTransitionSchema), ...errorResponses(404) },
      },
    },
    async (request) => [...(await service.transitions(named(request.params.id)))],
  );

  for (const [verb, summary] of [
    ['cancel', 'Cancel a conversation; no goodbye message is sent'],
    ['pause', 'Pause a conversation; nothing is sent until it is resumed'],
    ['resume', 'Resume a conversation that is paused or waiting for you'],
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
        summary: 'Send a message to the contact yourself',
        description:
          'The same `Idempotency-Key` with the same message never sends twice and returns the existing line.',
        tags,
        params,
        headers,
        body: sendMessageSchema,
        response: { 200: transcriptLineSchema, ...errorResponses(400, 404, 409, 413, 415) },
      },
    },
    ({ params: { id }, body: { message, replyTo }, headers }) =>
      service.send(named(id), message, headers['idempotency-key'], replyTo),
  );
}
