// The index in this process: sketches of all vectors of one model, loaded at first use and kept true by the
// follower. A scan finds some hundred near ones, and their stored vectors say which are the nearest.
// Invariant: what is returned was read from the database for this very question.
import { setImmediate } from 'node:timers/promises';
import { readSketches, readSketchesAfter, readVectors, type VectorTable } from './sql.ts';
import {
  decodeVectors,
  type MaintainedIndex,
  maxSketchDistance,
  type NearDocument,
  type NearestOptions,
  type SketchedRow,
  sketchBytes,
  sketchWords,
  toSketch,
  VectorColumns,
  type VectorRow,
} from './vector-index.ts';

const LOADED_AT_ONCE = 20_000;
/** How many are compared exactly: of the 50 nearest, 49.5 are among the 400 nearest by their sketches. */
const MIN_COMPARED = 400;
const COMPARED_PER_RESULT = 4;
const MAX_COMPARED = 1_000;

/** One row by itself costs as much as about so many in a slice. */
const SINGLE_ROW_COST = 16;

type Fits = (row: number) => boolean;

export class MemoryIndex implements MaintainedIndex {
  readonly kind = 'process';
  readonly #stored: VectorTable;
  readonly #dims: number;
  readonly #sketches: SketchTable;
  readonly #columns = new VectorColumns();
  #loading: Promise<void> | null = null;
  #loaded = false;
  /** What changed while it was loaded. */
  #changed = new Set<number>();

  constructor(stored: VectorTable, dims: number) {
    this.#stored = stored;
    this.#dims = dims;
    this.#sketches = new SketchTable(dims);
  }

