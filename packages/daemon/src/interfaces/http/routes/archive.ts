// Routes that export and import the archive, and list and create backups. Archives are streamed and are never whole in
// memory.
import type { Readable } from 'node:stream';
import { accountName } from '@relay/contract/api/accounts';
import {
  archiveImportReportSchema,
  backupEncryptionSchema,
  backupPassphraseSchema,
  backupsSchema,
  madeBackupSchema,
} from '@relay/contract/api/backups';
import { RelayError } from '@relay/contract/errors';
import { z } from 'zod';
import { accountInPath } from '../account-scope.ts';
import { type App, errorResponses, streamSchema } from '../app.ts';
import type { Archive, HttpDeps } from '../deps.ts';
import { OWNER_TOKEN_HEADER } from '../guard.ts';
import { parseUpload } from '../upload.ts';

const tags = ['archive'];

const exportQuery = z.strictObject({
  /** `true`: encrypted with the passphrase of backups, if there is one. */
  backup: z.stringbool().default(false),
});

/** Base64url, because a passphrase may contain any character. */
const importHeaders = z.object({
  'relay-archive-passphrase': z
    .string()
    .max(8_000)
    .optional()
    .describe('Passphrase of an encrypted archive, as base64url'),
});

const importQuery = z.object({
  as: accountName
    .optional()
    .describe(
      'Adds the one account of the archive to this home under this name, beside the accounts that are here',
    ),
});

export function archiveRoutes(app: App, archive: Archive): void {
  app.get(
    '/api/export',
    {
      config: { subject: 'home' },
      schema: {
        operationId: 'exportArchive',
        summary: 'Export everything, or one account, as a tar.gz of readable JSON lines',
        tags,
        querystring: exportQuery,
        response: {
          200: { content: { 'application/gzip': { schema: streamSchema } } },
          ...errorResponses(),
        },
      },
    },
    async ({ query, raw }, reply) => {
      const { stream, isEncrypted } = await archive.export({
        asBackup: query.backup,
        account: accountInPath(raw),
      });
      const name = isEncrypted ? 'relay.tar.gz.age' : 'relay.tar.gz';
      return reply
        .type(isEncrypted ? 'application/octet-stream' : 'application/gzip')
        .header('content-disposition', `attachment; filename="${name}"`)
        .header('cache-control', 'no-store')
        .send(stream);
    },
  );

  // The guard accepts this media type on the import route only.
  app.addContentTypeParser('application/gzip', parseUpload);

  app.post(
    '/api/import',
    {
      config: { subject: 'home', body: 'gzip' },
      bodyLimit: Number.MAX_SAFE_INTEGER,
      schema: {
        operationId: 'importArchive',
        summary: 'Import an exported archive into an empty home, or add its account to a home',
        tags,
        headers: importHeaders,
        querystring: importQuery,
        consumes: ['application/gzip'],
        response: { 200: archiveImportReportSchema, ...errorResponses(400, 409, 415, 507) },
      },
    },
    (request) => {
      if (request.body === undefined) {
        throw new RelayError('archive_invalid', { what: 'it is empty' });
      }
      const encoded = request.headers['relay-archive-passphrase'];
      const passphrase =
        encoded === undefined ? null : Buffer.from(encoded, 'base64url').toString();
      return archive.import(request.body as Readable, { passphrase, as: request.query.as });
    },
  );
}

// Backups in the owner's folder. HTTP accepts no path: the folder is set only in the home.

const backupTags = ['archive'];

export function backupRoutes(app: App, { backups }: Pick<HttpDeps, 'backups'>): void {
  app.get(
    '/api/backups',
    {
      config: { subject: 'home' },
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
      config: { subject: 'home' },
      schema: {
        operationId: 'makeBackup',
        summary: 'Make a backup now, verify it, and delete backups beyond the limit',
        tags: backupTags,
        response: { 201: madeBackupSchema, ...errorResponses() },
      },
    },
    async (_request, reply) => reply.code(201).send(await backups.make()),
  );
  app.post(
    '/api/backups/passphrase',
    {
      config: { subject: 'home', access: 'confirmed' },
      schema: {
        operationId: 'setBackupPassphrase',
        summary: 'Encrypt backups with a passphrase from now on; null turns encryption off',
        tags: backupTags,
        headers: z.object({ [OWNER_TOKEN_HEADER]: z.string().max(200).optional() }),
        body: backupPassphraseSchema,
        response: { 200: backupEncryptionSchema, ...errorResponses(400, 413, 415) },
      },
    },
    async ({ body: { passphrase } }) => {
      await backups.setPassphrase(passphrase);
      return { encrypted: passphrase !== null };
    },
  );
}
