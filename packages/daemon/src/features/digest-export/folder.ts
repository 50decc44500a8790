// Segments in the owner's folder, one file a day. What is new is appended in one write; what changed or goes is
// taken out by replacing the file whole. Invariant: however often it is repeated and wherever it is killed, the
// lines of a digest are there once, none is half, and lines of others stay as they are.
import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Whoever writes to a file waits for whoever is at it. */
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

/** Instead of those that the digest has there, if it has any. */
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

/** How many lines went. A file that has none left goes too. */
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
  /** How many bytes end with a whole line. */
  readonly whole: number;
  /** The last line was not written to its end. */
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
