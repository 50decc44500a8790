// Writes segments to the owner's folder, one file per day. New lines are appended in one write; to change or remove
// lines the whole file is replaced.
// Invariant: after any number of repetitions and kills, a digest's lines are there once, no line is incomplete, and
// other lines are unchanged.
import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes to the same file run one after the other. */
const fileQueues = new Map<string, Promise<unknown>>();

function inFileOrder<T>(file: string, run: () => Promise<T>): Promise<T> {
  const turn = (fileQueues.get(file) ?? Promise.resolve()).then(run, run);
  const settled = turn.catch(() => {});
  fileQueues.set(file, settled);
  void settled.then(() => {
    if (fileQueues.get(file) === settled) fileQueues.delete(file);
  });
  return turn;
}

/** Replaces the lines that the digest has in the file, if any. */
export const putDigestLines = (
  file: string,
  digest: string,
  lines: readonly string[],
): Promise<void> =>
  inFileOrder(file, async () => {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const { whole, torn, mine, others } = await readDayFile(file, digest);
    if (mine.length > 0) {
      if (mine.join('\n') !== lines.join('\n')) await replace(file, [...others, ...lines]);
      else if (torn) await cutTo(file, whole);
      return;
    }
    if (torn) await cutTo(file, whole);
    await append(file, lines);
  });

/** Returns the number of removed lines. A file without lines is deleted. */
export const dropDigestLines = (file: string, digests: ReadonlySet<string>): Promise<number> =>
  inFileOrder(file, async () => {
    const text = await textOf(file);
    const lines = text.split('\n').filter((line) => line !== '');
    const kept = lines.filter((line) => !digests.has(digestOf(line) ?? ''));
    if (kept.length === lines.length) return 0;
    if (kept.length === 0) await rm(file, { force: true });
    else await replace(file, kept);
    return lines.length - kept.length;
  });

interface DayFileContent {
  /** The number of bytes up to the end of the last complete line. */
  readonly whole: number;
  /** The last line is incomplete. */
  readonly torn: boolean;
  readonly mine: readonly string[];
  readonly others: readonly string[];
}

async function readDayFile(file: string, digest: string): Promise<DayFileContent> {
  const text = await textOf(file);
  const end = text.lastIndexOf('\n') + 1;
  const lines = text.slice(0, end).split('\n').slice(0, -1);
  return {
    whole: Buffer.byteLength(text.slice(0, end)),
    torn: end < text.length,
    mine: lines.filter((line) => digestOf(line) === digest),
    others: lines.filter((line) => digestOf(line) !== digest),
  };
}

const textOf = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });

function digestOf(line: string): string | null {
  try {
    const { digest_id } = JSON.parse(line) as { digest_id?: unknown };
    return typeof digest_id === 'string' ? digest_id : null;
  } catch {
    return null;
  }
}

async function append(file: string, lines: readonly string[]): Promise<void> {
  const handle = await open(file, 'a', 0o600);
  try {
    await handle.appendFile(lines.map((line) => `${line}\n`).join(''));
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function cutTo(file: string, length: number): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.truncate(length);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function replace(file: string, lines: readonly string[]): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await append(draft, lines);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
