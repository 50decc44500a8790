// Searches files for many secrets at once: by their beginning, plain, in hexadecimal and in base64, at any position.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const BYTES = 16;
/** Whole groups of three: further bytes do not change their encoding. */
const BASE64_BYTES = 15;

export class Needles {
  readonly #byStart = new Map<number, { name: string; bytes: Buffer }[]>();
  readonly #starts = new Uint8Array(1 << 24);
  readonly #known = new Map<string, string>();

  names(): string[] {
    return [...this.#known.values()];
  }

  add(name: string, secret: Buffer): void {
    if (secret.length < BYTES) throw new Error(`${name} is too short to look for`);
    if (this.#known.has(secret.toString('hex'))) return;
    this.#known.set(secret.toString('hex'), name);
    const hex = secret.toString('hex', 0, BYTES);
    const base64 = secret.toString('base64', 0, BASE64_BYTES);
    this.#look(name, secret.subarray(0, BYTES));
    for (const text of [hex, hex.toUpperCase(), base64, base64url(base64)])
      this.#look(name, Buffer.from(text));
  }

  /** The names of the secrets found in any file of the folder, each with the file. */
  async inFolder(folder: string): Promise<{ files: number; found: string[] }> {
    const found = new Set<string>();
    let files = 0;
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      files += 1;
      const path = join(entry.parentPath, entry.name);
      for (const name of this.#in(await readFile(path))) found.add(`${name} in ${path}`);
    }
    return { files, found: [...found] };
  }

  #look(name: string, bytes: Buffer): void {
    const start = startAt(bytes, 0);
    this.#starts[start] = 1;
    this.#byStart.set(start, [...(this.#byStart.get(start) ?? []), { name, bytes }]);
  }

  *#in(content: Buffer): Generator<string> {
    for (let at = 0; at + BYTES <= content.length; at++) {
      const start = startAt(content, at);
      if (this.#starts[start] !== 1) continue;
      for (const { name, bytes } of this.#byStart.get(start) ?? [])
        if (content.subarray(at, at + bytes.length).equals(bytes)) yield name;
    }
  }
}

const startAt = (bytes: Buffer, at: number): number =>
  ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);

const base64url = (text: string): string => text.replaceAll('+', '-').replaceAll('/', '_');
