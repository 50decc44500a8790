// Searches the bytes of every file below a folder for words: plain, in UTF-16, hexadecimal and base64, and inside data
// that PostgreSQL has compressed. Its own test shows that it finds each form.
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

interface Pattern {
  readonly way: string;
  readonly bytes: Buffer;
  /** After every `gap` bytes of the pattern one arbitrary byte is skipped; null: the bytes are contiguous. */
  readonly gap: number | null;
}

/** pglz writes literals in groups of eight, each preceded by a byte of flags. */
const GROUP = 8;
const SHORTEST = 24;

export interface Find {
  readonly file: string;
  readonly way: string;
}

export async function scanFolder(folder: string, words: string): Promise<Find[]> {
  const scan = new Scan(words);
  const found: Find[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    // A file that is removed during the search counts as empty.
    const content = await readFile(path).catch(() => Buffer.alloc(0));
    for (const way of scan.waysIn(content)) found.push({ file: relative(folder, path), way });
  }
  return found;
}

export class Scan {
  readonly #byStart = new Map<number, Pattern[]>();
  readonly #starts = new Uint8Array(1 << 24);

  constructor(words: string) {
    for (const pattern of patternsOf(words)) {
      const start = startAt(pattern.bytes, 0);
      this.#starts[start] = 1;
      this.#byStart.set(start, [...(this.#byStart.get(start) ?? []), pattern]);
    }
  }

  waysIn(content: Buffer): Set<string> {
    const ways = new Set<string>();
    for (let at = 0; at + 3 <= content.length; at++) {
      const start = startAt(content, at);
      if (this.#starts[start] !== 1) continue;
      for (const pattern of this.#byStart.get(start) ?? [])
        if (standsAt(content, at, pattern)) ways.add(pattern.way);
    }
    return ways;
  }
}

function patternsOf(words: string): Pattern[] {
  const plain = Buffer.from(words);
  if (plain.length < SHORTEST) throw new Error(`${words} is too short to look for`);
  const as = (way: string, bytes: Buffer, gap: number | null = null) => ({ way, bytes, gap });
  // Whole groups of three, for each position at which the words can begin within one.
  const base64 = [0, 1, 2].map((skip) => {
    const part = plain.subarray(skip, skip + Math.floor((plain.length - skip) / 3) * 3);
    return as('base64', Buffer.from(part.toString('base64')));
  });
  return [
    as('plain', plain),
    as('utf16', Buffer.from(words, 'utf16le')),
    as('hex', Buffer.from(plain.toString('hex'))),
    as('hex', Buffer.from(plain.toString('hex').toUpperCase())),
    ...base64,
    // The first group may begin before the words do, so its part of them is skipped.
    ...Array.from({ length: GROUP }, (_, skip) => as('compressed', plain.subarray(skip), GROUP)),
  ];
}

function standsAt(content: Buffer, at: number, { bytes, gap }: Pattern): boolean {
  if (gap === null) return content.subarray(at, at + bytes.length).equals(bytes);
  // The last group may contain a reference instead of literals, so only whole groups are compared.
  const groups = Math.floor(bytes.length / gap);
  for (let group = 0; group < groups; group++) {
    const from = at + group * (gap + 1);
    const part = bytes.subarray(group * gap, (group + 1) * gap);
    if (!content.subarray(from, from + gap).equals(part)) return false;
  }
  return groups >= 2;
}

const startAt = (bytes: Buffer, at: number): number =>
  ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
