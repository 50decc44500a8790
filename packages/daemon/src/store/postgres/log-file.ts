// The server's own log, `postgres.log`: opened by the daemon, written by the server through an
// inherited descriptor in append mode. So it can be cut short at any time, whoever started it.

import { constants, copyFile, type FileHandle, open, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';

const LARGEST = 2 * 1024 * 1024;

export interface LogFile {
  readonly path: string;
  open(): Promise<FileHandle>;
  size(): Promise<number>;
  /** The last complaint written after `from`, as PostgreSQL worded it. */
  complaint(from: number): Promise<string | undefined>;
  /** Moves an overgrown log aside, replacing the one moved before. */
  trim(): Promise<void>;
}

export function logFile(directory: string): LogFile {
  const path = join(directory, 'postgres.log');
  const size = async () => (await stat(path).catch(() => undefined))?.size ?? 0;
  return {
    path,
    size,
    open: () => open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND, 0o600),
    async complaint(from) {
      const file = await open(path, 'r');
      try {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(64 * 1024), { position: from });
        return lastComplaint(buffer.toString('utf8', 0, bytesRead));
      } finally {
        await file.close();
      }
    },
    async trim() {
      if ((await size()) <= LARGEST) return;
      await copyFile(path, `${path}.1`);
      await truncate(path, 0);
    },
  };
}

export function lastComplaint(text: string): string | undefined {
  const complaints = text.matchAll(
    /(?:FATAL|PANIC|ERROR|error|loading shared libraries):\s+(.+)$/gm,
  );
  return [...complaints].at(-1)?.[1]?.trim();
}
