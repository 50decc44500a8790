// A clock that is moved by hand, for two processes: the torture sets it, the daemon under it reads it.
// It stands still in between, so that whatever happens meanwhile happens at one known time.
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

const DIGITS = 15;

export class SharedClock {
  readonly file: string;
  readonly #open: number;
  #time = 0;

  constructor(file: string, begin: Date) {
    this.file = file;
    this.#open = openSync(file, 'w');
    this.set(begin);
  }

  readonly now = (): Date => new Date(this.#time);

  /** Never back. */
  set(to: Date): void {
    this.#time = Math.max(this.#time, to.getTime());
    // In one write and always as long: whoever reads sees all of it.
    writeSync(this.#open, String(this.#time).padStart(DIGITS, '0'), 0);
  }

  close(): void {
    closeSync(this.#open);
  }
}

export const readClock = (file: string): Date => new Date(Number(readFileSync(file, 'utf8')));
