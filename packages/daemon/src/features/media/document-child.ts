// The program that reads a document's text, run by documents.ts in a process of its own. Standard input is the
// document, standard output one JSON value. It imports none of our code, because it may read only its own folder.
import { Socket } from 'node:net';
import { Parser } from 'htmlparser2';
import { getDocumentProxy } from 'unpdf';
import { fromBuffer, type ZipFile } from 'yauzl';

/** What the program answers. */
export type DocumentAnswer =
  | { readonly text: string; readonly isCut: boolean }
  /** `locked`: it needs a password. */
  | { readonly problem: 'locked' | 'unreadable' };

const MOST_PAGES = 5_000;
/** Of one part of a .docx, unpacked. */
const MOST_XML_BYTES = 64 * 1024 ** 2;
const MOST_ZIP_ENTRIES = 10_000;

/** Collects text until the limit. */
class TextCollector {
  readonly #most: number;
  #parts: string[] = [];
  #length = 0;
  isFull = false;

  constructor(most: number) {
    this.#most = most;
  }

  add(text: string): void {
    if (this.isFull) return;
    this.#parts.push(text);
    this.#length += text.length;
    this.isFull = this.#length > this.#most;
  }

  answer(): DocumentAnswer {
    const whole = this.#parts.join('');
    const text = whole
      .slice(0, this.#most)
      .toWellFormed()
      .replace(/[^\P{Cc}\t\n]/gu, ' ')
      .split('\n')
      .map((line) => line.trimEnd())
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim();
    return { text, isCut: this.isFull };
  }
}

async function readPdf(bytes: Uint8Array, into: TextCollector): Promise<void> {
  const pdf = await getDocumentProxy(bytes, {
    useSystemFonts: false,
    stopAtErrors: false,
    disableFontFace: true,
    verbosity: 0,
  });
  const pages = Math.min(pdf.numPages, MOST_PAGES);
  for (let number = 1; number <= pages && !into.isFull; number += 1) {
    // One unreadable page does not hide the others.
    const page = await pdf.getPage(number).catch(() => null);
    const content = await page?.getTextContent().catch(() => null);
    for (const item of content?.items ?? []) {
      if ('str' in item) into.add(item.hasEOL ? `${item.str}\n` : item.str);
    }
    into.add('\n\n');
    page?.cleanup();
  }
}

/** The parts of a .docx with text, in the order in which they are read. */
const DOCX_PARTS = ['word/document.xml', 'word/footnotes.xml', 'word/endnotes.xml'];

async function readDocx(bytes: Uint8Array, into: TextCollector): Promise<void> {
  const zip = await new Promise<ZipFile>((resolve, reject) =>
    fromBuffer(
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      { lazyEntries: true },
      (error, opened) => (error ? reject(error) : resolve(opened)),
    ),
  );
  const parts = await findParts(zip);
  if (!parts.has(DOCX_PARTS[0] as string)) throw new Error('no document in it');
  for (const name of DOCX_PARTS) {
    const entry = parts.get(name);
    if (entry !== undefined && !into.isFull) await readXml(zip, entry, into);
  }
}

type ZipEntry = Parameters<ZipFile['openReadStream']>[0];

/** The first of each name: a second one with the same name is for readers who take the last. */
function findParts(zip: ZipFile): Promise<ReadonlyMap<string, ZipEntry>> {
  return new Promise((resolve, reject) => {
    const found = new Map<string, ZipEntry>();
    let count = 0;
    zip.on('error', reject);
    zip.on('end', () => resolve(found));
    zip.on('entry', (entry: ZipEntry) => {
      count += 1;
      if (count > MOST_ZIP_ENTRIES) return reject(new Error('too many entries'));
      if (DOCX_PARTS.includes(entry.fileName) && !found.has(entry.fileName))
        found.set(entry.fileName, entry);
      zip.readEntry();
    });
    zip.readEntry();
  });
}

async function readXml(zip: ZipFile, entry: ZipEntry, into: TextCollector): Promise<void> {
  const stream = await new Promise<NodeJS.ReadableStream>((resolve, reject) =>
    zip.openReadStream(entry, (error, opened) => (error ? reject(error) : resolve(opened))),
  );
  let inText = 0;
  const parser = new Parser(
    {
      onopentag(name) {
        if (name === 'w:t') inText += 1;
        else if (name === 'w:tab') into.add('\t');
        else if (name === 'w:br' || name === 'w:cr') into.add('\n');
      },
      ontext(text) {
        if (inText > 0) into.add(text);
      },
      onclosetag(name) {
        if (name === 'w:t') inText = Math.max(0, inText - 1);
        else if (name === 'w:p') into.add('\n');
        else if (name === 'w:tc') into.add('\t');
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  const decoder = new TextDecoder('utf-8');
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > MOST_XML_BYTES) throw new Error('it unpacks to too much');
    parser.write(decoder.decode(chunk, { stream: true }));
    if (into.isFull) return;
  }
  parser.end();
}

function readPlainText(bytes: Uint8Array, into: TextCollector): void {
  const text = decodeText(bytes);
  // Bytes that are not text in any of these encodings.
  if (/\0/.test(text.slice(0, 10_000))) throw new Error('not a text');
  into.add(text);
}

function decodeText(bytes: Uint8Array): string {
  const [a, b] = bytes;
  if (a === 0xff && b === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (a === 0xfe && b === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

const READERS: Readonly<
  Record<string, (bytes: Uint8Array, into: TextCollector) => Promise<void> | void>
> = { pdf: readPdf, docx: readDocx, text: readPlainText };

async function readInput(): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.stdin as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return new Uint8Array(Buffer.concat(chunks));
}

async function answer(): Promise<DocumentAnswer> {
  const [kind = '', most = '0'] = process.argv.slice(2);
  const bytes = await readInput();
  const into = new TextCollector(Number(most));
  try {
    await READERS[kind]?.(bytes, into);
  } catch (error) {
    if ((error as Error)?.name === 'PasswordException') return { problem: 'locked' };
    // What was read before the fault is still the document's text.
    if (into.answer() === null || !hasText(into)) return { problem: 'unreadable' };
  }
  return into.answer();
}

const hasText = (into: TextCollector): boolean => {
  const answered = into.answer();
  return 'text' in answered && answered.text !== '';
};

// The system keeps the network away where it can; this keeps it away from ordinary code everywhere.
Socket.prototype.connect = () => {
  throw new Error('no network here');
};
process.on('unhandledRejection', () => process.exit(1));
const said = JSON.stringify(await answer());
process.stdout.write(said, () => process.exit(0));
