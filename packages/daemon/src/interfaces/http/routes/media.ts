// The routes of the console and the command that store a file to be sent and serve a stored one.
import { uploadMediaResponseSchema, uploadMediaSchema } from '@relay/contract/api/media';
import { z } from 'zod';
import { type App, errorResponses, fileContent } from '../app.ts';
import type { HttpDeps } from '../deps.ts';
import { serveFile, storeFile } from '../media-file.ts';
import { registerFileRoutes } from '../upload.ts';

const tags = ['media'];

export function mediaRoutes(app: App, { media }: Pick<HttpDeps, 'media'>): void {
  registerFileRoutes(app, (scope) =>
    scope.post(
      '/api/media',
      {
        config: { body: 'media', access: { scope: 'media:write' } },
        bodyLimit: Number.MAX_SAFE_INTEGER,
        schema: {
          operationId: 'uploadMedia',
          summary: 'Store a file to send: the body is the file, Content-Type its type',
          description:
            'Send it with `media: { id, kind }` in a message. A file that no message carries is deleted after a day. A client needs the scope `media:write` and may send only its own uploads.',
          tags,
          consumes: ['*/*'],
          querystring: uploadMediaSchema,
          response: { 201: uploadMediaResponseSchema, ...errorResponses(400, 413, 415, 507) },
        },
      },
      async (request, reply) =>
        reply.code(201).send(await storeFile(media, request, request.query.file_name)),
    ),
  );

  app.get(
    '/api/media/:id',
    {
      config: { access: { scope: 'media:read' } },
      schema: {
        operationId: 'getMedia',
        summary: 'Get the file of a message, or a part of it',
        description:
          'Photos, recordings and videos in common formats may be shown in a page; anything else is for download. A client needs the scope `media:read` and gets its own uploads and the media of chats that it may read.',
        tags,
        params: z.strictObject({ id: z.guid() }),
        response: { 200: fileContent, 206: fileContent, ...errorResponses(404, 409, 416) },
      },
    },
    async (request, reply) => serveFile(media, request, reply, request.params.id),
  );
}
