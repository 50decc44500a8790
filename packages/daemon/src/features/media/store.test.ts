import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { AccountId } from '@relay/contract/ids';
import { testSealer } from '@relay/testing/sealer';
import { verifies } from '@relay/testing/verifies';
import { afterAll, describe, expect, test } from 'vitest';
import { MediaStore, MediaTooLarge, type StoredObject } from './store.ts';

const home = await mkdtemp(join(tmpdir(), 'relay-media-'));
afterAll(() => rm(home, { recursive: true, force: true }));
const store = new MediaStore({ home, account: 1 as AccountId, sealer: testSealer });
const LIMIT = { limit: 10_000_000 };

async function* inPieces(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const keep = (bytes: Buffer, piece = 1_000): Promise<StoredObject> =>
  store.put(inPieces(bytes, piece), LIMIT, async (stored) => stored);

const pathOf = (object: string) => join(home, 'media', '1', object.slice(0, 2), object);

const read = async (object: string, range?: { start?: number; end?: number }) =>
  buffer((await store.open(object, range)).stream);

describe('the store of media', () => {
  // A chunk has 65,536 bytes.
  test.each([0, 1, 65_535, 65_536, 65_537, 200_000])(
    'gives back %i bytes as they were stored',
    async (size) => {
      verifies('MEDIA-IN-SEALED');
      const bytes = randomBytes(size);
      const { object, bytes: length } = await keep(bytes, 7_001);
      expect(length).toBe(size);
      expect((await read(object)).equals(bytes)).toBe(true);
    },
  );

  test('gives back any part of a file', async () => {
    const bytes = randomBytes(200_000);
    const { object } = await keep(bytes);
    for (const [start, end] of [
      [0, 0],
      [65_535, 65_536],
      [65_536, 131_071],
      [131_072, 199_999],
      [1, 199_998],
      [199_999, 300_000],
    ] as const) {
      expect(
        (await read(object, { start, end })).equals(bytes.subarray(start, end + 1)),
        `${start}-${end}`,
      ).toBe(true);
    }
    expect((await read(object, { start: 200_000 })).length).toBe(0);
  });

  test('writes nothing of the content and not its hash, for its user alone', async () => {
    const bytes = Buffer.from('the same words again and again '.repeat(10_000));
    const { object, sha256 } = await keep(bytes);
    const file = await readFile(pathOf(object));
    expect(file.includes('same words')).toBe(false);
    expect(object).not.toContain(sha256.toString('hex'));
    expect((await stat(pathOf(object))).mode & 0o777).toBe(0o600);
  });

  test('stores the same content once', async () => {
    const bytes = randomBytes(1_000);
    expect((await keep(bytes, 10)).object).toBe((await keep(bytes, 999)).object);
  });

  test('refuses a file that was cut, altered or put in the place of another', async () => {
    verifies('MEDIA-IN-SEALED');
    const [one, other] = [await keep(randomBytes(100_000)), await keep(randomBytes(100_000))];
    const sound = await readFile(pathOf(one.object));
    await truncate(pathOf(one.object), 65_000);
    await expect(read(one.object)).rejects.toThrow();
    const altered = Buffer.from(sound);
    altered[80_000] = (altered[80_000] ?? 0) ^ 1;
    await writeFile(pathOf(one.object), altered);
    await expect(read(one.object)).rejects.toThrow();
    await writeFile(pathOf(one.object), await readFile(pathOf(other.object)));
    await expect(read(one.object)).rejects.toThrow();
  });

  test('stops a stream that is too long, and leaves nothing of it behind', async () => {
    async function* endless() {
      for (;;) yield randomBytes(50_000);
    }
    const before = await listed();
    await expect(store.put(endless(), { limit: 1_000_000 }, async () => {})).rejects.toThrow(
      MediaTooLarge,
    );
    expect(await drafts()).toEqual([]);
    expect(await listed()).toEqual(before);
  });

  test('removes what another process had begun to write, and nothing of its own', async () => {
    const left = join(home, 'media', '1', 'drafts', 'former');
    await mkdir(left, { recursive: true });
    await writeFile(join(left, 'part'), 'sealed');
    const stored = store.put(inPieces(randomBytes(100), 10), LIMIT, async () => 'kept');
    await store.start();
    expect(await stored).toBe('kept');
    await expect(readdir(left)).rejects.toThrow();
  });

  test('removes an object unless it is in use, and never while it is being recorded', async () => {
    const bytes = randomBytes(5_000);
    const { object } = await keep(bytes);
    expect(await store.remove(object, async () => false)).toBe(false);
    let recorded = false;
    const recording = Promise.withResolvers<void>();
    const storing = store.put(inPieces(bytes, 500), LIMIT, async () => {
      recording.resolve();
      await new Promise((resolve) => setImmediate(resolve));
      recorded = true;
    });
    await recording.promise;
    expect(await store.remove(object, async () => !recorded)).toBe(false);
    await storing;
    expect(await store.remove(object, async () => true)).toBe(true);
    await expect(read(object)).rejects.toThrow();
  });
});

async function drafts(): Promise<string[]> {
  const root = join(home, 'media', '1', 'drafts');
  const folders = await readdir(root);
  return (await Promise.all(folders.map((folder) => readdir(join(root, folder))))).flat();
}

async function listed(): Promise<string[]> {
  const all: string[] = [];
  for await (const object of store.list()) all.push(object);
  return all.sort();
}
