// Reads the text of PDF, Word and text files. The parsers run in a process of their own with limits, because a
// sender can craft the bytes of a document.
import { extname } from 'node:path';
import { type ContainedLimits, runContained } from './contained-process.ts';
import type { DocumentAnswer } from './document-child.ts';

/** What is kept of a document's text. */
const MOST_DOCUMENT_CHARACTERS = 200_000;

export type DocumentKind = 'pdf' | 'docx' | 'text';

/** `problem` is a code: the document's own (`locked`, `unreadable`) or the limit that its reading exceeded. */
type DocumentText =
  | { readonly text: string; readonly isCut: boolean }
  | { readonly problem: string };

const LIMITS: ContainedLimits = {
  heapMb: 256,
  addressSpaceMb: 2_048,
  seconds: 20,
  inputBytes: 64 * 1024 ** 2,
  outputBytes: 4 * 1024 ** 2,
};

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const TEXT_TYPES = new Set([
  'text/plain',
  'text/csv',
  'text/markdown',
  'text/tab-separated-values',
]);
const TEXT_NAMES = /\.(?:txt|csv|md|tsv|log)$/i;

/** Null for files whose text Relay does not read. The type is the sniffed one; a text has none of its own. */
export function documentKindOf(
  mimeType: string | null,
  fileName: string | null,
): DocumentKind | null {
  const type = mimeType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type === 'application/pdf') return 'pdf';
  if (type === DOCX || (type === 'application/zip' && /\.docx$/i.test(fileName ?? '')))
    return 'docx';
  const isBare = type === '' || type === 'application/octet-stream';
  return TEXT_TYPES.has(type) || (isBare && TEXT_NAMES.test(fileName ?? '')) ? 'text' : null;
}

/** Next to this file, in the source and in the bundle. */
const DOCUMENT_CHILD = new URL(`./document-child${extname(import.meta.url)}`, import.meta.url);

export async function readDocument(
  kind: DocumentKind,
  bytes: AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
  limits: ContainedLimits = LIMITS,
): Promise<DocumentText> {
  const program = {
    module: DOCUMENT_CHILD,
    args: [kind, String(MOST_DOCUMENT_CHARACTERS)],
    limits,
  };
  const result = await runContained(program, bytes, signal);
  if ('end' in result) return { problem: result.end };
  return result.answer as DocumentAnswer;
}
