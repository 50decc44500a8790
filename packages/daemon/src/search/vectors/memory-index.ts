// The index in this process: sketches of all vectors of one model, loaded at first use and kept true by the
// follower. A scan finds some hundred near ones, and their stored vectors say which are the nearest.
// Invariant: what is returned was read from the database for this very question.
import { setImmediate } from 'node:timers/promises';
import { Columns, type SketchedRow, type VectorRow } from './columns.ts';
import { Nearest } from './nearest.ts';
import { fromStored, furthest, toSketch } from './sketch.ts';
import { Sketches, SLICE } from './sketches.ts';
import { type Stored, sketchesAfter, sketchesOf, vectorsOf } from './stored.ts';
import type { KeptIndex, Near, NearestOptions } from './vector-index.ts';

const LOADED_AT_ONCE = 20_000;
/** How many are compared exactly: of the 50 nearest, 49.5 are among the 400 nearest by their sketches. */
const FEWEST = 400;
const COMPARED = 4;
const MOST = 1_000;

/** One row by itself costs as much as about so many in a slice. */
const FEW = 16;

type Fits = (row: number) => boolean;

export class MemoryIndex implements KeptIndex {
  readonly kind = 'process';
  readonly #stored: Stored;
  readonly #dims: number;
  readonly #sketches: Sketches;
  readonly #columns = new Columns();
  #loading: Promise<void> | null = null;
  #loaded = false;
  /** What changed while it was loaded. */
  #changed = new Set<number>();

  constructor(stored: Stored, dims: number) {
    this.#stored = stored;
    this.#dims = dims;
    this.#sketches = new Sketches(dims);
  }

  async nearest(query: Float32Array, options: NearestOptions): Promise<readonly Near[]> {
    await this.load();
    const documents = await this.#scan(query, options);
    if (documents.length === 0) return [];
    const found = await vectorsOf(this.#stored, documents, options);
    const vectors = fromStored(found.vectors);
    return found.documents
      .map((id, n) => ({ id, similarity: product(query, vectors, n * this.#dims) }))
      .sort((a, b) => b.similarity - a.similarity)
      .slice(0, options.limit);
  }

  load(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = null;
      this.#columns.size = 0;
      throw error;
    });
    return this.#loading;
  }

  get size(): number {
    return this.#columns.size;
  }

  /** These were written just now. */
  add(rows: readonly SketchedRow[]): void {
    if (this.#loaded) for (const row of rows) this.#put(row, row.sketch);
    else this.#note(rows.map(({ document }) => document));
  }

  /** These are gone, or belong elsewhere now: looked up anew. */
  async renew(documents: readonly number[]): Promise<void> {
    if (!this.#loaded) return this.#note(documents);
    const rows = await sketchesOf(this.#stored, documents);
    this.#remove(new Set(documents));
    this.add(rows);
  }

  #note(documents: readonly number[]): void {
    if (this.#loading === null) return;
    for (const document of documents) this.#changed.add(document);
  }

  async #load(): Promise<void> {
    this.#changed.clear();
    for (let after = 0; ; ) {
      const rows = await sketchesAfter(this.#stored, after, LOADED_AT_ONCE);
      for (const row of rows) this.#put(row, row.sketch);
      if (rows.length < LOADED_AT_ONCE) break;
      after = rows.at(-1)?.document ?? after;
    }
    this.#loaded = true;
    const changed = [...this.#changed];
    this.#changed.clear();
    if (changed.length > 0) await this.renew(changed);
  }

  async #scan(query: Float32Array, options: NearestOptions): Promise<readonly number[]> {
    const most = Math.min(MOST, Math.max(FEWEST, COMPARED * options.limit));
    const nearest = new Nearest(most, furthest(this.#dims));
    const fits = this.#filter(options);
    if (fits === null) return [];
    const sketch = toSketch(query);
    for (let first = 0; first < this.#columns.size; first += SLICE) {
      if (first > 0) await setImmediate();
      const end = Math.min(first + SLICE, this.#columns.size);
      if (end <= first) break;
      if (options.chats === 'all') this.#scanAll(sketch, first, end, nearest, fits);
      else this.#scanFew(sketch, first, end, nearest, fits);
    }
    return nearest.documents();
  }

  /** Most rows are too far away, so whether one fits is asked last. */
  #scanAll(sketch: Uint8Array, first: number, end: number, nearest: Nearest, fits: Fits): void {
    const distances = this.#sketches.distances(sketch, first, end);
    let { reach } = nearest;
    for (let n = 0; n < distances.length; n++) {
      const distance = distances[n] as number;
      if (distance > reach || !fits(first + n)) continue;
      nearest.offer(this.#columns.documents[first + n] as number, distance);
      reach = nearest.reach;
    }
  }

  /** Of few chats most rows do not fit, and their distances are not looked at; unless they are many after all. */
  #scanFew(sketch: Uint8Array, first: number, end: number, nearest: Nearest, fits: Fits): void {
    const rows: number[] = [];
    for (let row = first; row < end && rows.length <= (end - first) / FEW; row++) {
      if (fits(row)) rows.push(row);
    }
    if (rows.length > (end - first) / FEW) {
      this.#scanAll(sketch, first, end, nearest, fits);
      return;
    }
    for (const row of rows) {
      const [distance = 0] = this.#sketches.distances(sketch, row, row + 1);
      nearest.offer(this.#columns.documents[row] as number, distance);
    }
  }

  /** Null when no row can fit. To the second; the database is exact. */
  #filter({ chats, from, to, contact }: NearestOptions): Fits | null {
    const { chatNumbers, contactNumbers } = this.#columns;
    const readable = new Uint8Array(chatNumbers.count).fill(chats === 'all' ? 1 : 0);
    for (const chat of chats === 'all' ? [] : chats) {
      const number = chatNumbers.get(chat);
      if (number !== undefined) readable[number] = 1;
    }
    if (!readable.includes(1)) return null;
    const by = contact === undefined ? null : contactNumbers.get(contact === 'me' ? null : contact);
    if (by === undefined) return null;
    const first = from === undefined ? 0 : Math.floor(+from / 1_000);
    const last = to === undefined ? Number.POSITIVE_INFINITY : Math.ceil(+to / 1_000);
    return (row) => {
      const columns = this.#columns;
      const second = columns.seconds[row] as number;
      return (
        readable[columns.chats[row] as number] === 1 &&
        second >= first &&
        second <= last &&
        (by === null || columns.contacts[row] === by)
      );
    };
  }

  #put(row: VectorRow, sketch: Uint8Array): void {
    this.#sketches.put(this.#columns.add(row), sketch);
  }

  #remove(documents: ReadonlySet<number>): void {
    const columns = this.#columns;
    for (let row = columns.size - 1; row >= 0; row--) {
      if (!documents.has(columns.documents[row] as number)) continue;
      const last = columns.replaceByLast(row);
      this.#sketches.move(last, row);
      this.#sketches.clear(last);
    }
  }
}

function product(query: Float32Array, vectors: Float16Array, from: number): number {
  let sum = 0;
  for (let n = 0; n < query.length; n++) {
    sum += (query[n] as number) * (vectors[from + n] as number);
  }
  return sum;
}
