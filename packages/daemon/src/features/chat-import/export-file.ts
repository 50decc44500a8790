// Stores an uploaded file on disk while it is read, and reads its text line by line. It may be a .zip: then only the
// chat's text is read, found by its file name, and the paths in the .zip are never used.
// Invariant: size, number of entries and length of a line are bounded, whatever the file contains.
import { createReadStream } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { RelayError } from '@relay/contract/errors';
import { type Entry, openPromise, type ZipFile } from 'yauzl';

const MOST_BYTES = 4 * 1024 ** 3;
const MOST_TEXT = 256 * 1024 ** 2;
const MOST_ENTRIES = 100_000;
const LONGEST_LINE = 128 * 1024;

const invalid = (what: string, cause?: unknown) =>
  new RelayError('export_invalid', { what }, { cause });

export interface ExportFile {
  /** The name of the text file, which may say more than the name of the .zip. */
  readonly name: string | null;
  /** From the beginning each time. Calls `read` with the share that was read, from 0 to 1. */
  lines(read?: (share: number) => void): AsyncIterable<string>;
}

/** The folder is used for this file only and is emptied before and after. */
export async function storeExportFile(
  folder: string,
  bytes: AsyncIterable<Uint8Array>,
): Promise<ExportFile & { drop(): Promise<void> }> {
  const drop = () => rm(folder, { recursive: true, force: true });
  await drop();
  await mkdir(folder, { mode: 0o700, recursive: true });
  const path = join(folder, 'export');
  try {
    // Open before anything can fail: an open that is still pending would empty the next file of this name.
    const file = await open(path, 'w', 0o600);
    await pipeline(bounded(bytes), file.createWriteStream());
    return { ...((await isZip(path)) ? await heldZip(path) : heldText(path)), drop };
  } catch (error) {
    await drop();
    throw error;
  }
}

async function* bounded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.byteLength;
    if (size > MOST_BYTES) throw invalid('it is larger than 4 GB');
    yield chunk;
  }
  if (size === 0) throw invalid('it is empty');
}

async function isZip(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.toString('latin1') === 'PK\u0003\u0004';
  } finally {
    await file.close();
  }
}

const heldText = (path: string): ExportFile => ({
  name: null,
  lines: async function* (read) {
    const file = await open(path);
    const { size } = await file.stat();
    await file.close();
    if (size > MOST_TEXT) throw invalid('its text is larger than 256 MB');
    yield* linesOf(createReadStream(path), size, read);
  },
});

async function heldZip(path: string): Promise<ExportFile> {
  const { fileName } = await withText(path, async (_zip, entry) => entry);
  return {
    name: fileName,
    lines: async function* (read) {
      const zip = await opened(path);
      try {
        const entry = await textIn(zip);
        yield* linesOf(await zip.openReadStreamPromise(entry), entry.uncompressedSize, read);
      } catch (error) {
        throw error instanceof RelayError ? error : invalid('the .zip is damaged', error);
      } finally {
        zip.close();
      }
    },
  };
}

async function withText<T>(
  path: string,
  use: (zip: ZipFile, entry: Entry) => Promise<T>,
): Promise<T> {
  const zip = await opened(path);
  try {
    return await use(zip, await textIn(zip));
  } finally {
    zip.close();
  }
}

async function opened(path: string): Promise<ZipFile> {
  return openPromise(path, { lazyEntries: true, autoClose: false }).catch((cause: unknown) => {
    throw invalid('the .zip cannot be read', cause);
  });
}

/** Finds the chat's text among its media, some of which may be text files too. */
async function textIn(zip: ZipFile): Promise<Entry> {
  if (zip.entryCount > MOST_ENTRIES) throw invalid('the .zip contains too many files');
  const texts: Entry[] = [];
  try {
    for await (const entry of zip.eachEntry()) {
      if (/\.txt$/i.test(entry.fileName)) texts.push(entry);
    }
  } catch (cause) {
    throw invalid('the .zip cannot be read', cause);
  }
  const chat = texts.find(({ fileName }) => /(^|\/)(_chat|whatsapp[^/]*)\.txt$/i.test(fileName));
  const entry = chat ?? (texts.length === 1 ? texts[0] : undefined);
  if (entry === undefined) throw invalid('the .zip contains no chat text');
  if (entry.uncompressedSize > MOST_TEXT) throw invalid('its text is larger than 256 MB');
  return entry;
}

async function* linesOf(
  stream: Readable,
  size: number,
  read: (share: number) => void = () => {},
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8');
  let [rest, done] = ['', 0];
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      done += chunk.length;
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = (lines.pop() ?? '').slice(0, LONGEST_LINE);
      for (const line of lines) yield tidy(line);
      read(size === 0 ? 1 : Math.min(1, done / size));
    }
    if (rest !== '') yield tidy(rest);
  } finally {
    stream.destroy();
  }
}

const tidy = (line: string): string => line.slice(0, LONGEST_LINE).replace(/\r$/, '');
