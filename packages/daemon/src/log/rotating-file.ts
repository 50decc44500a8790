// The file under the log. The live name never changes: a full `relay.log` becomes `relay.1.log` and
// so on, and the oldest is dropped. Lines are written at once and never split over two files, so a
// killed daemon loses none. A disk that refuses costs lines, never the daemon.
import { chmodSync, closeSync, fstatSync, fsync, openSync, renameSync, writeSync } from 'node:fs';
import { extname } from 'node:path';

export interface Rotation {
  readonly files: number;
  readonly bytes: number;
}

export class RotatingFile {
  readonly #path: string;
  readonly #rotation: Rotation;
  #fd: number | null = null;
  #size = 0;
  #lost = 0;

  constructor(path: string, rotation: Rotation) {
    this.#path = path;
    this.#rotation = rotation;
    this.#open();
  }

  /** One whole line, its end included. */
  write(line: string): void {
    try {
      if (this.#lost > 0) this.#append(this.#lossLine());
      this.#append(line);
    } catch {
      this.#lost++;
    }
  }

  flush(): Promise<void> {
    const fd = this.#fd;
    if (fd === null) return Promise.resolve();
    return new Promise((resolve) => fsync(fd, () => resolve()));
  }

  close(): void {
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
  }

  #append(line: string): void {
    const bytes = Buffer.from(line);
    if (this.#size > 0 && this.#size + bytes.length > this.#rotation.bytes) this.#rotate();
    if (this.#fd === null) this.#open();
    if (this.#fd === null) return;
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at);
    this.#size += bytes.length;
  }

  #lossLine(): string {
    const line = { level: 'warn', time: new Date().toISOString(), count: this.#lost };
    this.#lost = 0;
    return `${JSON.stringify({ ...line, msg: 'Lines were lost: the disk refused them.' })}\n`;
  }

  #open(): void {
    this.#fd = openSync(this.#path, 'a', 0o600);
    chmodSync(this.#path, 0o600);
    this.#size = fstatSync(this.#fd).size;
  }

  #rotate(): void {
    this.close();
    for (let older = this.#rotation.files - 1; older > 0; older--) {
      try {
        renameSync(this.#name(older - 1), this.#name(older));
      } catch {
        // There are fewer than there may be.
      }
    }
    this.#open();
  }

  #name(age: number): string {
    if (age === 0) return this.#path;
    const extension = extname(this.#path);
    return `${this.#path.slice(0, this.#path.length - extension.length)}.${age}${extension}`;
  }
}
