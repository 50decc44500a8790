// The store of media: sealed files under a name that is derived from their content with the vault's key. Files are
// first written next to the others and get their name when they are complete and on disk.
// Invariant: an object has a row in `media_objects` as soon as it is written, and none is deleted while a row refers to
// it: `record` and `isUnused` run while no other call can write or delete this object.
import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import type { AccountId } from '@relay/contract/ids';
import type { Sealer } from '@relay/core/ports/sealer';
import { syncDirectory } from '../../platform/home/files.ts';
import {
  type ByteRange,
  ChunkSealer,
  HEAD_BYTES,
  newSalt,
  openChunks,
  openHead,
  sealedBytes,
  sealedRange,
  sealHead,
} from './sealed-file.ts';

export interface StoredObject {
  /** Of the plain bytes. */
  readonly sha256: Buffer;
  readonly bytes: number;
  /** Its name in the store. */
  readonly object: string;
}

/** Thrown when a stream is longer than allowed. What was written of it is deleted. */
export class MediaTooLarge extends Error {
  constructor(limit: number) {
    super(`longer than ${limit} bytes`);
    this.name = 'MediaTooLarge';
  }
}

/** Where sealed files are: in the home, or on a server that speaks S3. */
export interface SealedFiles {
  /** Takes a finished file that is on disk, and removes it there. */
  place(object: string, file: string): Promise<void>;
  /** Throws if there is none. `end` is included. */
  read(object: string, range: ByteRange): Promise<AsyncIterable<Uint8Array>>;
  /** Does nothing if there is none. */
  remove(object: string): Promise<void>;
  list(): AsyncIterable<string>;
}

/** Chunks are written together, because each write is a wait: 512 KiB at a time. */
const CHUNKS_OF_A_WRITE = 8;

export class MediaStore {
  readonly #sealer: Sealer;
  readonly #files: SealedFiles;
  readonly #drafts: string;
  readonly #inTurn = new Map<string, Promise<unknown>>();

  constructor(options: {
    readonly home: string;
    /** Accounts share no files: the holder of an account's lease knows all of its files. */
    readonly account: AccountId;
    readonly sealer: Sealer;
    /** In the home if missing. */
    readonly files?: SealedFiles | null;
  }) {
    const root = join(options.home, MEDIA_FOLDER, String(options.account));
    this.#sealer = options.sealer;
    this.#files = options.files ?? homeFiles(root);
    this.#drafts = join(root, DRAFTS, randomUUID());
  }

