// A person at a terminal: sees a screen, types, and is in no hurry. Over `script`, which brings the terminal.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Relay } from './command.ts';

const SCRIPT = '/usr/bin/script';
export const hasTerminal = existsSync(SCRIPT);
export const CTRL_C = '\u0003';
export const CTRL_D = '\u0004';

export interface Person {
  /** All that was ever shown, without colours and movements. */
  seen(): string;
  type(text: string): void;
  /** Resolves when these words have come since the last time. */
  until(words: string): Promise<void>;
  readonly exit: Promise<number | null>;
}

export function sitDown(
  built: string,
  relay: Relay,
  args: string,
  { columns = 80, env = {} }: { columns?: number; env?: Record<string, string> } = {},
): Person {
  const command = `stty rows 40 cols ${columns}; '${process.execPath}' '${join(built, 'bin/relay.js')}' ${args}`;
  const child = spawn(SCRIPT, ['-qec', command, '/dev/null'], {
    env: { PATH: '/usr/bin:/bin', RELAY_HOME: relay.home, TERM: 'xterm', ...env },
  });
  let screen = '';
  let read = 0;
  child.stdout.on('data', (chunk) => {
    screen += chunk;
  });
  const seen = () => stripVTControlCharacters(screen).replaceAll('\r', '');
  return {
    seen,
    type: (text) => void child.stdin.write(text),
    async until(words) {
      for (const end = Date.now() + 15_000; ; ) {
        const at = seen().indexOf(words, read);
        if (at !== -1) {
          read = at + words.length;
          return;
        }
        if (Date.now() > end) throw new Error(`no "${words}" in: ${seen().slice(read)}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    exit: new Promise((resolve) => child.on('close', resolve)),
  };
}
