// What an archive contains. Its first entry says which schema wrote it and how its secrets are stored, so that an import
// can prepare for it. Its last entry, the manifest, lists the parts and their checksums, because only then all of it is
// known; an archive whose parts do not match it is rejected.

import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { RelayError } from '@relay/contract/errors';
import type { AccountId } from '@relay/contract/ids';
import { sql } from 'kysely';
import { createTarDecoder } from 'modern-tar';
import { z } from 'zod';
import type { Db } from '../../platform/db/database.ts';
import { vaultRecordSchema } from '../../platform/home/vault/vault.ts';
import { drainFile, type FileContent, fileInEntry, fileKey } from './files.ts';
import { toWebStream } from './web-stream.ts';

export const ARCHIVE_FORMAT = 2;

const archiveHeadSchema = z.object({
  format: z.literal(ARCHIVE_FORMAT),
  made_by: z.string(),
  made_at: z.iso.datetime(),
  schema_version: z.int().positive(),
  /** `open` only in an archive that is encrypted as a whole; otherwise each is sealed with the key of its home. */
  secrets: z.enum(['sealed', 'open']),
  /** How the key of that home is found. It contains no secret. */
  vault: vaultRecordSchema.nullable(),
});

export type ArchiveHead = z.infer<typeof archiveHeadSchema>;

const archiveManifestSchema = archiveHeadSchema.extend({
  /** In the order in which they are restored. */
  parts: z.array(
    z.object({
      name: z.string(),
      table: z.string(),
      rows: z.int(),
      bytes: z.int(),
      sha256: z.string(),
    }),
  ),
  /** Of media, without those that could not be read. Missing in archives of earlier versions. */
  files: z.array(z.object({ account: z.int(), sha256: z.string(), bytes: z.int() })).default([]),
  /** The last value of each sequence. */
  sequences: z.record(z.string(), z.int().positive()),
  /** Tables that are not worth restoring, and why. */
  left_out: z.record(z.string(), z.string()),
});

export type ArchiveManifest = z.infer<typeof archiveManifestSchema>;
export type ArchivePart = ArchiveManifest['parts'][number];

export const HEAD_NAME = 'archive.json';
export const MANIFEST_NAME = 'manifest.json';

/** Wake-ups are stored in the job queue and restored through it. */
export const JOBS_PART = 'jobs';

// The tables in an archive, in the order in which they can be filled: parents before children. The list is read from
// the database, so that a new table is backed up automatically.

export const EXCLUDED_TABLES: Readonly<Record<string, string>> = {
  schema_migrations: 'belongs to the database, not to its contents',
  settings:
    'what Relay noted about this home, such as its last restart; settings are in relay.config.json',
  account_leases: 'says which worker runs now',
  daemon_runs: 'says which daemon ran here',
  workers: 'says which workers run now',
  whatsapp_links: 'says how the link is now',
  worker_requests: 'only what is asked of a worker right now',
  shared_key: 'belongs to the key of this database',
  events: 'feeds open streams and is pruned within days',
  login_codes: 'valid for a minute',
  browser_sessions: 'browsers sign in again',
  devices: 'a device that was removed must not come back; phones are paired again',
  pairing_codes: 'valid for five minutes',
  whatsapp_credentials: 'a session must not run in two places; a restored home is linked again',
  whatsapp_keys: 'belongs to that session',
  decrypt_journal: 'belongs to that session',
  search_documents: 'built again from the messages',
  search_vectors: 'belongs to those documents',
  search_progress: 'progress of the search index of this home',
  search_vector_progress: 'progress of the vectors of this home',
  search_vectors_changed: 'changes that the daemon has not applied yet',
  search_embeddings: 'a copy of those vectors that pgvector keeps',
  push_keys: 'identifies this home to push services',
  push_devices: 'browsers turn notifications on again',
  owner_notifications: 'were shown by this home, and are pruned within days',
  notification_deliveries: 'belongs to those notifications',
  notification_progress: 'progress of the notifications of this database',
  webhook_progress: 'progress of the webhooks of this database',
  trace_progress: 'progress of the traces of this home',
  traced: 'belongs to those traces',
  retention_runs: 'past deletions of this home',
  inbox: 'encrypted with the key of its home; its rows become messages within a moment',
};

