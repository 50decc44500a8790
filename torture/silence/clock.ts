// A manual clock for two processes: the torture sets it, the daemon reads it. It stands still in between, so that
// everything happens at a known time; at the end it can be released to follow the machine's clock.
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

const DIGITS = 15;
const GONE = 0;

export class SharedClock {
  readonly file: string;
  readonly #open: number;
  #time = 0;

  constructor(file: string, begin: Date) {
    this.file = file;
    this.#open = openSync(file, 'w');
    this.set(begin);
  }

  readonly now = (): Date => shown(this.#time);

  /** Never back. */
  set(to: Date): void {
    this.#show(Math.max(this.#time, to.getTime()));
  }

  letGo(): void {
    this.#show(GONE);
  }

  #show(time: number): void {
    this.#time = time;
    // In one write of fixed length, so that a reader always sees a complete value.
    writeSync(this.#open, String(time).padStart(DIGITS, '0'), 0);
  }

  close(): void {
    closeSync(this.#open);
  }
}

const shown = (time: number): Date => (time === GONE ? new Date() : new Date(time));

export const readClock = (file: string): Date => shown(Number(readFileSync(file, 'utf8')));
