// Reads an archive part by part and holds it against its manifest. What is to become of a part is whoever reads it's
// to say: an import restores it, a backup that was just written only counts it.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { RelayError } from '@relay/core/errors';
import { createTarDecoder } from 'modern-tar';
import type { Manifest, Part } from './manifest.ts';
import { MANIFEST_NAME, manifestSchema } from './manifest.ts';

/** No part that we write comes near it; one that does was not written by us. */
const LARGEST_PART = 64 * 1024 * 1024;

export interface ReadPart {
  readonly name: string;
  readonly table: string;
  readonly lines: readonly string[];
}

export interface ReadArchive {
  readonly parts: readonly Part[];
  readonly manifest: Manifest;
}

export async function readArchive(
  archive: Readable,
  take: (part: ReadPart) => Promise<void>,
): Promise<ReadArchive> {
  const parts: Part[] = [];
  let manifest: Manifest | null = null;
  try {
    // The one on the left destroys the one on the right with its error, so the loop sees every failure.
    const unpacked = archive.pipe(createGunzip());
    archive.once('error', (error) => unpacked.destroy(error));
    const entries = Readable.toWeb(unpacked).pipeThrough(createTarDecoder({ strict: true }));
    for await (const { header, body } of entries) {
      if (header.size > LARGEST_PART) throw invalid(`${header.name} is too large`);
      const content = Buffer.from(await new Response(body).arrayBuffer());
      if (header.name === MANIFEST_NAME) manifest = parseManifest(content);
      else parts.push(await takePart(header.name, content, take));
    }
  } catch (error) {
    if (error instanceof RelayError) throw error;
    throw invalid('it is damaged', error);
  }
  if (manifest === null) throw invalid('it has no manifest, so it was cut off');
  return { parts, manifest };
}

async function takePart(
  name: string,
  content: Buffer,
  take: (part: ReadPart) => Promise<void>,
): Promise<Part> {
  const table = name.split('/')[0] ?? '';
  const lines = content
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');
  await take({ name, table, lines });
  const sha256 = createHash('sha256').update(content).digest('hex');
  return { name, table, rows: lines.length, bytes: content.length, sha256 };
}

/** All parts, unaltered, and no other. */
export function refuseUnlessWhole({ parts, manifest }: ReadArchive): void {
  const found = new Map(parts.map((part) => [part.name, part]));
  for (const part of manifest.parts) {
    const mine = found.get(part.name);
    if (mine === undefined) throw invalid(`${part.name} is missing`);
    if (mine.sha256 !== part.sha256) throw invalid(`${part.name} was altered`);
  }
  // Counted, not compared by name: a part that comes twice was restored twice.
  if (parts.length !== manifest.parts.length) throw invalid('it holds more than its manifest says');
}

function parseManifest(content: Buffer): Manifest {
  const parsed = manifestSchema.safeParse(JSON.parse(content.toString('utf8')));
  if (!parsed.success) throw invalid('its manifest is not one of ours');
  return parsed.data;
}

export const invalid = (what: string, cause?: unknown): RelayError =>
  new RelayError('archive_invalid', { what }, { cause });
