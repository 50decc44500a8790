// Groups that are read in silence. Each route is one verb of the port: nothing is decided here.
import {
  observedGroupSchema,
  observedPreviewSchema,
  observeGroupSchema,
  unobservedSchema,
  unobserveSchema,
} from '@relay/core/api/observed-groups';
import { z } from 'zod';
import type { App } from '../app.ts';
import type { HttpDeps } from '../deps.ts';
import { refusals } from './responses.ts';

const tags = ['observed groups'];

export function observedGroupRoutes(app: App, { observing }: Pick<HttpDeps, 'observing'>): void {
  app.get(
    '/api/observed-groups',
    {
      schema: {
        operationId: 'listObservedGroups',
        summary: 'Groups that are read in silence, and what that costs and spares',
        tags,
        response: { 200: z.array(observedGroupSchema), ...refusals() },
      },
    },
    async () => [...(await observing.list())],
  );

  app.post(
    '/api/observed-groups',
    {
      schema: {
        operationId: 'observeGroup',
        summary: 'Read a group in silence from now on',
        description:
          'Tell the group first: without `announced` this is refused, with a ready sentence to send. Only reading is granted; `may_answer` lets your assistant answer you there when you ask it by name. Of a group that is observed already the terms are changed.',
        tags,
        body: observeGroupSchema,
        response: { 201: observedGroupSchema, ...refusals(400, 404, 409, 413, 415) },
      },
    },
    async (request, reply) => reply.code(201).send(await observing.add(request.body)),
  );

  app.post(
    '/api/observed-groups/preview',
    {
      schema: {
        operationId: 'previewObservedGroup',
        summary: 'Which group would be read, and what to tell it first; nothing is saved',
        tags,
        body: observeGroupSchema,
        response: { 200: observedPreviewSchema, ...refusals(400, 404, 409, 413, 415) },
      },
    },
    (request) => observing.preview(request.body),
  );

  app.delete(
    '/api/observed-groups/:id',
    {
      schema: {
        operationId: 'unobserveGroup',
        summary: 'Read a group no longer',
        description:
          'By the id of its chat or its address. `erase` also erases what was kept of it.',
        tags,
        params: z.strictObject({ id: z.string().max(128) }),
        querystring: unobserveSchema,
        response: { 200: unobservedSchema, ...refusals(400, 404) },
      },
    },
    (request) => observing.remove(request.params.id, request.query),
  );
}
