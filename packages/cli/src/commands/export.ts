// `relay export`: everything in one archive, readable by its owner alone. It appears under its name
// only when it is whole, and never in place of another unless asked.
import { createWriteStream, existsSync } from 'node:fs';
import { link, open, rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { RelayError } from '@relay/core/errors';
import { getExport } from '../api.ts';
import type { Run } from '../command.ts';
import { findDaemon } from '../daemon.ts';
import { bytes } from '../format.ts';

export const run: Run = async ({ config, terminal, args, options }) => {
  const file = resolve(args[0] ?? defaultName(new Date()));
  if (findDaemon(config.home).state === 'none') throw new RelayError('daemon_not_running');
  if (existsSync(file) && !options.force) throw taken(file);
  const draft = `${file}.${process.pid}.part`;
  try {
    const size = await download(config.home, draft, (done) =>
      terminal.progress(`Exporting … ${bytes(done)}`),
    );
    if (options.force) await rename(draft, file);
    else await link(draft, file);
    if (terminal.json) terminal.give({ file, bytes: size });
    else
      terminal.say(
        `Saved everything to ${file} (${bytes(size)}). It holds your chats: keep it safe.`,
      );
    return 0;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw taken(file);
    if (code === 'ENOENT' || code === 'EACCES') {
      throw new RelayError('usage', { what: `${file} cannot be written (${code}).` });
    }
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
};

export const defaultName = (now: Date): string => {
  const two = (value: number) => String(value).padStart(2, '0');
  return `relay-${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}.tar.gz`;
};

async function download(
  home: string,
  draft: string,
  tell: (bytes: number) => void,
): Promise<number> {
  const archive = await getExport(home);
  let size = 0;
  let shown = 0;
  archive.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (Date.now() - shown < 200) return;
    shown = Date.now();
    tell(size);
  });
  await pipeline(archive, createWriteStream(draft, { mode: 0o600, flags: 'wx' }));
  const written = await open(draft, 'r');
  await written.sync();
  await written.close();
  return size;
}

const taken = (file: string): RelayError =>
  new RelayError('conflict', {
    what: `${file} exists already. Give another name, or replace it with --force.`,
  });
