// `relay logs -f`: every line once and in order, across any number of rotations between two looks.
// The handle stays on the file it was opened on, whatever that file is called by now.
import { closeSync, fstatSync, readSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { inodeOf, logName, tryOpen } from './files.ts';

const LOOK_EVERY_MS = 200;
const OLDEST = 9;

export class Follower {
  readonly #home: string;
  #fd: number | null;
  #at: number;
  #rest: Buffer = Buffer.alloc(0);

  /** Begins at the end of what is there now. */
  constructor(home: string) {
    this.#home = home;
    this.#fd = tryOpen(logName(home, 0));
    this.#at = this.#fd === null ? 0 : fstatSync(this.#fd).size;
  }

  async *lines(signal?: AbortSignal): AsyncGenerator<string> {
    while (!signal?.aborted) {
      yield* this.next();
      await sleep(LOOK_EVERY_MS);
    }
  }

  /** What has come since the last look. */
  next(): string[] {
    if (this.#fd === null) return this.#open(logName(this.#home, 0)) ? this.#read() : [];
    const lines = this.#read();
    for (const path of this.#newer()) {
      if (this.#open(path)) lines.push(...this.#read());
    }
    return lines;
  }

  close(): void {
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
  }

  /** The files that were begun after the one in hand, oldest first. */
  #newer(): string[] {
    if (this.#fd === null) return [];
    const { ino } = fstatSync(this.#fd);
    const paths: string[] = [];
    for (let age = 0; age <= OLDEST; age++) {
      const path = logName(this.#home, age);
      const found = inodeOf(path);
      if (found === ino) return paths.reverse();
      if (found === null && age > 0) break;
      if (found !== null) paths.push(path);
    }
    // It was dropped or deleted in the meantime: all that is left is newer.
    return paths.reverse();
  }

  #open(path: string): boolean {
    const fd = tryOpen(path);
    if (fd === null) return false;
    // The last line of the file before is complete: the daemon never splits one.
    this.close();
    this.#fd = fd;
    this.#at = 0;
    this.#rest = Buffer.alloc(0);
    return true;
  }

  #read(): string[] {
    if (this.#fd === null) return [];
    const { size } = fstatSync(this.#fd);
    if (size < this.#at) this.#at = 0;
    if (size === this.#at) return [];
    const block = Buffer.alloc(size - this.#at);
    this.#at += readSync(this.#fd, block, 0, block.length, this.#at);
    const text = Buffer.concat([this.#rest, block]);
    const cut = text.lastIndexOf(10) + 1;
    this.#rest = text.subarray(cut);
    return text.subarray(0, cut).toString('utf8').split('\n').filter(Boolean);
  }
}
