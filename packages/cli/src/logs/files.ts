// Reads the daemon's log from its files: the live one and, oldest last, those it rotated away.
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';

const OLDEST = 9;
const BLOCK = 65_536;

export const logName = (home: string, age: number): string =>
  join(home, age === 0 ? 'relay.log' : `relay.${age}.log`);

/** The last lines that are wanted, oldest first, from as many files as it takes. */
export function lastLines(
  home: string,
  count: number,
  wanted: (line: string) => boolean,
): string[] {
  const found: string[] = [];
  for (let age = 0; age <= OLDEST && found.length < count; age++) {
    const lines = backwards(logName(home, age), count - found.length, wanted);
    if (lines === null) break;
    found.push(...lines);
  }
  return found.reverse();
}

/** Newest first; null when there is no such file. Reads no more of it than it needs. */
function backwards(
  path: string,
  count: number,
  wanted: (line: string) => boolean,
): string[] | null {
  const fd = tryOpen(path);
  if (fd === null) return null;
  const found: string[] = [];
  try {
    let at = fstatSync(fd).size;
    let tail = Buffer.alloc(0);
    while (at > 0 && found.length < count) {
      const length = Math.min(BLOCK, at);
      at -= length;
      const block = Buffer.alloc(length);
      readSync(fd, block, 0, length, at);
      tail = Buffer.concat([block, tail]);
      const cut = at === 0 ? 0 : tail.indexOf(10) + 1;
      // Without a line's end in it, the block belongs to a line that began earlier.
      if (at > 0 && cut === 0) continue;
      const lines = tail.subarray(cut).toString('utf8').split('\n').filter(Boolean);
      tail = tail.subarray(0, cut);
      for (const line of lines.reverse())
        if (found.length < count && wanted(line)) found.push(line);
    }
  } finally {
    closeSync(fd);
  }
  return found;
}

export function tryOpen(path: string): number | null {
  try {
    return openSync(path, 'r');
  } catch {
    return null;
  }
}

export function inodeOf(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? null;
}
