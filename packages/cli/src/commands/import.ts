// `relay import`: sends an archive to the daemon, which checks it whole before it changes anything.
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { ImportReport } from '@relay/core/api/archive';
import { RelayError } from '@relay/core/errors';
import { postImport } from '../api.ts';
import type { Run } from '../command.ts';
import { findDaemon } from '../daemon.ts';
import { bytes, count } from '../format.ts';

export const run: Run = async ({ config, terminal, args }) => {
  const file = args[0] ?? '';
  if (findDaemon(config.home).state === 'none') throw new RelayError('daemon_not_running');
  const size = await archiveSize(file);
  let sent = 0;
  let shown = 0;
  const archive = createReadStream(file).on('data', (chunk) => {
    sent += chunk.length;
    if (Date.now() - shown < 200) return;
    shown = Date.now();
    terminal.progress(`Importing ${bytes(sent)} of ${bytes(size)} …`);
  });
  const result = await postImport(config.home, archive, size);
  if (terminal.json) terminal.give({ file, bytes: size, ...result });
  else {
    terminal.say(`Imported ${file} (${bytes(size)}, ${count(rowsIn(result), 'row')}).`);
    terminal.say('Sending is on hold. Look at what is queued, then run `relay release`.');
  }
  return 0;
};

async function archiveSize(file: string): Promise<number> {
  const handle = await open(file, 'r').catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOENT' ? 'does not exist' : `cannot be read (${error.code})`;
    throw new RelayError('usage', { what: `${file} ${reason}.` });
  });
  try {
    const magic = Buffer.alloc(2);
    await handle.read(magic, 0, 2, 0).catch(() => null);
    if (magic.readUInt16BE() !== 0x1f8b) {
      throw new RelayError('archive_invalid', { what: `${file} is not a .tar.gz` });
    }
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}

const rowsIn = ({ tables }: ImportReport): number =>
  Object.values(tables).reduce((sum, rows) => sum + rows, 0);
