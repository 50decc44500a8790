// The routes that store a file to be sent and serve a stored one. The bodies are the files themselves: they are streamed
// and are never whole in memory.
// Invariant: a browser runs nothing of a file, whatever type its sender declared.
import type { Readable } from 'node:stream';
import { uploadMediaResponseSchema, uploadMediaSchema } from '@relay/contract/api/media';
import { RelayError } from '@relay/contract/errors';
import { mediaId } from '@relay/contract/ids';
import { isShownInline } from '@relay/core/media/type';
import { z } from 'zod';
import { type App, errorResponses, streamSchema } from '../app.ts';
import type { HttpDeps } from '../deps.ts';
import { parseUpload } from '../upload.ts';

const tags = ['media'];

export function mediaRoutes(app: App, { media }: Pick<HttpDeps, 'media'>): void {
  // In a scope of its own, because any type is a file here, JSON too.
  app.register(async (scope: App) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', parseUpload);
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
      async ({ body, headers, query, principal }, reply) => {
        if (body === undefined || body === null) {
          throw new RelayError('invalid_request', { what: 'the file is empty' });
        }
        const stored = await media.upload(body as Readable, {
          mimeType: (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '',
          fileName: query.file_name ?? null,
          token: principal?.kind === 'program' ? principal.program.id : null,
        });
        return reply.code(201).send(stored);
      },
    );
  });

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
        response: {
          200: { content: { 'application/octet-stream': { schema: streamSchema } } },
          206: { content: { 'application/octet-stream': { schema: streamSchema } } },
          ...errorResponses(404, 409, 416),
        },
      },
    },
    async ({ headers, params, principal }, reply) => {
      const client = principal?.kind === 'program' ? principal.program : null;
      const row = await media.findFor(mediaId(params.id), client);
      if (row === null) throw new RelayError('media_not_found');
      if (row.object === null || row.bytes === null) throw new RelayError('media_not_stored');
      const { bytes } = row;
      reply
        .header('content-security-policy', "default-src 'none'; sandbox")
        .header('x-content-type-options', 'nosniff')
        .header('cache-control', 'private');
      const range = readRange(headers.range, bytes);
      if (range === 'unsatisfiable') {
        reply.header('content-range', `bytes */${bytes}`);
        throw new RelayError('media_range', { bytes });
      }
      const { start, end } = range ?? { start: 0, end: bytes - 1 };
      const type = row.mime_type ?? 'application/octet-stream';
      reply
        .type(type.startsWith('text/') ? `${type}; charset=utf-8` : type)
        .header('accept-ranges', 'bytes')
        .header('content-length', end - start + 1)
        .header('content-disposition', disposition(type, row.file_name));
      if (range !== null) {
        reply.code(206).header('content-range', `bytes ${start}-${end}/${bytes}`);
      }
      return reply.send(await media.open(row, { start, end }));
    },
  );
}

/** One byte range; null for the whole file, and for forms of a range that a server may ignore. */
function readRange(
  header: string | undefined,
  bytes: number,
): { start: number; end: number } | 'unsatisfiable' | null {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return null;
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first);
  const end = first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1);
  return start > end ? 'unsatisfiable' : { start, end };
}

/** What could lead out of the folder of downloads, or show a name in another order than it has. */
const UNFIT = /[\p{Cc}\p{Cf}/\\:*?"<>|]/gu;

function disposition(type: string, name: string | null): string {
  const how = isShownInline(type) ? 'inline' : 'attachment';
  const fit = name?.replace(UNFIT, '_').replace(/^\.+/, '_') ?? '';
  if (fit === '') return how;
  const encoded = encodeURIComponent(fit).replace(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16)}`,
  );
  return `${how}; filename*=UTF-8''${encoded}`;
}
