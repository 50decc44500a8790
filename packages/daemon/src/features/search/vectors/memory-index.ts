// The vector index in this process: the stored vectors of one model in typed arrays, kept up to date by the
// follower. A question is compared with all vectors that its bounds allow: with the signs of their numbers first,
// then exactly with those that differ least.
// Invariant: the database confirms each result for this question, so nothing erased or out of bounds is returned.
import { setImmediate } from 'node:timers/promises';
import {
  documentsWithinBounds,
  readVectorRows,
  readVectorRowsAfter,
  type VectorTable,
} from './sql.ts';
import type {
  IndexedDocument,
  MaintainedIndex,
  NearDocument,
  NearestOptions,
  VectorRow,
} from './vector-index.ts';

const LOADED_AT_ONCE = 1_000;
/** Numbers in a block: 4 MB, compared in 1 to 4 ms. Other work may run before the next block. */
const BLOCK_NUMBERS = 2 ** 21;
/** Up to so many vectors are all compared exactly, of more one in ten: of the 100 nearest at least 99 are found. */
const ALL_COMPARED = 10_000;
const COMPARED_SHARE = 1 / 10;
/** The database is asked about more documents than are wanted: some may just have been erased or moved. */
const CONFIRMED_PER_RESULT = 4;

interface Block {
  readonly vectors: Float16Array;
  /** A bit for each number: whether it is above 0. */
  readonly signs: Int32Array;
}

export class MemoryIndex implements MaintainedIndex {
  readonly kind = 'process';
  readonly #stored: VectorTable;
  readonly #dims: number;
  readonly #blockRows: number;
  readonly #signWords: number;
  /** Row n of `#rows` has its vector in block n / `#blockRows`. */
  readonly #rows: IndexedDocument[] = [];
  readonly #blocks: Block[] = [];
  /** One string for each chat and contact instead of one for each row. */
  readonly #ids = new Map<string, string>();
  #loading: Promise<void> | null = null;
  #loaded = false;
  /** Documents that changed while the index was loading. */
  #changed = new Set<number>();

  constructor(stored: VectorTable, dims: number) {
    this.#stored = stored;
    this.#dims = dims;
    this.#blockRows = Math.max(1, Math.floor(BLOCK_NUMBERS / dims));
    this.#signWords = Math.ceil(dims / 32);
  }

  async nearest(query: Float32Array, options: NearestOptions): Promise<readonly NearDocument[]> {
    await this.load();
    const candidates = await this.#scan(query, options);
    if (candidates.length === 0) return [];
    const confirmed = await documentsWithinBounds(
      this.#stored,
      candidates.map(({ id }) => id),
      options,
    );
    return candidates.filter(({ id }) => confirmed.delete(id)).slice(0, options.limit);
  }

