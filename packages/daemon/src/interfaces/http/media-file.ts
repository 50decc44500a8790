// Stores the file that a request carries, and serves a stored one. The bodies are the files themselves: they are
// streamed and are never whole in memory.
// Invariant: a browser runs nothing of a file, whatever type its sender declared.
import type { Readable } from 'node:stream';
import type { UploadedMedia } from '@relay/contract/api/media';
import { RelayError } from '@relay/contract/errors';
import { mediaId } from '@relay/contract/ids';
import { isShownInline } from '@relay/core/media/type';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { MediaService } from '../../features/media/service.ts';

export async function storeFile(
  media: MediaService,
  { body, raw, principal }: FastifyRequest,
  fileName: string | undefined,
): Promise<UploadedMedia> {
  if (body === undefined || body === null) {
    throw new RelayError('invalid_request', { what: 'the file is empty' });
  }
  return media.upload(body as Readable, {
    mimeType: (raw.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '',
    fileName: fileName ?? null,
    token: principal?.kind === 'program' ? principal.program.id : null,
  });
}

/** The file, or the part of it that the request asks for. */
export async function serveFile(
  media: MediaService,
  { raw, principal }: FastifyRequest,
  reply: FastifyReply,
  id: string,
): Promise<FastifyReply> {
  const client = principal?.kind === 'program' ? principal.program : null;
  const row = await media.findFor(mediaId(id), client);
  if (row === null) throw new RelayError('media_not_found');
  if (row.object === null || row.bytes === null) throw new RelayError('media_not_stored');
  const { bytes } = row;
  reply
    .header('content-security-policy', "default-src 'none'; sandbox")
    .header('x-content-type-options', 'nosniff')
    .header('cache-control', 'private');
  const range = readRange(raw.headers.range, bytes);
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
  if (range !== null) reply.code(206).header('content-range', `bytes ${start}-${end}/${bytes}`);
  return reply.send(await media.open(row, { start, end }));
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
