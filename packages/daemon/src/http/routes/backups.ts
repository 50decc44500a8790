// Backups in the owner's folder. No path comes in over HTTP: where they lie is set in the home alone.
import { backupsSchema, madeBackupSchema } from '@relay/core/api/backups';
import type { App } from '../app.ts';
import type { HttpDeps } from '../deps.ts';
import { refusals } from './responses.ts';

const tags = ['archive'];

export function backupRoutes(app: App, { backups }: Pick<HttpDeps, 'backups'>): void {
  app.get(
    '/api/backups',
    {
      schema: {
        operationId: 'listBackups',
        summary: 'The backups that were kept, where they lie, and when the next is made',
        tags,
        response: { 200: backupsSchema, ...refusals() },
      },
    },
    () => backups.list(),
  );
  app.post(
    '/api/backups',
    {
      schema: {
        operationId: 'makeBackup',
        summary: 'Back everything up now, read it back, and remove what is older than is kept',
        tags,
        response: { 201: madeBackupSchema, ...refusals() },
      },
    },
    async (_request, reply) => reply.code(201).send(await backups.make()),
  );
}
