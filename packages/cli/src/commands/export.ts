// `relay export`: everything in one archive, where the owner says.
import { resolve } from 'node:path';
import { saveArchive } from '../archive/save.ts';
import type { Run } from '../command.ts';
import { bytes } from '../format.ts';

export const run: Run = async ({ config, terminal, args, options }) => {
  const file = resolve(args[0] ?? defaultName(new Date()));
  const size = await saveArchive({
    home: config.home,
    file,
    force: options.force === true,
    tell: (done) => terminal.progress(`Exporting … ${bytes(done)}`),
  });
  if (terminal.json) terminal.give({ file, bytes: size });
  else
    terminal.say(
      `Saved everything to ${file} (${bytes(size)}). It holds your chats: keep it safe.`,
    );
  return 0;
};

export const defaultName = (now: Date): string => {
  const two = (value: number) => String(value).padStart(2, '0');
  return `relay-${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}.tar.gz`;
};
