// An exported chat in, and news of it out, line by line. The file is streamed and so is the answer; whoever
// leaves in the middle stops the import, which can be repeated.
import { Readable } from 'node:stream';
import { type ImportNews, importQuerySchema } from '@relay/core/api/imports';
import { RelayError } from '@relay/core/errors';
import type { Log } from '@relay/core/log';
import type { App } from '../app.ts';
import type { HttpDeps } from '../deps.ts';
import { refusals, streamSchema } from './responses.ts';

export function importRoutes(app: App, { imports, log }: Pick<HttpDeps, 'imports' | 'log'>): void {
  app.addContentTypeParser('application/octet-stream', (_request, payload, done) =>
    done(null, payload),
  );

  app.post(
    '/api/memory/imports',
    {
      config: { body: 'file' },
      bodyLimit: Number.MAX_SAFE_INTEGER,
      schema: {
        operationId: 'importChat',
        summary:
          'An exported WhatsApp chat (.txt or .zip), to be found by search; answers in JSON lines',
        tags: ['memory'],
        consumes: ['application/octet-stream'],
        querystring: importQuerySchema,
        response: {
          200: { content: { 'application/x-ndjson': { schema: streamSchema } } },
          ...refusals(400, 409, 415, 507),
        },
      },
    },
    async (request, reply) => {
      if (request.body === undefined)
        throw new RelayError('export_invalid', { what: 'it is empty' });
      const { news, end } = await imports.begin(request.body as Readable, request.query);
      // Also when nobody reads a line of the answer.
      reply.raw.once('close', () => void end());
      return reply
        .type('application/x-ndjson')
        .header('cache-control', 'no-store')
        .send(Readable.from(lines(news, log, request.id)));
    },
  );
}

/** Once it has begun to answer, a failure can only be the last line. */
async function* lines(
  news: AsyncIterable<ImportNews>,
  log: Log,
  request: string,
): AsyncGenerator<string> {
  try {
    for await (const one of news) yield `${JSON.stringify(one)}\n`;
  } catch (thrown) {
    const known = thrown instanceof RelayError;
    if (!known) log.error('an import failed', { request, error: thrown });
    const error = known ? thrown : new RelayError('internal', { request });
    yield `${JSON.stringify({ type: 'failed', error: error.message, code: error.code })}\n`;
  }
}
