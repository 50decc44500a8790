// What finds documents by their meaning: an index in this process, or pgvector where the server has it.
// Invariant: whatever it finds, a statement of SQL has let through for the same chats and times.
import type { ChatId, ContactId } from '@relay/contract/ids';
import type { Transaction } from '../../../platform/db/database.ts';

export interface NearestOptions {
  /** Those that may be read; nothing of any other takes the place of one of theirs. */
  readonly chats: readonly ChatId[] | 'all';
  /** Said at this time or later. */
  readonly from?: Date;
  /** Said before. */
  readonly to?: Date;
  /** Said by this person; `me` is the account itself. */
  readonly contact?: ContactId | 'me';
  readonly limit: number;
}

export interface NearDocument {
  /** Of `search_documents`. */
  readonly id: number;
  /** The cosine: 1 is the same. */
  readonly similarity: number;
}

interface VectorIndex {
  /** Nearest first. The vector is one of the model that the index is of, and of length 1. */
  nearest(query: Float32Array, options: NearestOptions): Promise<readonly NearDocument[]>;
}

/** Kept true by the follower. */
export interface MaintainedIndex extends VectorIndex {
  readonly kind: 'process' | 'pgvector';
  /** These were stored just now. */
  add(rows: readonly SketchedRow[]): void;
  /** Documents that are gone, or belong to another chat or person now. */
  renew(documents: readonly number[]): Promise<void>;
  /** In the transaction that stores the vectors, where the index is one of the database's. */
  store?(tx: Transaction, vectors: readonly NewVector[]): Promise<void>;
  /** When everything has been seen, and nobody waits. */
  tend?(): Promise<void>;
}

// What is known of each row of the index beside its sketch: a column of plain numbers for each thing that is
// asked of it. Chats and people get small numbers of this index's own.

export interface VectorRow {
  readonly document: number;
  readonly chat: ChatId;
  /** Null: the account itself. */
  readonly contact: ContactId | null;
  readonly seconds: number;
}

export interface SketchedRow extends VectorRow {
  readonly sketch: Uint8Array;
}

/** Just made; `stored` is what is kept of it. */
export interface NewVector extends SketchedRow {
  readonly vector: Float32Array;
  readonly stored: Buffer;
}

const FIRST_CAPACITY = 1_024;

export class VectorColumns {
  size = 0;
  documents = new Float64Array(FIRST_CAPACITY);
  chats = new Uint32Array(FIRST_CAPACITY);
  contacts = new Uint32Array(FIRST_CAPACITY);
  seconds = new Uint32Array(FIRST_CAPACITY);
  readonly chatNumbers = new SmallNumbers<ChatId>();
  readonly contactNumbers = new SmallNumbers<ContactId | null>();

  /** The number of the new row. */
  add({ document, chat, contact, seconds }: VectorRow): number {
    const row = this.size;
    if (row === this.documents.length) this.#widen(row * 2);
    this.documents[row] = document;
    this.chats[row] = this.chatNumbers.of(chat);
    this.contacts[row] = this.contactNumbers.of(contact);
    this.seconds[row] = seconds;
    this.size++;
    return row;
  }

  /** The last row takes the place of this one; returns the number it had. */
  replaceByLast(row: number): number {
    const last = this.size - 1;
    for (const column of [this.documents, this.chats, this.contacts, this.seconds])
      column[row] = column[last] as number;
    this.size = last;
    return last;
  }

  #widen(capacity: number): void {
    const widened = <C extends Float64Array<ArrayBuffer> | Uint32Array<ArrayBuffer>>(
      column: C,
      wider: C,
    ): C => {
      wider.set(column);
      return wider;
    };
    this.documents = widened(this.documents, new Float64Array(capacity));
    this.chats = widened(this.chats, new Uint32Array(capacity));
    this.contacts = widened(this.contacts, new Uint32Array(capacity));
    this.seconds = widened(this.seconds, new Uint32Array(capacity));
  }
}

class SmallNumbers<T> {
  readonly #known = new Map<T, number>();

  of(value: T): number {
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    this.#known.set(value, this.#known.size);
    return this.#known.size - 1;
  }

  /** Undefined: no row has it. */
  get(value: T): number | undefined {
    return this.#known.get(value);
  }

  get count(): number {
    return this.#known.size;
  }
}

// A vector in its other two forms: as it is stored (16-bit floats), and as a sketch that tells its neighbours
// from the rest at a sixteenth of the size. Each number becomes one of −3, −1, 1, 3, which is 2·high + low
// with two bits that stand for −1 and 1: a plane of high bits, then a plane of low bits.

/** 64 bits in a word. */
export const sketchWords = (dims: number): number => Math.ceil(dims / 64);

const PLANES = 2;
export const sketchBytes = (dims: number): number => PLANES * sketchWords(dims) * 8;

export function toSketch(vector: Float32Array): Uint8Array {
  const sketch = new Uint8Array(sketchBytes(vector.length));
  const low = sketch.length / PLANES;
  // How far numbers of a vector of length 1 lie from 0, mostly: half of them on each side of ±1 and ±3.
  const middle = 1 / Math.sqrt(vector.length);
  vector.forEach((value, n) => {
    const bit = 1 << (n & 7);
    if (value > 0) sketch[n >>> 3] = (sketch[n >>> 3] as number) | bit;
    const isLow = value > 0 ? value > middle : value > -middle;
    if (isLow) sketch[low + (n >>> 3)] = (sketch[low + (n >>> 3)] as number) | bit;
  });
  return sketch;
}

/** As far apart as two sketches can be. */
export const maxSketchDistance = (dims: number): number => dims * 9;

export const encodeVector = (vector: Float32Array): Buffer => toBuffer(Float16Array.from(vector));

export const toBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array | Float16Array): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);

/** Vectors as they are stored, one right after the other. */
export function decodeVectors(bytes: Uint8Array): Float16Array {
  return new Float16Array(new Uint8Array(bytes).buffer);
}