export async function listArchivedTables(db: Db): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    SELECT relname AS name FROM pg_class
    WHERE relnamespace = 'relay'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
    ORDER BY relname`.execute(db);
  const { rows: links } = await sql<{ child: string; parent: string }>`
    SELECT c.relname AS child, p.relname AS parent FROM pg_constraint k
      JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class p ON p.oid = k.confrelid
    WHERE k.contype = 'f' AND c.relnamespace = 'relay'::regnamespace AND c.oid <> p.oid`.execute(
    db,
  );
  const kept = tables.map((table) => table.name).filter((name) => !(name in EXCLUDED_TABLES));
  return parentsFirst(kept, links);
}

function parentsFirst(
  names: readonly string[],
  links: readonly { child: string; parent: string }[],
): string[] {
  const done: string[] = [];
  const visit = (name: string): void => {
    if (done.includes(name)) return;
    for (const { child, parent } of links) {
      if (child === name && names.includes(parent)) visit(parent);
    }
    done.push(name);
  };
  for (const name of names) visit(name);
  return done;
}

// Reads an archive part by part and checks it against its manifest. The caller decides what to do with a part: an
// import restores it, and a new backup only counts its rows.

/** Relay never writes a part of this size; a larger one was not written by Relay. */
const LARGEST_PART = 64 * 1024 * 1024;

export interface ArchiveRows {
  readonly name: string;
  readonly table: string;
  readonly lines: readonly string[];
}

export interface OpenedArchive {
  readonly head: ArchiveHead;
  /** Reads the rest and checks all of it. Throws unless the archive is complete and unaltered. */
  readParts(
    take: (part: ArchiveRows) => Promise<void>,
    /** Stores a file of media. Whether it is what the manifest lists is known only at the end. */
    takeFile?: TakeFile,
  ): Promise<ArchiveManifest>;
  /** Reads nothing more. */
  close(): void;
}

interface ArchiveEntry {
  readonly name: string;
  readonly content: Buffer;
}

/** The bytes must be read before the next entry is. */
interface FileEntry extends FileContent {
  readonly body: AsyncIterable<Uint8Array>;
}

export async function openArchive(archive: Readable): Promise<OpenedArchive> {
  const unpacked = archive.pipe(createGunzip());
  // An error of the source destroys the next stream, so the loop sees every failure.
  archive.on('error', (error) => unpacked.destroy(error));
  const entries = readEntries(unpacked);
  const close = () => {
    unpacked.destroy();
    archive.destroy();
  };
  try {
    const first = await entries.next();
    if (first.done === true || !('name' in first.value) || first.value.name !== HEAD_NAME)
      throw invalidArchive(`it does not begin with ${HEAD_NAME}`);
    const head = parseEntry(archiveHeadSchema, first.value);
    return {
      head,
      readParts: (take, takeFile) => readParts(head, entries, { take, takeFile }),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

async function readParts(
  head: ArchiveHead,
  entries: AsyncGenerator<ArchiveEntry | FileEntry>,
  { take, takeFile }: Takers,
): Promise<ArchiveManifest> {
  const parts: ArchivePart[] = [];
  const files = new Set<string>();
  let manifest: ArchiveManifest | null = null;
  for await (const entry of entries) {
    if ('sha256' in entry) {
      const { account } = entry;
      const taken = takeFile && ((body: FileEntry['body']) => takeFile(account, body));
      if ((await drainFile(entry.body, taken)) === entry.sha256) files.add(fileKey(entry));
    } else if (entry.name === MANIFEST_NAME) manifest = parseEntry(archiveManifestSchema, entry);
    else parts.push(await takePart(entry, take));
  }
  if (manifest === null) throw invalidArchive('it has no manifest, so it is incomplete');
  if (JSON.stringify(archiveHeadSchema.parse(manifest)) !== JSON.stringify(head))
    throw invalidArchive(`${HEAD_NAME} was changed`);
  assertWhole(parts, manifest);
  const lost = manifest.files.find((file) => !files.has(fileKey(file)));
  if (lost !== undefined) throw invalidArchive(`a file of media is missing or was changed`);
  return manifest;
}

type TakeFile = (account: AccountId, source: AsyncIterable<Uint8Array>) => Promise<void>;

interface Takers {
  readonly take: (part: ArchiveRows) => Promise<void>;
  readonly takeFile: TakeFile | undefined;
}

async function* readEntries(unpacked: Readable): AsyncGenerator<ArchiveEntry | FileEntry> {
  try {
    const entries = toWebStream(unpacked).pipeThrough(createTarDecoder({ strict: true }));
    for await (const { header, body } of entries) {
      const file = fileInEntry(header.name);
      if (file !== null) {
        yield { ...file, body };
        continue;
      }
      if (header.size > LARGEST_PART) throw invalidArchive(`${header.name} is too large`);
      yield { name: header.name, content: Buffer.from(await new Response(body).arrayBuffer()) };
    }
  } catch (error) {
    if (error instanceof RelayError) throw error;
    throw invalidArchive('it is damaged', error);
  }
}

async function takePart(
  { name, content }: ArchiveEntry,
  take: (part: ArchiveRows) => Promise<void>,
): Promise<ArchivePart> {
  const table = name.split('/')[0] ?? '';
  const lines = content
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');
  await take({ name, table, lines });
  const sha256 = createHash('sha256').update(content).digest('hex');
  return { name, table, rows: lines.length, bytes: content.length, sha256 };
}

/** Throws unless the archive contains exactly the manifest's parts, unaltered. */
function assertWhole(parts: readonly ArchivePart[], manifest: ArchiveManifest): void {
  const found = new Map(parts.map((part) => [part.name, part]));
  for (const part of manifest.parts) {
    const mine = found.get(part.name);
    if (mine === undefined) throw invalidArchive(`${part.name} is missing`);
    if (mine.sha256 !== part.sha256) throw invalidArchive(`${part.name} was changed`);
  }
  // Counted, not compared by name: a part that appears twice was restored twice.
  if (parts.length !== manifest.parts.length)
    throw invalidArchive('it contains more than its manifest lists');
}

function parseEntry<T>(schema: z.ZodType<T>, { name, content }: ArchiveEntry): T {
  try {
    return schema.parse(JSON.parse(content.toString('utf8')));
  } catch (error) {
    throw invalidArchive(`${name} is not from this version of Relay`, error);
  }
}

/** Rows by table. */
export function countArchiveRows({
  parts,
}: Pick<ArchiveManifest, 'parts'>): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const part of parts) sums[part.table] = (sums[part.table] ?? 0) + part.rows;
  return sums;
}

export const invalidArchive = (what: string, cause?: unknown): RelayError =>
  new RelayError('archive_invalid', { what }, { cause });
