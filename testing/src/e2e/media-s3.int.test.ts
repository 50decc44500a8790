// The store on an S3 server. Skipped where that is not installed: testing/s3/README.md.
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { AccountId } from '@relay/contract/ids';
import { mediaSettingsSchema } from '@relay/contract/settings';
import { openS3Files } from '@relay/daemon/features/media/s3-files';
import { MediaStore } from '@relay/daemon/features/media/store';
import { verifies } from '@relay/testing/verifies';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../free-port.ts';
import { isS3Installed, S3_KEYS, startS3Server } from '../s3-server.ts';
import { testSealer } from '../sealer.ts';

describe.skipIf(!isS3Installed())('a store on an S3 server', () => {
  let store: MediaStore;
  let home: string;
  let end: () => Promise<void>;

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'relay-s3-'));
    const directory = await mkdtemp(join(tmpdir(), 'relay-bucket-'));
    const server = await startS3Server({ port: await freePort(), directory, bucket: 'relay' });
    end = async () => {
      await server.close();
      await rm(home, { recursive: true, force: true });
      await rm(directory, { recursive: true, force: true });
    };
    const settings = mediaSettingsSchema.parse({
      s3_bucket: 'relay',
      s3_endpoint: server.endpoint,
      s3_access_key_id: S3_KEYS.accessKeyId,
      s3_secret_access_key: S3_KEYS.secretAccessKey,
    });
    const account = 1 as AccountId;
    const files = await openS3Files(settings, account);
    store = new MediaStore({ home, account, sealer: testSealer, files });
  });
  afterAll(() => end());

  async function* pieces(bytes: Buffer) {
    for (let at = 0; at < bytes.length; at += 10_000) yield bytes.subarray(at, at + 10_000);
  }
  const keep = (bytes: Buffer) =>
    store.put(pieces(bytes), { limit: 10_000_000 }, async ({ object }) => object);
  const read = async (object: string, range = {}) =>
    buffer((await store.open(object, range)).stream);
  const listed = async () => {
    const all: string[] = [];
    for await (const object of store.list()) all.push(object);
    return all;
  };

  test('gives back what was stored, and any part of it', async () => {
    verifies('MEDIA-S3');
    const bytes = randomBytes(300_000);
    const object = await keep(bytes);
    expect((await read(object)).equals(bytes)).toBe(true);
    const part = await read(object, { start: 65_530, end: 140_000 });
    expect(part.equals(bytes.subarray(65_530, 140_001))).toBe(true);
    expect(await listed()).toEqual([object]);
    const left = await readdir(home, { recursive: true, withFileTypes: true });
    expect(left.filter((entry) => entry.isFile())).toEqual([]);
    expect(await store.remove(object, async () => true)).toBe(true);
    await expect(read(object)).rejects.toThrow();
    expect(await listed()).toEqual([]);
  });

  test('stores the same content once, and nothing of a stream that breaks', async () => {
    verifies('MEDIA-S3');
    const bytes = randomBytes(1_000);
    const object = await keep(bytes);
    expect(await keep(bytes)).toBe(object);
    async function* broken() {
      yield bytes;
      throw new Error('broken');
    }
    await expect(store.put(broken(), { limit: 10_000 }, async () => {})).rejects.toThrow('broken');
    expect(await listed()).toEqual([object]);
  });
});
