// A person at a terminal: sees the screen and types. Uses `script` to provide the terminal.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { onTestFinished } from 'vitest';

const SCRIPT = '/usr/bin/script';
const PATIENCE_MS = 30_000;

export const CTRL_C = '\u0003';
export const CTRL_D = '\u0004';

export interface TerminalOptions {
  /** The folder of a built package. */
  readonly built: string;
  readonly home: string;
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export interface TerminalUser {
  /** All output so far, without colours and cursor movements. */
  seen(): string;
  /** All output so far, unchanged. */
  raw(): string;
  type(text: string): void;
  /** Resolves when these words have been printed since the last call. */
  until(words: string): Promise<void>;
  readonly exit: Promise<number | null>;
}

/** Runs `relay` with these words, parsed by a shell. */
export function startTerminalUser(
  { built, home, columns = 80, rows = 40, env = {} }: TerminalOptions,
  words: string,
): TerminalUser {
  if (!existsSync(SCRIPT)) throw new Error(`${SCRIPT} is missing: install the package util-linux`);
  const command = `stty rows ${rows} cols ${columns}; '${process.execPath}' '${join(built, 'bin/relay.js')}' ${words}`;
  const child = spawn(SCRIPT, ['-qec', command, '/dev/null'], {
    env: { PATH: '/usr/bin:/bin', RELAY_HOME: home, TERM: 'xterm', ...env },
  });
  onTestFinished(() => void child.kill());
  let screen = '';
  let read = 0;
  child.stdout.on('data', (chunk) => {
    screen += chunk;
  });
  const seen = () => stripVTControlCharacters(screen).replaceAll('\r', '');
  return {
    seen,
    raw: () => screen,
    type: (text) => void child.stdin.write(text),
    async until(wanted) {
      for (const end = Date.now() + PATIENCE_MS; ; ) {
        const at = seen().indexOf(wanted, read);
        if (at !== -1) {
          read = at + wanted.length;
          return;
        }
        if (Date.now() > end) throw new Error(`no "${wanted}" in: ${seen().slice(read)}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    exit: new Promise((resolve) => child.on('close', resolve)),
  };
}
