// Sketches one right after the other in one piece of memory that grows at its end, and how far each is from
// a question. Rows are known by their number alone.
import { distancesIn } from './kernel.ts';
import { sketchBytes, wordsOf } from './sketch.ts';

const PAGE = 65_536;
/** Asked for at once: about a millisecond, after which others may have their turn. */
export const SLICE = 65_536;

export class Sketches {
  readonly #width: number;
  readonly #memory: WebAssembly.Memory;
  readonly #distances: ReturnType<typeof distancesIn>;
  /** Where things are: the question at 0, the distances of a slice, the rows. */
  readonly #out: number;
  readonly #rows: number;
  #bytes: Uint8Array;

  constructor(dims: number) {
    this.#width = sketchBytes(dims);
    this.#out = this.#width;
    this.#rows = this.#out + 2 * SLICE;
    this.#memory = new WebAssembly.Memory({ initial: Math.ceil(this.#rows / PAGE) });
    this.#bytes = new Uint8Array(this.#memory.buffer);
    this.#distances = distancesIn(this.#memory, wordsOf(dims));
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
