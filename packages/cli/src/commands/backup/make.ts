// `relay backup`: one now. Into the folder of backups the daemon writes it, reads it back and removes what is older than
// is kept; a folder of one's own gets the same archive and is otherwise left alone.
import { join, resolve } from 'node:path';
import { RelayError } from '@relay/core/errors';
import { patientClientOf } from '../../api.ts';
import { saveArchive } from '../../archive/save.ts';
import type { Run } from '../../command.ts';
import { findDaemon } from '../../daemon.ts';
import { bytes, count } from '../../format.ts';

export const run: Run = async ({ config, terminal, options }) => {
  if (typeof options.to === 'string') {
    const made_at = new Date().toISOString();
    const second = made_at.slice(0, 19).replaceAll(':', '-');
    const file = join(resolve(options.to), `relay-backup-${second}Z.tar.gz`);
    const size = await saveArchive({
      home: config.home,
      file,
      force: false,
      tell: (done) => terminal.progress(`Backing up … ${bytes(done)}`),
    });
    if (terminal.json) terminal.give({ file, bytes: size, made_at });
    else terminal.say(`Backed up to ${file} (${bytes(size)}). It holds your chats: keep it safe.`);
    return 0;
  }
  // Nobody is told of work that cannot begin.
  if (findDaemon(config.home).state === 'none') throw new RelayError('daemon_not_running');
  terminal.progress('Backing up, and reading it back …');
  const made = await patientClientOf(config.home).post('/api/backups');
  if (terminal.json) {
    terminal.give(made);
    return 0;
  }
  const gone = made.removed.length === 0 ? '' : ` ${count(made.removed.length, 'older one')} went.`;
  terminal.say(
    `Backed up to ${made.file} (${bytes(made.bytes)}, ${count(made.rows, 'row')}, read back).${gone} It holds your chats: keep it safe.`,
  );
  return 0;
};
