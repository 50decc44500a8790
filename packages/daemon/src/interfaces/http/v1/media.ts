// Files of version 1: storing one to send, and getting that of a message.
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { uploadMediaSchema } from '@relay/contract/api/media';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { App } from '../app.ts';
import { serveFile, storeFile } from '../media-file.ts';
import { EXAMPLE } from './examples.ts';
import { operation, type V1Context } from './operation.ts';

const tag = 'media';

export function mediaOperations(app: App, context: V1Context): void {
  operation(app, context, {
    method: 'POST',
    path: '/media',
    operationId: 'media.upload',
    summary: 'Store a file to send: the body is the file, Content-Type its type',
    description:
      'Send it with `media: { id, kind }` in a message. A file that no message carries is deleted after a day. A client may send only its own uploads.',
    tag,
    scope: 'media:write',
    query: uploadMediaSchema,
    body: 'file',
    status: 201,
    response: 'uploadedMedia',
    problems: [507],
    isSameFile: async ({ body }, { sha256 }) => (await hashOf(body)) === sha256,
    example: {
      query: { file_name: 'label.txt' },
      body: EXAMPLE.file,
      response: EXAMPLE.uploadedMedia,
      problems: { 413: ['media_too_large', { megabytes: 100 }] },
    },
    run: ({ services, request, query }) => storeFile(services.media, request, query.file_name),
  });

  operation(app, context, {
    method: 'GET',
    path: '/media/:media_id',
    operationId: 'media.get',
    summary: 'Get the file of a message, or a part of it',
    description:
      'Content-Type is the type of the file. `Range` may ask for one part of it. Photos, recordings and videos in common formats may be shown in a page; anything else is for download. A client gets its own uploads and the media of chats that it may read.',
    tag,
    scope: 'media:read',
    params: { media_id: z.guid() },
    response: 'file',
    problems: [409, 416],
    example: {
      params: { media_id: EXAMPLE.uploadedMedia.id },
      response: EXAMPLE.file,
      problems: { 404: ['media_not_found', {}], 409: ['media_not_stored', {}] },
    },
    run: ({ services, request, reply, params }) =>
      serveFile(services.media, request, reply, params.media_id),
  });
}

/** Of an empty body too. */
async function hashOf(body: FastifyRequest['body']): Promise<string> {
  const hash = createHash('sha256');
  await pipeline((body ?? []) as Readable, hash);
  return hash.digest('hex');
}
