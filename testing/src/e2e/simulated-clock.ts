// A clock that a test and its daemon share. It runs like the machine's and can be moved ahead, never back. Typing,
// model calls and the network still take real time.
import { renameSync, writeFileSync } from 'node:fs';

export class SimulatedClock {
  /** The module that gives a daemon this clock, for `node --import`. */
  readonly preload: string;
  readonly #file: string;
  #aheadMs = 0;

  /** `file` must be in a folder that is removed with the test. */
  constructor(file: string) {
    this.#file = file;
    const module = new URL('./shifted-clock.ts', import.meta.url);
    module.searchParams.set('file', file);
    this.preload = module.href;
    this.advance(0);
  }

  readonly now = (): Date => new Date(Date.now() + this.#aheadMs);

  advance(ms: number): void {
    this.#aheadMs += Math.max(0, Math.ceil(ms));
    // Renamed into place, so that the daemon never reads a partial file.
    writeFileSync(`${this.#file}.new`, String(this.#aheadMs));
    renameSync(`${this.#file}.new`, this.#file);
  }
}
