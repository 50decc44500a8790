// The routes that serve media: the headers of each file, and which part of it is sent.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { MediaKind } from '@relay/contract/api/media';
import type { MediaId } from '@relay/contract/ids';
import { verifies } from '@relay/testing/verifies';
import { describe, expect, test } from 'vitest';
import type { MediaRow } from '../../platform/db/media.ts';
import { createHttpServer } from './server.ts';
import { PROGRAM_TOKEN } from './testing/programs.ts';
import { standIns, TOKEN } from './testing/stand-ins.ts';

const ID = '6f2d1c3b-4a5e-4f60-8b7a-9c0d1e2f3a4b' as MediaId;
const FILE = Buffer.from('0123456789');

const photo: MediaRow = {
  id: ID,
  chat_id: null,
  message: 1,
  message_id: null,
  origin: 'received',
  token_id: null,
  kind: 'image' as MediaKind,
  mime_type: 'image/png',
  file_name: null,
  seconds: null,
  bytes: FILE.length,
  sha256: createHash('sha256').update(FILE).digest(),
  object: 'x',
  state: 'stored',
  reason: null,
  transcript: null,
  language: null,
  extracted: null,
  view_once: false,
  created_at: new Date(),
};

async function serving(
  address: string,
  over: Partial<MediaRow> = {},
  scopes: readonly string[] = [],
) {
  const stand = standIns();
  const { deps } = stand;
  const found = { ...photo, ...over };
  const app = await createHttpServer({
    ...deps,
    port: 3214,
    clientTokens: {
      ...deps.clientTokens,
      findClient: async (hash) => {
        const client = await deps.clientTokens.findClient(hash);
        return client && { ...client, scopes: scopes as typeof client.scopes };
      },
    },
    media: {
      ...deps.media,
      findFor: async (id, client) => (id === ID && client === null ? found : null),
      open: async (_row, range) => {
        const { start = 0, end = FILE.length } = range ?? {};
        return Readable.from([FILE.subarray(start, end + 1)]);
      },
    },
  });
  return (headers: Record<string, string> = {}, id: string = ID, token = TOKEN) =>
    app.inject({
      url: `${address}/${id}`,
      headers: { host: '127.0.0.1:3214', authorization: `Bearer ${token}`, ...headers },
    });
}

describe.each(['/api/media', '/api/v1/accounts/default/media'])('at %s', (address) => {
  const served = (...row: [Partial<MediaRow>?, (readonly string[])?]) => serving(address, ...row);

  test('serves a photo inline, with a policy of its own, and never sniffed', async () => {
    verifies('MEDIA-SERVED');
    const answer = await (await served())();
    expect(answer.statusCode).toBe(200);
    expect(answer.rawPayload).toEqual(FILE);
    expect(answer.headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': '10',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'content-disposition': 'inline',
      'cache-control': 'private',
      'accept-ranges': 'bytes',
    });
  });

  test.each([
    ['text/html', 'text/html; charset=utf-8'],
    ['image/svg+xml', 'image/svg+xml'],
    ['application/pdf', 'application/pdf'],
    ['application/xml', 'application/xml'],
    ['text/plain', 'text/plain; charset=utf-8'],
  ])('serves %s only for download', async (type, shown) => {
    verifies('MEDIA-SERVED');
    const name = '../../a "b"\u202egpj.exe';
    const { headers } = await (await served({ mime_type: type, file_name: name }))();
    expect(headers['content-type']).toBe(shown);
    expect(headers['content-disposition']).toBe(
      "attachment; filename*=UTF-8''__.._a%20_b__gpj.exe",
    );
    expect(headers['content-security-policy']).toBe("default-src 'none'; sandbox");
  });

  test.each([
    ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
    ['bytes=7-', 206, '789', 'bytes 7-9/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=-30', 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=8-99', 206, '89', 'bytes 8-9/10'],
    ['bytes=0-1,3-4', 200, '0123456789', undefined],
    ['lines=1-2', 200, '0123456789', undefined],
  ])('answers a request for %s with %i', async (range, status, body, header) => {
    verifies('MEDIA-SERVED');
    const answer = await (await served())({ range });
    expect([answer.statusCode, answer.body, answer.headers['content-range']]).toEqual([
      status,
      body,
      header,
    ]);
  });

  test('refuses a part that the file does not have', async () => {
    const answer = await (await served())({ range: 'bytes=10-' });
    expect(answer.statusCode).toBe(416);
    expect(answer.headers['content-range']).toBe('bytes */10');
    expect(answer.json()).toMatchObject({ code: 'media_range' });
  });

  test('says that there is no such media, or that its bytes are not there', async () => {
    const get = await served({ object: null, sha256: null, state: 'unavailable' });
    expect((await get()).json()).toMatchObject({ code: 'media_not_stored' });
    const other = ID.replace('6f', '7f');
    expect((await get({}, other)).json()).toMatchObject({ code: 'media_not_found' });
  });

  test('gives a client nothing without its scope, and with it only what it may read', async () => {
    verifies('MEDIA-SERVED');
    const without = await (await served({}, ['messages:read']))({}, ID, PROGRAM_TOKEN);
    expect(without.statusCode).toBe(403);
    const other = await (await served({}, ['media:read']))({}, ID, PROGRAM_TOKEN);
    expect(other.json()).toMatchObject({ code: 'media_not_found' });
  });
});
