import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type RequestOptions, request } from 'node:http';
import type { Readable } from 'node:stream';
import { RelayError } from '@relay/contract/errors';
import { describe, expect, onTestFinished, test } from 'vitest';
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

/** On a connection that is used again. */
async function post(
  options: RequestOptions,
  body: Buffer,
): Promise<{ status: number | undefined }> {
  const sent = request({ host: '127.0.0.1', method: 'POST', ...options }).end(body);
  const [response] = await once(sent, 'response');
  response.resume();
  await once(response, 'end');
  return { status: response.statusCode };
}

const UPLOADS = [
  ['an archive', '/api/import', 'application/gzip'],
  ['a file of media', '/api/media', 'image/png'],
  ['a file of media in version 1', '/api/v1/accounts/default/media', 'image/png'],
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

describe('a file under an idempotency key', () => {
  const path = '/api/v1/accounts/default/media';
  const sha256 = createHash('sha256').update(FILE).digest('hex');
  const kept = { id: '6f2d1c3b-4a5e-4f60-8b7a-9c0d1e2f3a4b', bytes: FILE.length, sha256 };
  const headers = { ...bearer, 'content-type': 'image/png', 'idempotency-key': 'k' };

  async function repeated(body: Buffer | string) {
    const { deps, calls } = standIns();
    const hashes: string[] = [];
    const keptResponses: typeof deps.keptResponses = {
      once: async ({ hash }) => {
        hashes.push(hash.toString('hex'));
        return kept;
      },
    };
    const server = await listening({ ...deps, keptResponses });
    const answer = await server.call({ method: 'POST', path, headers, body });
    const other = { ...headers, 'content-type': 'image/jpeg' };
    await server.call({ method: 'POST', path, headers: other, body });
    return { status: answer.status, body: JSON.parse(answer.body), calls, hashes };
  }

  test('gets the first response when it comes again, and is not stored again', async () => {
    const { status, body, calls, hashes } = await repeated(FILE);
    expect([status, body]).toEqual([201, kept]);
    expect(calls).not.toContain('uploadMedia');
    // The key is for this type of file.
    expect(new Set(hashes).size).toBe(2);
  });

  test('is refused when it is another file of the same size', async () => {
    const { status, body } = await repeated(Buffer.alloc(FILE.length, 1));
    expect([status, body.code]).toEqual([409, 'key_reused']);
  });

  test('is refused while it is still being sent, if the key is not free', async () => {
    const { deps } = standIns();
    const once = async () => Promise.reject(new RelayError('request_in_progress'));
    const server = await listening({ ...deps, keptResponses: { once } });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    // The second request gets the connection only when all of the first has arrived.
    for (const _ of [1, 2]) {
      const { status } = await post({ agent, port: server.port, path, headers }, FILE);
      expect(status).toBe(409);
    }
  });
});