  /** Removes what a daemon that was killed had begun to write. */
  async start(): Promise<void> {
    const all = dirname(this.#drafts);
    for (const folder of await readdir(all).catch(() => [])) {
      if (folder !== basename(this.#drafts)) await rm(join(all, folder), { recursive: true });
    }
  }

  /**
   * Stores everything that comes, and calls `record` once it is durable: with its row, or the object is removed by the
   * next sweep.
   */
  async put<T>(
    source: AsyncIterable<Uint8Array>,
    { limit }: { readonly limit: number },
    record: (stored: StoredObject) => Promise<T>,
  ): Promise<T> {
    const draft = join(this.#drafts, randomUUID());
    let isPlaced = false;
    try {
      const stored = await this.#write(draft, source, limit);
      return await this.#alone(stored.object, async () => {
        await this.#files.place(stored.object, draft);
        isPlaced = true;
        return record(stored);
      });
    } finally {
      if (!isPlaced) await rm(draft, { force: true });
    }
  }

  /** The plain bytes, or a part of them. */
  async open(
    object: string,
    range?: Partial<ByteRange>,
  ): Promise<{ readonly bytes: number; readonly stream: Readable }> {
    if (range === undefined) return this.#openWhole(object);
    const sealer = this.#sealer;
    const first = await this.#files.read(object, { start: 0, end: HEAD_BYTES - 1 });
    const head = openHead(sealer, object, await collect(first));
    const wanted = {
      start: range?.start ?? 0,
      end: Math.min(range?.end ?? head.bytes - 1, head.bytes - 1),
    };
    const sealed = sealedRange(head, wanted);
    if (sealed === null) return { bytes: head.bytes, stream: Readable.from([]) };
    const source = await this.#files.read(object, sealed);
    const stream = Readable.from(openChunks(sealer, head, wanted, source), { objectMode: false });
    return { bytes: head.bytes, stream };
  }

  /** With one request: the head is taken from the beginning of the stream. */
  async #openWhole(object: string): Promise<{ readonly bytes: number; readonly stream: Readable }> {
    const sealer = this.#sealer;
    const source = await this.#files.read(object, { start: 0, end: Number.MAX_SAFE_INTEGER });
    const pieces = source[Symbol.asyncIterator]();
    const close = () => void pieces.return?.();
    try {
      const { begin, rest } = await splitAt(HEAD_BYTES, pieces);
      const head = openHead(sealer, object, begin);
      const whole = { start: 0, end: head.bytes - 1 };
      const sealed = limited(rest, sealedBytes(head) - HEAD_BYTES);
      const plain = openChunks(sealer, head, whole, sealed);
      const stream = Readable.from(plain, { objectMode: false }).once('close', close);
      return { bytes: head.bytes, stream };
    } catch (error) {
      close();
      throw error;
    }
  }

  /** Removes the object unless a row has come to refer to it. Returns whether it was removed. */
  remove(object: string, isUnused: () => Promise<boolean>): Promise<boolean> {
    return this.#alone(object, async () => {
      if (!(await isUnused())) return false;
      await this.#files.remove(object);
      return true;
    });
  }

  list(): AsyncIterable<string> {
    return this.#files.list();
  }

  /** The name of the content with this hash. */
  nameOf(sha256: Uint8Array): string {
    const hash = Buffer.from(sha256).toString('hex');
    return Buffer.from(this.#sealer.mac(`media object ${hash}`)).toString('hex');
  }

  async #write(
    draft: string,
    source: AsyncIterable<Uint8Array>,
    limit: number,
  ): Promise<StoredObject> {
    const create = () => open(draft, 'wx', 0o600);
    const file = await onceInFolder(this.#drafts, create);
    try {
      const salt = newSalt();
      const chunks = new ChunkSealer(this.#sealer, salt);
      // The head is sealed last: only then its object and its length are known.
      let at = HEAD_BYTES;
      let held: Uint8Array[] = [];
      for await (const piece of source) {
        if (chunks.bytes + piece.length > limit) throw new MediaTooLarge(limit);
        held.push(...chunks.add(piece));
        if (held.length < CHUNKS_OF_A_WRITE) continue;
        at = await writeAt(file, held, at);
        held = [];
      }
      const { last, sha256 } = chunks.end();
      if (last !== null) held.push(last);
      const object = this.nameOf(sha256);
      const { bytes } = chunks;
      const head = sealHead(this.#sealer, object, { salt, bytes });
      // A photo is written at once.
      if (at === HEAD_BYTES) await writeAt(file, [head, ...held], 0);
      else {
        await writeAt(file, held, at);
        await writeAt(file, [head], 0);
      }
      await file.sync();
      return { sha256, bytes, object };
    } finally {
      await file.close();
    }
  }

  /** One at a time for each object. */
  async #alone<T>(object: string, work: () => Promise<T>): Promise<T> {
    const mine = (this.#inTurn.get(object) ?? Promise.resolve()).then(work, work);
    const settled = mine.catch(() => {});
    this.#inTurn.set(object, settled);
    try {
      return await mine;
    } finally {
      if (this.#inTurn.get(object) === settled) this.#inTurn.delete(object);
    }
  }
}

/** Returns where the next write continues. */
async function writeAt(
  file: FileHandle,
  pieces: readonly Uint8Array[],
  position: number,
): Promise<number> {
  let at = position;
  let left = [...pieces];
  while (left.length > 0) {
    const { bytesWritten } = await file.writev(left, at);
    at += bytesWritten;
    left = [...withoutBegin(left, bytesWritten)];
  }
  return at;
}

function* withoutBegin(pieces: readonly Uint8Array[], bytes: number): Generator<Uint8Array> {
  let skip = bytes;
  for (const piece of pieces) {
    if (piece.length > skip) yield piece.subarray(skip);
    skip = Math.max(0, skip - piece.length);
  }
}

/** Most folders exist: they are made only when something could not be put into them. */
async function onceInFolder<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // The folder's own entry.
    await syncDirectory(dirname(folder));
    return work();
  }
}

/** The first bytes of a stream, and what comes after them. */
async function splitAt(
  length: number,
  pieces: AsyncIterator<Uint8Array>,
): Promise<{ readonly begin: Buffer; readonly rest: AsyncIterable<Uint8Array> }> {
  let held: Buffer = Buffer.alloc(0);
  while (held.length < length) {
    const { done, value } = await pieces.next();
    if (done) break;
    held = held.length === 0 ? Buffer.from(value) : Buffer.concat([held, value]);
  }
  async function* rest(): AsyncGenerator<Uint8Array> {
    if (held.length > length) yield held.subarray(length);
    yield* { [Symbol.asyncIterator]: () => pieces };
  }
  return { begin: held.subarray(0, length), rest: rest() };
}

/** Without what follows after so many bytes. */
async function* limited(
  source: AsyncIterable<Uint8Array>,
  bytes: number,
): AsyncGenerator<Uint8Array> {
  let left = bytes;
  for await (const piece of source) {
    if (left <= 0) return;
    yield piece.subarray(0, left);
    left -= piece.length;
  }
}

async function collect(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of source) pieces.push(piece);
  return Buffer.concat(pieces);
}

// Sealed files in the home: `<home>/media/<account>/<2 letters>/<object>`.

const MEDIA_FOLDER = 'media';
const DRAFTS = 'drafts';
const SHELF = /^[0-9a-f]{2}$/;
const READ_BYTES = 256 * 1024;

function homeFiles(root: string): SealedFiles {
  const shelf = (object: string) => join(root, object.slice(0, 2));
  const path = (object: string) => join(shelf(object), object);
  return {
    async place(object, file) {
      await onceInFolder(shelf(object), () => rename(file, path(object)));
      await syncDirectory(shelf(object));
    },
    async read(object, { start, end }) {
      const file = await open(path(object));
      return file.createReadStream({ start, end, highWaterMark: READ_BYTES });
    },
    async remove(object) {
      await rm(path(object), { force: true });
    },
    async *list() {
      for (const folder of await readdir(root).catch(() => [])) {
        if (!SHELF.test(folder)) continue;
        yield* await readdir(join(root, folder)).catch(() => []);
      }
    },
  };
}
