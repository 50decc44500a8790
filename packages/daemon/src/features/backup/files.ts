// Files of media in an archive: after the tables, one entry for each content of an account, under the hash of its bytes. They are plain
// like the texts beside them, so that any home can restore them; an archive with a passphrase is encrypted as a whole.
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { AccountId } from '@relay/contract/ids';
import { sql } from 'kysely';
import type { TarPackController } from 'modern-tar';
import { forEachAccount } from '../../platform/db/account.ts';
import type { Transaction } from '../../platform/db/database.ts';

/** The store of the home that an archive is made of, or restored into. */
export interface ArchiveFiles {
  open(
    account: AccountId,
    object: string,
  ): Promise<{ readonly bytes: number; readonly stream: Readable }>;
  /** Stores what comes, and returns its hash and the name that it has in this home. */
  put(
    account: AccountId,
    source: AsyncIterable<Uint8Array>,
  ): Promise<{ readonly sha256: Buffer; readonly object: string }>;
}

const FILES_FOLDER = 'media';
const ENTRY = /^media\/(\d{1,15})\/([\da-f]{64})$/;

/** A content of an account. */
export interface FileContent {
  readonly account: AccountId;
  /** Of its bytes, in hex. */
  readonly sha256: string;
}

export interface ArchivedFile extends FileContent {
  readonly bytes: number;
}

export const fileKey = ({ account, sha256 }: { account: number; sha256: string }): string =>
  `${account}/${sha256}`;

/** What the name of an entry says; null if it is not a media file. */
export function fileInEntry(name: string): FileContent | null {
  const [, account, sha256] = ENTRY.exec(name) ?? [];
  return account === undefined || sha256 === undefined
    ? null
    : { account: Number(account) as AccountId, sha256 };
}

/**
 * Adds every file that can be read. One that cannot is left out, or padded if that shows only on the way: a single
 * damaged file must not prevent every backup.
 */
export async function archiveFiles(
  tar: TarPackController,
  tx: Transaction,
  files: ArchiveFiles,
  /** Of these accounts only. */
  accounts: readonly AccountId[] | undefined,
): Promise<ArchivedFile[]> {
  const archived: ArchivedFile[] = [];
  await forEachAccount(tx, async (account) => {
    if (accounts?.includes(account) === false) return;
    const { rows } = await sql<{ object: string; sha256: string }>`
      SELECT object, encode(sha256, 'hex') AS sha256 FROM media_objects
      WHERE account_id = ${account} ORDER BY sha256`.execute(tx);
    for (const { object, sha256 } of rows) {
      const opened = await files.open(account, object).catch(() => null);
      if (opened === null) continue;
      const { bytes, stream } = opened;
      const name = `${FILES_FOLDER}/${fileKey({ account, sha256 })}`;
      const writer = tar.add({ name, size: bytes, type: 'file', mode: 0o600 }).getWriter();
      if (await writeWhole(writer, stream, bytes)) archived.push({ account, sha256, bytes });
      await writer.close();
    }
  });
  return archived;
}

const PADDING = Buffer.alloc(64 * 1024);

async function writeWhole(
  writer: WritableStreamDefaultWriter<Uint8Array>,
  stream: Readable,
  bytes: number,
): Promise<boolean> {
  let written = 0;
  let isWhole = true;
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      await writer.write(chunk);
      written += chunk.length;
    }
  } catch {
    isWhole = false;
  }
  while (written < bytes) {
    const padding = PADDING.subarray(0, bytes - written);
    await writer.write(padding);
    written += padding.length;
  }
  return isWhole;
}

/** Reads a file of an archive to its end, with `take` or without. Returns the hash of what came. */
export async function drainFile(
  body: AsyncIterable<Uint8Array>,
  take: (source: AsyncIterable<Uint8Array>) => Promise<void> = drain,
): Promise<string> {
  const hash = createHash('sha256');
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      hash.update(chunk);
      yield chunk;
    }
  }
  await take(hashed());
  return hash.digest('hex');
}

async function drain(source: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of source);
}

/** Runs `work` for each account that a restore brings, one after the other. */
export type ForEachRestored = typeof forEachAccount;

/** Gives each content the name that its file has in this home. Media whose file did not come has none any more. */
export async function settleRestoredFiles(
  tx: Transaction,
  restored: ReadonlyMap<string, string>,
  forEach: ForEachRestored,
): Promise<void> {
  const [keys, objects] = [[...restored.keys()], [...restored.values()]];
  await forEach(tx, async (account) => {
    const key = sql`${account}::text || '/' || encode(sha256, 'hex')`;
    const missing = sql`account_id = ${account} AND NOT ${key} = ANY(${keys}::text[])`;
    await sql`UPDATE media_objects SET object = n.object
      FROM unnest(${keys}::text[], ${objects}::text[]) AS n(key, object)
      WHERE account_id = ${account} AND ${key} = n.key`.execute(tx);
    await sql`UPDATE media SET state = 'unavailable', reason = 'not_in_archive', sha256 = NULL
      WHERE state = 'stored' AND ${missing}`.execute(tx);
    await sql`DELETE FROM media_objects WHERE ${missing}`.execute(tx);
  });
}