  load(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = null;
      // Also after a failure at the very end, or rows added meanwhile would be loaded twice.
      this.#loaded = false;
      this.#rows.length = 0;
      throw error;
    });
    return this.#loading;
  }

  /** The first question after a start need not wait for it. */
  maintain(): Promise<void> {
    return this.load();
  }

  get size(): number {
    return this.#rows.length;
  }

  add(rows: readonly VectorRow[]): void {
    if (this.#loaded) for (const row of rows) this.#put(row);
    else this.#note(rows.map(({ document }) => document));
  }

  async reload(documents: readonly number[]): Promise<void> {
    if (!this.#loaded) return this.#note(documents);
    const rows = await readVectorRows(this.#stored, documents);
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
      const rows = await readVectorRowsAfter(this.#stored, after, LOADED_AT_ONCE);
      for (const row of rows) {
        this.#put(row);
        after = Math.max(after, row.document);
      }
      if (rows.length < LOADED_AT_ONCE) break;
    }
    this.#loaded = true;
    const changed = [...this.#changed];
    this.#changed.clear();
    if (changed.length > 0) await this.reload(changed);
  }

  /** Nearest first. */
  async #scan(query: Float32Array, options: NearestOptions): Promise<readonly NearDocument[]> {
    const fits = boundsFilter(options);
    const signs = signBitsOf(query);
    const differing = new Uint16Array(this.#rows.length).fill(OUT_OF_BOUNDS);
    await this.#eachBlock((block, first, end) => {
      for (let row = first; row < end; row++) {
        if (fits(this.#rows[row] as IndexedDocument))
          differing[row] = differingBits(signs, block.signs, (row - first) * signs.length);
      }
    });
    const most = mostDiffering(differing, ALL_COMPARED, COMPARED_SHARE);
    const nearest = new NearestDocuments(CONFIRMED_PER_RESULT * options.limit);
    await this.#eachBlock(({ vectors }, first, end) => {
      const rows: number[] = [];
      for (let row = first; row < end; row++) {
        if ((differing[row] as number) <= most) rows.push(row - first);
      }
      const similarities = dotProducts(query, vectors, rows);
      for (let n = 0; n < rows.length; n++) {
        const { document } = this.#rows[first + (rows[n] as number)] as IndexedDocument;
        nearest.offer(document, similarities[n] as number);
      }
    });
    return nearest.documents();
  }

  async #eachBlock(look: (block: Block, first: number, end: number) => void): Promise<void> {
    for (let first = 0; first < this.#rows.length; first += this.#blockRows) {
      look(this.#block(first), first, Math.min(first + this.#blockRows, this.#rows.length));
      await setImmediate();
    }
  }

  #put({ document, chat, contact, seconds, vector }: VectorRow): void {
    const row = this.#rows.length;
    this.#rows.push({
      document,
      chat: this.#shared(chat),
      contact: contact === null ? null : this.#shared(contact),
      seconds,
    });
    if (row % this.#blockRows === 0) {
      this.#blocks[row / this.#blockRows] ??= {
        vectors: new Float16Array(this.#blockRows * this.#dims),
        signs: new Int32Array(this.#blockRows * this.#signWords),
      };
    }
    this.#write(row, vector);
  }

  /** The last row takes the place of each removed one. */
  #remove(documents: ReadonlySet<number>): void {
    for (let row = this.#rows.length - 1; row >= 0; row--) {
      if (!documents.has((this.#rows[row] as IndexedDocument).document)) continue;
      const last = this.#rows.length - 1;
      const at = (last % this.#blockRows) * this.#dims;
      this.#write(row, this.#block(last).vectors.subarray(at, at + this.#dims));
      this.#rows[row] = this.#rows[last] as IndexedDocument;
      this.#rows.pop();
      // What is erased must not stay in memory.
      this.#write(last, new Float16Array(this.#dims));
    }
  }

  #write(row: number, vector: Float16Array): void {
    const n = row % this.#blockRows;
    const { vectors, signs } = this.#block(row);
    vectors.set(vector, n * this.#dims);
    signs.set(signBitsOf(vector), n * this.#signWords);
  }

  #block(row: number): Block {
    return this.#blocks[Math.floor(row / this.#blockRows)] as Block;
  }

  #shared<Id extends string>(id: Id): Id {
    const known = this.#ids.get(id);
    if (known === undefined) this.#ids.set(id, id);
    return (known ?? id) as Id;
  }
}

/** To the second; the database checks exactly. */
function boundsFilter({ chats, from, to, contact }: NearestOptions) {
  const readable = chats === 'all' ? null : new Set(chats);
  const by = contact === 'me' ? null : contact;
  const first = from === undefined ? 0 : Math.floor(+from / 1_000);
  const last = to === undefined ? Number.POSITIVE_INFINITY : Math.ceil(+to / 1_000);
  return (row: IndexedDocument): boolean =>
    (readable === null || readable.has(row.chat)) &&
    row.seconds >= first &&
    row.seconds <= last &&
    (by === undefined || row.contact === by);
}

/** A bit for each number: whether it is above 0. */
export function signBitsOf(vector: Float32Array | Float16Array): Int32Array {
  const signs = new Int32Array(Math.ceil(vector.length / 32));
  for (let n = 0; n < vector.length; n++) {
    if ((vector[n] as number) > 0) signs[n >> 5] = (signs[n >> 5] as number) | (1 << (n & 31));
  }
  return signs;
}

/** How many bits of `a` differ from those of `b` from word `at` on. */
export function differingBits(a: Int32Array, b: Int32Array, at: number): number {
  let count = 0;
  for (let n = 0; n < a.length; n++) {
    // Bits are counted in pairs, then in groups of four and eight.
    let bits = (a[n] as number) ^ (b[at + n] as number);
    bits -= (bits >>> 1) & 0x55555555;
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
    count += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return count;
}

const OUT_OF_BOUNDS = 0xffff;

/** The number of differing signs up to which so many rows, or this share of all if that is more, are included. */
export function mostDiffering(differing: Uint16Array, atLeast: number, share: number): number {
  const counts = new Uint32Array(OUT_OF_BOUNDS);
  let fitting = 0;
  for (const count of differing) {
    if (count === OUT_OF_BOUNDS) continue;
    counts[count] = (counts[count] as number) + 1;
    fitting++;
  }
  const enough = Math.min(fitting, Math.max(atLeast, fitting * share));
  let most = 0;
  for (let within = counts[0] as number; within < enough; within += counts[most] as number) most++;
  return most;
}

/** The query with each of these rows. Four rows at a time: a third faster than one after the other. */
export function dotProducts(
  query: Float32Array,
  vectors: Float16Array,
  rows: readonly number[],
): Float64Array {
  const dims = query.length;
  // With room for the last four, which may be fewer.
  const products = new Float64Array(rows.length + 3);
  for (let n = 0; n < rows.length; n += 4) {
    const row = (k: number): number => (rows[Math.min(n + k, rows.length - 1)] as number) * dims;
    const [at0, at1, at2, at3] = [row(0), row(1), row(2), row(3)];
    let [sum0, sum1, sum2, sum3] = [0, 0, 0, 0];
    for (let k = 0; k < dims; k++) {
      const x = query[k] as number;
      sum0 += x * (vectors[at0 + k] as number);
      sum1 += x * (vectors[at1 + k] as number);
      sum2 += x * (vectors[at2 + k] as number);
      sum3 += x * (vectors[at3 + k] as number);
    }
    products.set([sum0, sum1, sum2, sum3], n);
  }
  return products.subarray(0, rows.length);
}

/** The nearest of all documents offered. Sorts only when twice as many are kept as wanted. */
export class NearestDocuments {
  readonly #limit: number;
  #kept: NearDocument[] = [];
  /** Whatever is not nearer than this is not among the nearest. */
  #least = Number.NEGATIVE_INFINITY;

  constructor(limit: number) {
    this.#limit = limit;
  }

  offer(id: number, similarity: number): void {
    if (similarity <= this.#least) return;
    this.#kept.push({ id, similarity });
    if (this.#kept.length >= 2 * this.#limit)
      this.#least = this.documents().at(-1)?.similarity ?? 0;
  }

  /** Nearest first. */
  documents(): readonly NearDocument[] {
    this.#kept.sort((a, b) => b.similarity - a.similarity);
    this.#kept = this.#kept.slice(0, this.#limit);
    return this.#kept;
  }
}
