// Routes for observed groups. They only call the service.

import {
  changeDigestExportSchema,
  changedDigestExportSchema,
  digestExportStateSchema,
  digestQuerySchema,
  digestsResponseSchema,
} from '@relay/contract/api/digests';
import {
  observedGroupSchema,
  observedPreviewSchema,
  observeGroupSchema,
  unobservedGroupSchema,
  unobserveSchema,
} from '@relay/contract/api/observed-groups';
import { z } from 'zod';
import { type App, errorResponses } from '../app.ts';
import type { HttpDeps } from '../deps.ts';

const tags = ['observed groups'];

export function observedGroupRoutes(app: App, { observing }: Pick<HttpDeps, 'observing'>): void {
  app.get(
    '/api/observed-groups',
    {
      schema: {
        operationId: 'listObservedGroups',
        summary: 'List observed groups with cost and savings',
        tags,
        response: { 200: z.array(observedGroupSchema), ...errorResponses() },
      },
    },
    async () => [...(await observing.list())],
  );

  app.post(
    '/api/observed-groups',
    {
      schema: {
        operationId: 'observeGroup',
        summary: 'Start observing a group silently',
        description:
          'Tell the group first: without `announced` the request is refused, with a sentence that you can send. Only reading is granted; `may_answer` lets your assistant answer you there when you ask it by name. If the group is already observed, its options are changed.',
        tags,
        body: observeGroupSchema,
        response: { 201: observedGroupSchema, ...errorResponses(400, 404, 409, 413, 415) },
      },
    },
    async (request, reply) => reply.code(201).send(await observing.add(request.body)),
  );

  app.post(
    '/api/observed-groups/preview',
    {
      schema: {
        operationId: 'previewObservedGroup',
        summary: 'Preview which group would be observed and what to tell it; changes nothing',
        tags,
        body: observeGroupSchema,
        response: { 200: observedPreviewSchema, ...errorResponses(400, 404, 409, 413, 415) },
      },
    },
    (request) => observing.preview(request.body),
  );

  app.delete(
    '/api/observed-groups/:id',
    {
      schema: {
        operationId: 'unobserveGroup',
        summary: 'Stop observing a group',
        description:
          'By the id of its chat or its address. `erase` also erases its stored messages and digests.',
        tags,
        params: z.strictObject({ id: z.string().max(128) }),
        querystring: unobserveSchema,
        response: { 200: unobservedGroupSchema, ...errorResponses(400, 404) },
      },
    },
    (request) => observing.remove(request.params.id, request.query),
  );
}

// Digests of observed groups. The route only calls the service.

export function digestRoutes(app: App, { digests }: Pick<HttpDeps, 'digests'>): void {
  app.get(
    '/api/digests',
    {
      schema: {
        operationId: 'readDigests',
        summary: 'Get the daily and hourly digests of observed groups for one day',
        tags: ['groups'],
        querystring: digestQuerySchema,
        response: { 200: digestsResponseSchema, ...errorResponses(400, 404) },
      },
    },
    (request) => digests.digests(request.query),
  );
}

// Targets of digest exports. A secret is returned once, when it is created.

const exportTags = ['memory'];
const DIGEST_EXPORT_PATH = '/api/outside-memory';

export function digestExportRoutes(
  app: App,
  { digestExport }: Pick<HttpDeps, 'digestExport'>,
): void {
  app.get(
    DIGEST_EXPORT_PATH,
    {
      schema: {
        operationId: 'getOutsideMemory',
        summary: 'Get the settings of the digest export',
        tags: exportTags,
        response: { 200: digestExportStateSchema, ...errorResponses() },
      },
    },
    () => digestExport.state(),
  );

  app.patch(
    DIGEST_EXPORT_PATH,
    {
      config: { subject: 'home', access: 'token' },
      schema: {
        operationId: 'changeOutsideMemory',
        summary: 'Export digests and facts to a folder or a webhook; omitted fields stay unchanged',
        tags: exportTags,
        body: changeDigestExportSchema,
        response: { 200: changedDigestExportSchema, ...errorResponses(400, 413, 415) },
      },
    },
    async ({ body }, reply) => {
      reply.header('cache-control', 'no-store');
      return digestExport.change(body);
    },
  );
}
