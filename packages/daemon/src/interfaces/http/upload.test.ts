import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { RelayError } from '@relay/contract/errors';
import { expect, test } from 'vitest';
import { standIns } from './testing/stand-ins.ts';
import { bearer, listening } from './testing/wire.ts';

/** More than the sockets of both sides hold, so that the client is still sending when it is refused. */
const FILE = Buffer.alloc(20_000_000);

/** Closes the file after its first bytes, as a service does that has seen enough. */
async function refuse(file: AsyncIterable<Uint8Array>): Promise<never> {
  const upload = file as Readable;
  await once(upload, 'readable');
  upload.destroy();
  throw new RelayError('database_full');
}

const UPLOADS = [
  ['an archive', '/api/import', 'application/gzip'],
  ['a file of media', '/api/media', 'image/png'],
  ['an exported chat', '/api/memory/imports?file=chat.txt', 'application/octet-stream'],
] as const;

test.each(UPLOADS)('the client gets the refusal of %s that it is still sending', async (...of) => {
  const [, path, type] = of;
  const { deps } = standIns();
  const server = await listening({
    ...deps,
    archive: { ...deps.archive, import: refuse },
    media: { ...deps.media, upload: refuse },
    imports: { ...deps.imports, begin: refuse },
  });
  const headers = { ...bearer, 'content-type': type };
  const { status } = await server.call({ method: 'POST', path, headers, body: FILE });
  expect(status).toBe(507);
});
