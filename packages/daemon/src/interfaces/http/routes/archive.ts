// Routes that export and import the archive, and list and create backups. Archives are streamed and are never whole in
// memory.
import type { Readable } from 'node:stream';
import {
  archiveImportReportSchema,
  backupsSchema,
  madeBackupSchema,
} from '@relay/contract/api/backups';
import { RelayError } from '@relay/contract/errors';
import { type App, errorResponses, streamSchema } from '../app.ts';
import type { Archive, HttpDeps } from '../deps.ts';

const tags = ['archive'];

export function archiveRoutes(app: App, archive: Archive): void {
  app.get(
    '/api/export',
    {
      schema: {
        operationId: 'exportArchive',
        summary: 'Export everything as a tar.gz of readable JSON lines',
        tags,
        response: {
          200: { content: { 'application/gzip': { schema: streamSchema } } },
          ...errorResponses(),
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

  // The guard accepts this media type on the import route only.
  app.addContentTypeParser('application/gzip', (_request, payload, done) => done(null, payload));

  app.post(
    '/api/import',
    {
      config: { body: 'gzip' },
      bodyLimit: Number.MAX_SAFE_INTEGER,
      schema: {
        operationId: 'importArchive',
        summary: 'Import an exported archive into an empty home',
        tags,
        consumes: ['application/gzip'],
        response: { 200: archiveImportReportSchema, ...errorResponses(400, 409, 415, 507) },
      },
    },
    (request) => {
      if (request.body === undefined) {
        throw new RelayError('archive_invalid', { what: 'it is empty' });
      }
      return archive.import(request.body as Readable);
    },
  );
}

// Backups in the owner's folder. HTTP accepts no path: the folder is set only in the home.

const backupTags = ['archive'];

export function backupRoutes(app: App, { backups }: Pick<HttpDeps, 'backups'>): void {
  app.get(
    '/api/backups',
    {
      schema: {
        operationId: 'listBackups',
        summary: 'List backups, their folder and the time of the next one',
        tags: backupTags,
        response: { 200: backupsSchema, ...errorResponses() },
      },
    },
    () => backups.list(),
  );
  app.post(
    '/api/backups',
    {
      schema: {
        operationId: 'makeBackup',
        summary: 'Make a backup now, verify it, and delete backups beyond the limit',
        tags: backupTags,
        response: { 201: madeBackupSchema, ...errorResponses() },
      },
    },
    async (_request, reply) => reply.code(201).send(await backups.make()),
  );
}
