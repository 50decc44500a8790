// The format of a stored object: a sealed head, then chunks of 64 KiB, each sealed by itself. So a file of any size is
// written and read in a few hundred kilobytes of memory, and any part of it can be read without the rest.
// Invariant: what is read is what was stored. The head names the object and its length, a chunk names its file and its
// place: a file that is cut, mixed with another one or moved to another name does not open.
import { createHash, randomBytes } from 'node:crypto';
import type { Sealer } from '@relay/core/ports/sealer';

/** What a sealer adds: version, nonce and tag. */
const OVERHEAD = 29;
const CHUNK = 64 * 1024;
const SEALED_CHUNK = CHUNK + OVERHEAD;
const SALT = 16;
const LENGTH = 8;
export const HEAD_BYTES = SALT + LENGTH + OVERHEAD;

export interface SealedHead {
  readonly salt: string;
  /** Of the plain content. */
  readonly bytes: number;
}

const headName = (object: string): string => `media/${object}`;
const chunkName = (salt: string, index: number): string => `media/${salt}/${index}`;

export function sealHead(
  sealer: Pick<Sealer, 'seal'>,
  object: string,
  { salt, bytes }: SealedHead,
): Uint8Array {
  const plain = Buffer.alloc(SALT + LENGTH);
  plain.write(salt, 'hex');
  plain.writeBigUInt64BE(BigInt(bytes), SALT);
  return sealer.seal(headName(object), plain);
}

export function openHead(
  sealer: Pick<Sealer, 'open'>,
  object: string,
  sealed: Uint8Array,
): SealedHead {
  const plain = Buffer.from(sealer.open(headName(object), sealed));
  return {
    salt: plain.subarray(0, SALT).toString('hex'),
    bytes: Number(plain.readBigUInt64BE(SALT)),
  };
}

export const newSalt = (): string => randomBytes(SALT).toString('hex');

/** Seals chunk by chunk what comes, and counts and hashes it on the way. */
export class ChunkSealer {
  readonly #sealer: Pick<Sealer, 'seal'>;
  readonly #salt: string;
  readonly #hash = createHash('sha256');
  readonly #pending = Buffer.allocUnsafe(CHUNK);
  #held = 0;
  #index = 0;
  bytes = 0;

  constructor(sealer: Pick<Sealer, 'seal'>, salt: string) {
    this.#sealer = sealer;
    this.#salt = salt;
  }

  /** Returns the chunks that are full now. */
  *add(plain: Uint8Array): Generator<Uint8Array> {
    this.#hash.update(plain);
    this.bytes += plain.length;
    for (let at = 0; at < plain.length; ) {
      const part = plain.subarray(at, at + CHUNK - this.#held);
      this.#pending.set(part, this.#held);
      this.#held += part.length;
      at += part.length;
      if (this.#held === CHUNK) yield this.#next();
    }
  }

  /** The last chunk, if something is left for it, and the hash of all. Nothing can be added afterwards. */
  end(): { last: Uint8Array | null; sha256: Buffer } {
    const last = this.#held === 0 ? null : this.#next();
    return { last, sha256: this.#hash.digest() };
  }

  #next(): Uint8Array {
    const name = chunkName(this.#salt, this.#index);
    const sealed = this.#sealer.seal(name, this.#pending.subarray(0, this.#held));
    this.#index += 1;
    this.#held = 0;
    return sealed;
  }
}

/** Of the plain bytes; `end` is included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** The length of the sealed file. */
export const sealedBytes = ({ bytes }: Pick<SealedHead, 'bytes'>): number =>
  HEAD_BYTES + bytes + Math.ceil(bytes / CHUNK) * OVERHEAD;

/** Where the chunks of a range are in the sealed file; `end` is included. Null for an empty range. */
export function sealedRange(
  { bytes }: Pick<SealedHead, 'bytes'>,
  { start, end }: ByteRange,
): ByteRange | null {
  if (bytes === 0 || end < start) return null;
  const first = Math.floor(start / CHUNK);
  const last = Math.floor(end / CHUNK);
  return {
    start: HEAD_BYTES + first * SEALED_CHUNK,
    end: Math.min(HEAD_BYTES + (last + 1) * SEALED_CHUNK, sealedBytes({ bytes })) - 1,
  };
}

/** Opens the chunks of a range. Throws where the sealed bytes end too early or do not open. */
export async function* openChunks(
  sealer: Pick<Sealer, 'open'>,
  head: SealedHead,
  range: ByteRange,
  sealed: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let index = Math.floor(range.start / CHUNK);
  const count = Math.ceil(head.bytes / CHUNK);
  for await (const chunk of sealedChunks(sealed, index, head.bytes)) {
    const plain = sealer.open(chunkName(head.salt, index), chunk);
    const offset = index * CHUNK;
    yield plain.subarray(Math.max(0, range.start - offset), range.end + 1 - offset);
    index += 1;
  }
  if (index < Math.min(count, Math.floor(range.end / CHUNK) + 1)) {
    throw new Error('a stored file ends too early');
  }
}

/** Cuts the stream where chunks begin. */
async function* sealedChunks(
  sealed: AsyncIterable<Uint8Array>,
  first: number,
  bytes: number,
): AsyncGenerator<Uint8Array> {
  const pending = Buffer.allocUnsafe(SEALED_CHUNK);
  let held = 0;
  let index = first;
  const wanted = () => Math.min(CHUNK, bytes - index * CHUNK) + OVERHEAD;
  for await (const piece of sealed) {
    for (let at = 0; at < piece.length; ) {
      const part = piece.subarray(at, at + wanted() - held);
      pending.set(part, held);
      held += part.length;
      at += part.length;
      if (held < wanted()) continue;
      yield pending.subarray(0, held);
      held = 0;
      index += 1;
    }
  }
  if (held > 0) throw new Error('a stored file ends within a chunk');
}
