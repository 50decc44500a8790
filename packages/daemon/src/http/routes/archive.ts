// Everything out as an archive, and back in. Both are streamed: neither is ever whole in memory.
import type { Readable } from 'node:stream';
import { importReportSchema } from '@relay/core/api/archive';
import { RelayError } from '@relay/core/errors';
import type { App } from '../app.ts';
import type { Archive } from '../deps.ts';
import { refusals, streamSchema } from './responses.ts';

const tags = ['archive'];

export function archiveRoutes(app: App, archive: Archive): void {
  app.get(
    '/api/export',
    {
      schema: {
        operationId: 'exportArchive',
        summary: 'Everything, as a tar.gz of readable JSON lines',
        tags,
        response: {
          200: { content: { 'application/gzip': { schema: streamSchema } } },
          ...refusals(),
        },
      },
    },
    async (_request, reply) =>
      reply
        .type('application/gzip')
        .header('content-disposition', 'attachment; filename="relay.tar.gz"')
        .header('cache-control', 'no-store')
        .send(archive.export()),
  );

  // The guard lets this type through on the import route alone.
  app.addContentTypeParser('application/gzip', (_request, payload, done) => done(null, payload));

  app.post(
    '/api/import',
    {
      config: { body: 'gzip' },
      bodyLimit: Number.MAX_SAFE_INTEGER,
      schema: {
        operationId: 'importArchive',
        summary: 'Bring an exported archive into an empty home',
        tags,
        consumes: ['application/gzip'],
        response: { 200: importReportSchema, ...refusals(400, 409, 415, 507) },
      },
    },
    (request) => {
      if (request.body === undefined) {
        throw new RelayError('archive_invalid', { what: 'nothing was sent' });
      }
      return archive.import(request.body as Readable);
    },
  );
}
