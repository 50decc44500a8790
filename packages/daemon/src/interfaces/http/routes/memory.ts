// Routes for semantic search: its progress, a trial of another embedding model, and the choice of the model.

import { Readable } from 'node:stream';
import { type ImportEvent, importQuerySchema } from '@relay/contract/api/imports';
import {
  embeddingsChoiceSchema,
  embeddingsTrialSchema,
  memoryStatusSchema,
} from '@relay/contract/api/memory';
import { searchQuerySchema, searchResponseSchema } from '@relay/contract/api/search';
import { RelayError } from '@relay/contract/errors';
import type { Log } from '@relay/core/log';
import { type App, errorResponses, streamSchema } from '../app.ts';
import type { HttpDeps } from '../deps.ts';
import { parseUpload } from '../upload.ts';

export function memoryRoutes(app: App, { memory }: Pick<HttpDeps, 'memory'>): void {
  app.get(
    '/api/memory',
    {
      schema: {
        operationId: 'getMemory',
        summary: 'Get the model for search by meaning, and its progress',
        tags: ['messages'],
        response: { 200: memoryStatusSchema, ...errorResponses() },
      },
    },
    () => memory.status(),
  );
  app.post(
    '/api/memory/embeddings/trial',
    {
      config: { subject: 'home' },
      schema: {
        operationId: 'tryEmbeddings',
        summary: 'Test a model for search by meaning; changes nothing',
        description:
          'Returns how many texts it would index, how fast, and where they would be sent.',
        tags: ['messages'],
        body: embeddingsChoiceSchema,
        response: { 200: embeddingsTrialSchema, ...errorResponses(400, 409, 413, 415, 502, 503) },
      },
    },
    ({ body }) => memory.tryEmbeddings(body),
  );
  app.patch(
    '/api/memory/embeddings',
    {
      config: { subject: 'home' },
      schema: {
        operationId: 'chooseEmbeddings',
        summary: 'Set the model for search by meaning, or turn it off',
        description:
          'With `endpoint`, the text of every searchable message is sent there, newest first.',
        tags: ['messages'],
        body: embeddingsChoiceSchema,
        response: { 200: memoryStatusSchema, ...errorResponses(400, 409, 413, 415, 502, 503) },
      },
    },
    ({ body }) => memory.choose(body),
  );
}

// Search over all messages. The route only calls the service.

export function searchRoutes(app: App, { search }: Pick<HttpDeps, 'search'>): void {
  app.get(
    '/api/search',
    {
      schema: {
        operationId: 'search',
        summary: 'Search messages, best match first',
        description:
          '`as` returns what your assistant or a client would find now, and nothing else. It does not count as read by them.',
        tags: ['messages'],
        querystring: searchQuerySchema,
        response: { 200: searchResponseSchema, ...errorResponses(400, 404, 409) },
      },
    },
    (request) => search.search(request.query),
  );
}

// Imports an exported chat and reports progress line by line. File and response are both streamed. A client that
// disconnects stops the import, which can be repeated.

export function importRoutes(app: App, { imports, log }: Pick<HttpDeps, 'imports' | 'log'>): void {
  app.addContentTypeParser('application/octet-stream', parseUpload);

  app.post(
    '/api/memory/imports',
    {
      config: { body: 'file' },
      bodyLimit: Number.MAX_SAFE_INTEGER,
      schema: {
        operationId: 'importChat',
        summary:
          'Import an exported WhatsApp chat (.txt or .zip) for search; progress as JSON lines',
        tags: ['memory'],
        consumes: ['application/octet-stream'],
        querystring: importQuerySchema,
        response: {
          200: { content: { 'application/x-ndjson': { schema: streamSchema } } },
          ...errorResponses(400, 409, 415, 507),
        },
      },
    },
    async (request, reply) => {
      if (request.body === undefined)
        throw new RelayError('export_invalid', { what: 'it is empty' });
      const { news, end } = await imports.begin(request.body as Readable, request.query);
      // Also ends the import when the client never reads the response.
      reply.raw.once('close', () => void end());
      return reply
        .type('application/x-ndjson')
        .header('cache-control', 'no-store')
        .send(Readable.from(lines(news, log, request.id)));
    },
  );
}

/** Once the response has begun, a failure can only be reported as its last line. */
async function* lines(
  news: AsyncIterable<ImportEvent>,
  log: Log,
  request: string,
): AsyncGenerator<string> {
  try {
    for await (const one of news) yield `${JSON.stringify(one)}\n`;
  } catch (thrown) {
    const known = thrown instanceof RelayError;
    if (!known) log.error('chat import failed', { request, error: thrown });
    const error = known ? thrown : new RelayError('internal', { request });
    yield `${JSON.stringify({ type: 'failed', error: error.message, code: error.code })}\n`;
  }
}
