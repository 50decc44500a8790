// Copies a finished backup off this machine: into another folder, which may be a mount, or to a program that gets the
// file on standard input.
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Why a copy failed, as the end of a sentence. */
export class CopyError extends Error {}

interface FolderCopy {
  readonly file: string;
  readonly into: string;
  /** The name of the last copy. */
  readonly last: string | null;
  /** Whether the folder has a backup. */
  hasBackups(): Promise<boolean>;
}

/** Under its final name only when it is complete, on disk, and equal to the file. */
export async function copyBackup(request: FolderCopy): Promise<void> {
  const { file, into } = request;
  const found = await stat(into).catch(() => null);
  if (found === null)
    throw new CopyError('the folder does not exist, perhaps because the disk is not mounted');
  if (!found.isDirectory()) throw new CopyError('it is not a folder');
  await refuseUnmounted(request);
  const copy = join(into, basename(file));
  const draft = `${copy}.part`;
  try {
    const written = createHash('sha256');
    const measured = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        written.update(chunk);
        done(null, chunk);
      },
    });
    await pipeline(createReadStream(file), measured, createWriteStream(draft, { mode: 0o600 }));
    const handle = await open(draft, 'r+');
    await handle.sync().finally(() => handle.close());
    if ((await hashOf(draft)) !== written.digest('hex'))
      throw new CopyError('what was read back differs from the backup');
    await rename(draft, copy);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
}

/** The empty folder under a missing mount must not count as another machine. */
async function refuseUnmounted({ into, last, hasBackups }: FolderCopy): Promise<void> {
  if (last === null || (await stat(join(into, last)).catch(() => null)) !== null) return;
  if (await hasBackups()) return;
  throw new CopyError(
    'the folder is empty, and the last copy was in it, so the disk is perhaps not mounted',
  );
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

const COMMAND_LIMIT_MS = 3_600_000;
const TOLD_CHARACTERS = 160;

/**
 * The program reads the file itself, so that a daemon that is killed does not cut the copy off. It succeeds with exit
 * code 0.
 */
export async function runCopyCommand(file: string, command: readonly string[]): Promise<void> {
  const [program = '', ...args] = command.map((part) => part.replaceAll('{name}', basename(file)));
  const source = await open(file, 'r');
  try {
    const child = spawn(program, args, { stdio: [source.fd, 'ignore', 'pipe'] });
    const limit = setTimeout(() => child.kill('SIGKILL'), COMMAND_LIMIT_MS);
    try {
      const said = readEnd(child);
      const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
      if (code === 0) return;
      const end = code === null ? `it was ended by ${signal}` : `it ended with code ${code}`;
      const last = (await said).trim().split('\n').at(-1)?.slice(0, TOLD_CHARACTERS) ?? '';
      throw new CopyError(last === '' ? end : `${end} ("${last}")`);
    } finally {
      clearTimeout(limit);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new CopyError('the program was not found');
  } finally {
    await source.close();
  }
}

async function readEnd({ stderr }: ChildProcess): Promise<string> {
  let said = '';
  try {
    for await (const chunk of stderr ?? []) said = (said + String(chunk)).slice(-4_096);
  } catch {}
  return said;
}