  async nearest(query: Float32Array, options: NearestOptions): Promise<readonly NearDocument[]> {
    await this.load();
    const documents = await this.#scan(query, options);
    if (documents.length === 0) return [];
    const found = await readVectors(this.#stored, documents, options);
    const vectors = decodeVectors(found.vectors);
    return found.documents
      .map((id, n) => ({ id, similarity: dotProduct(query, vectors, n * this.#dims) }))
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
    const rows = await readSketches(this.#stored, documents);
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
      const rows = await readSketchesAfter(this.#stored, after, LOADED_AT_ONCE);
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
    const most = Math.min(
      MAX_COMPARED,
      Math.max(MIN_COMPARED, COMPARED_PER_RESULT * options.limit),
    );
    const nearest = new NearestDocuments(most, maxSketchDistance(this.#dims));
    const fits = this.#filter(options);
    if (fits === null) return [];
    const sketch = toSketch(query);
    for (let first = 0; first < this.#columns.size; first += SLICE_ROWS) {
      if (first > 0) await setImmediate();
      const end = Math.min(first + SLICE_ROWS, this.#columns.size);
      if (end <= first) break;
      if (options.chats === 'all') this.#scanAll(sketch, first, end, nearest, fits);
      else this.#scanFew(sketch, first, end, nearest, fits);
    }
    return nearest.documents();
  }

  /** Most rows are too far away, so whether one fits is asked last. */
  #scanAll(
    sketch: Uint8Array,
    first: number,
    end: number,
    nearest: NearestDocuments,
    fits: Fits,
  ): void {
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
  #scanFew(
    sketch: Uint8Array,
    first: number,
    end: number,
    nearest: NearestDocuments,
    fits: Fits,
  ): void {
    const rows: number[] = [];
    for (let row = first; row < end && rows.length <= (end - first) / SINGLE_ROW_COST; row++) {
      if (fits(row)) rows.push(row);
    }
    if (rows.length > (end - first) / SINGLE_ROW_COST) {
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

function dotProduct(query: Float32Array, vectors: Float16Array, from: number): number {
  let sum = 0;
  for (let n = 0; n < query.length; n++) {
    sum += (query[n] as number) * (vectors[from + n] as number);
  }
  return sum;
}

// The nearest of all documents that were offered, as many as are wanted. Distances are small whole numbers, so
// counting them tells how far the last of the nearest is, without sorting anything.

export class NearestDocuments {
  readonly #most: number;
  readonly #counts: Uint32Array;
  #within = 0;
  readonly #found: { readonly document: number; readonly distance: number }[] = [];
  /** Whoever is further away than this is not among them. */
  reach: number;

  constructor(most: number, furthest: number) {
    this.#most = most;
    this.#counts = new Uint32Array(furthest + 1);
    this.reach = furthest;
  }

  offer(document: number, distance: number): void {
    if (distance > this.reach) return;
    this.#found.push({ document, distance });
    this.#counts[distance] = this.#at(distance) + 1;
    this.#within++;
    while (this.#within - this.#at(this.reach) >= this.#most) {
      this.#within -= this.#at(this.reach);
      this.reach--;
    }
  }

  documents(): readonly number[] {
    return this.#found
      .filter(({ distance }) => distance <= this.reach)
      .sort((a, b) => a.distance - b.distance)
      .slice(0, this.#most)
      .map(({ document }) => document);
  }

  #at(distance: number): number {
    return this.#counts[distance] as number;
  }
}

// Sketches one right after the other in one piece of memory that grows at its end, and how far each is from
// a question. Rows are known by their number alone.

const PAGE = 65_536;
/** Asked for at once: about a millisecond, after which others may have their turn. */
const SLICE_ROWS = 65_536;

export class SketchTable {
  readonly #width: number;
  readonly #memory: WebAssembly.Memory;
  readonly #distances: ReturnType<typeof compileDistances>;
  /** Where things are: the question at 0, the distances of a slice, the rows. */
  readonly #out: number;
  readonly #rows: number;
  #bytes: Uint8Array;

  constructor(dims: number) {
    this.#width = sketchBytes(dims);
    this.#out = this.#width;
    this.#rows = this.#out + 2 * SLICE_ROWS;
    this.#memory = new WebAssembly.Memory({ initial: Math.ceil(this.#rows / PAGE) });
    this.#bytes = new Uint8Array(this.#memory.buffer);
    this.#distances = compileDistances(this.#memory, sketchWords(dims));
  }

  put(row: number, sketch: Uint8Array): void {
    const at = this.#at(row);
    this.#reach(at + this.#width);
    this.#bytes.set(sketch, at);
  }

  move(from: number, to: number): void {
    this.#bytes.copyWithin(this.#at(to), this.#at(from), this.#at(from + 1));
  }

  /** Forgets what stood in the row. */
  clear(row: number): void {
    this.#bytes.fill(0, this.#at(row), this.#at(row + 1));
  }

  /** Of the rows from `first` on; at most a slice of them, valid until the next call. */
  distances(query: Uint8Array, first: number, end: number): Uint16Array {
    this.#bytes.set(query, 0);
    this.#distances(0, this.#at(first), this.#at(end), this.#out);
    return new Uint16Array(this.#memory.buffer, this.#out, end - first);
  }

  #at(row: number): number {
    return this.#rows + row * this.#width;
  }

  #reach(end: number): void {
    const missing = end - this.#bytes.length;
    if (missing <= 0) return;
    this.#memory.grow(Math.ceil(Math.max(missing, this.#bytes.length / 8) / PAGE));
    this.#bytes = new Uint8Array(this.#memory.buffer);
  }
}

// The one loop that must be fast: how far a question's sketch is from each of a million. JavaScript has no
// instruction that counts the bits of a word and WebAssembly has, so these lines write a small function for
// it, once for each width. As text it would be, with `words` written out:
//   (func (param $query i32) (param $row i32) (param $end i32) (param $out i32)
//     (loop
//       ;; for each word: high and low of the row against high and low of the question
//       $far  = popcnt(high ^ qhigh) + …            ;; weighs 4
//       $near = popcnt(high ^ qlow) + popcnt(low ^ qhigh) + …   ;; weighs 2
//       $rest = popcnt(low ^ qlow) + …              ;; weighs 1
//       (i64.store16 $out ($far << 2) + ($near << 1) + $rest)
//       $out += 2, $row += the bytes of a sketch, again while $row < $end))
// The distance falls as the product of the two rows of −3, −1, 1 and 3 rises: it orders them alike.

declare global {
  /** As much of it as is used here: its types come with a browser's only. */
  namespace WebAssembly {
    class Memory {
      constructor(size: { initial: number });
      readonly buffer: ArrayBuffer;
      grow(pages: number): number;
    }
    class Module {
      constructor(bytes: Uint8Array);
    }
    class Instance {
      constructor(module: Module, imports: object);
      readonly exports: Readonly<Record<string, unknown>>;
    }
  }
}

type Code = readonly number[];

const I32 = 0x7f;
const I64 = 0x7e;

/** Whole numbers in groups of seven bits, as the format has them; below 64 a signed one looks the same. */
function whole(n: number): Code {
  return n < 0x80 ? [n] : [(n & 0x7f) | 0x80, ...whole(n >>> 7)];
}
/** A positive one that is read as signed: its last group must not look negative. */
const signed = (n: number): Code =>
  n < 0x40 ? [n] : [(n & 0x7f) | 0x80, ...signed(Math.floor(n / 128))];

const get = (local: number): Code => [0x20, local];
const set = (local: number, value: Code): Code => [...value, 0x21, local];
const constant = (n: number): Code => [0x41, ...signed(n)];
const constant64 = (n: number): Code => [0x42, ...signed(n)];
const load64 = (address: Code, offset: number): Code => [...address, 0x29, 3, ...whole(offset)];
const store16 = (address: Code, value: Code): Code => [...address, ...value, 0x3d, 1, 0];
const add = (a: Code, b: Code): Code => [...a, ...b, 0x6a];
const add64 = (...terms: Code[]): Code =>
  terms.flatMap((term, n) => (n === 0 ? term : [...term, 0x7c]));
const shiftLeft64 = (value: Code, bits: number): Code => [...value, ...constant64(bits), 0x86];
const differing = (a: Code, b: Code): Code => [...a, ...b, 0x85, 0x7b];
const END: Code = [0x0b];
const againIf = (a: Code, isBelow: Code): Code => [...a, ...isBelow, 0x49, 0x0d, 0];
const loop = (...body: Code[]): Code => [0x03, 0x40, ...body.flat(), ...END];

function distanceLoop(words: number): Code {
  const [query, row, end, out, high, low, far, near, rest] = [0, 1, 2, 3, 4, 5, 6, 7, 8] as const;
  const plane = words * 8;
  const forEachWord = Array.from({ length: words }, (_, n): Code => {
    const asked = load64(get(query), n * 8);
    const askedLow = load64(get(query), plane + n * 8);
    return [
      ...set(high, load64(get(row), n * 8)),
      ...set(low, load64(get(row), plane + n * 8)),
      ...set(far, add64(get(far), differing(get(high), asked))),
      ...set(near, add64(get(near), differing(get(high), askedLow), differing(get(low), asked))),
      ...set(rest, add64(get(rest), differing(get(low), askedLow))),
    ];
  });
  return [
    ...loop(
      ...[far, near, rest].map((sum) => set(sum, constant64(0))),
      ...forEachWord,
      store16(get(out), add64(shiftLeft64(get(far), 2), shiftLeft64(get(near), 1), get(rest))),
      set(out, add(get(out), constant(2))),
      set(row, add(get(row), constant(2 * plane))),
      againIf(get(row), get(end)),
    ),
    ...END,
  ];
}

type Distances = (query: number, firstRow: number, end: number, out: number) => void;

/** Writes to `out` two bytes for each sketch between the two addresses; there is at least one. */
function compileDistances(memory: WebAssembly.Memory, words: number): Distances {
  const section = (id: number, ...body: Code): Code => [id, ...whole(body.length), ...body];
  const locals: Code = [1, 5, I64];
  const body: Code = [...locals, ...distanceLoop(words)];
  const module = new WebAssembly.Module(
    Uint8Array.from([
      ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      ...section(1, 1, 0x60, 4, I32, I32, I32, I32, 0),
      // `m.m` is the memory, `d` the function.
      ...section(2, 1, 1, 0x6d, 1, 0x6d, 2, 0, 1),
      ...section(3, 1, 0),
      ...section(7, 1, 1, 0x64, 0, 0),
      ...section(10, 1, ...whole(body.length), ...body),
    ]),
  );
  const { d } = new WebAssembly.Instance(module, { m: { m: memory } }).exports;
  return d as Distances;
}
