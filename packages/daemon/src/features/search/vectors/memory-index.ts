// The vector index in this process: the stored vectors of one model in typed arrays, loaded at first use and kept
// up to date by the follower. A question is compared with every vector that its bounds allow.
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

const LOADED_AT_ONCE = 4_000;
/** Numbers in a block: 2 MB, compared in 1 to 2 ms. Other work may run before the next block. */
const BLOCK_NUMBERS = 2 ** 20;
/** The database is asked about more documents than are wanted: some may just have been erased or moved. */
const CONFIRMED_PER_RESULT = 4;

export class MemoryIndex implements MaintainedIndex {
  readonly kind = 'process';
  readonly #stored: VectorTable;
  readonly #dims: number;
  readonly #blockRows: number;
  /** Row n of `#rows` has its vector in block n / `#blockRows`. */
  readonly #rows: IndexedDocument[] = [];
  readonly #blocks: Float16Array[] = [];
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
      this.#rows.length = 0;
      throw error;
    });
    return this.#loading;
  }

  get size(): number {
    return this.#rows.length;
  }

  add(rows: readonly VectorRow[]): void {
    if (this.#loaded) for (const row of rows) this.#put(row);
    else this.#note(rows.map(({ document }) => document));
  }

  async renew(documents: readonly number[]): Promise<void> {
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
    if (changed.length > 0) await this.renew(changed);
  }

  /** Nearest first. */
  async #scan(query: Float32Array, options: NearestOptions): Promise<readonly NearDocument[]> {
    const fits = boundsFilter(options);
    const nearest = new NearestDocuments(CONFIRMED_PER_RESULT * options.limit);
    for (let first = 0; first < this.#rows.length; first += this.#blockRows) {
      if (first > 0) await setImmediate();
      const end = Math.min(first + this.#blockRows, this.#rows.length);
      if (end <= first) break;
      const fitting: number[] = [];
      for (let row = first; row < end; row++) {
        if (fits(this.#rows[row] as IndexedDocument)) fitting.push(row - first);
      }
      const similarities = dotProducts(query, this.#block(first), fitting);
      for (let n = 0; n < fitting.length; n++) {
        const { document } = this.#rows[first + (fitting[n] as number)] as IndexedDocument;
        nearest.offer(document, similarities[n] as number);
      }
    }
    return nearest.documents();
  }

  #put({ document, chat, contact, seconds, vector }: VectorRow): void {
    const row = this.#rows.length;
    this.#rows.push({
      document,
      chat: this.#shared(chat),
      contact: contact === null ? null : this.#shared(contact),
      seconds,
    });
    this.#blocks[Math.floor(row / this.#blockRows)] ??= new Float16Array(
      this.#blockRows * this.#dims,
    );
    this.#block(row).set(vector, this.#offset(row));
  }

  /** The last row takes the place of each removed one. */
  #remove(documents: ReadonlySet<number>): void {
    for (let row = this.#rows.length - 1; row >= 0; row--) {
      if (!documents.has((this.#rows[row] as IndexedDocument).document)) continue;
      const last = this.#rows.length - 1;
      const vector = this.#vector(last);
      this.#rows[row] = this.#rows[last] as IndexedDocument;
      this.#vector(row).set(vector);
      this.#rows.pop();
      // What was erased is erased from memory too.
      vector.fill(0);
    }
  }

  #block(row: number): Float16Array {
    return this.#blocks[Math.floor(row / this.#blockRows)] as Float16Array;
  }

  #offset(row: number): number {
    return (row % this.#blockRows) * this.#dims;
  }

  #vector(row: number): Float16Array {
    return this.#block(row).subarray(this.#offset(row), this.#offset(row) + this.#dims);
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

/** The query with each of these rows. Four rows at a time: a third faster than one after the other. */
export function dotProducts(
  query: Float32Array,
  vectors: Float16Array,
  rows: readonly number[],
): Float64Array {
  const dims = query.length;
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
