// A daemon that was just spawned, as the command waits for it: JSON lines on its fourth descriptor say
// how far it is, and end with `ready` or with why not.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { RelayError } from '@relay/core/errors';
import { StartFailure } from './failure.ts';
import type { Terminal } from './terminal.ts';

/** Without a word for this long, a start is given up. */
const PATIENCE_MS = 60_000;

export const DAEMON = fileURLToPath(new URL('../daemon/main.js', import.meta.url));

interface Report {
  readonly progress?: string;
  readonly ready?: { readonly pid: number; readonly port: number };
  readonly failed?: { readonly code: string; readonly message: string; readonly exit: number };
}

export async function untilReady(
  daemon: ChildProcess,
  terminal: Terminal,
): Promise<NonNullable<Report['ready']>> {
  const silence = setTimeout(() => daemon.kill('SIGTERM'), PATIENCE_MS);
  const pipe = daemon.stdio[3] as Readable;
  try {
    for await (const line of createInterface({ input: pipe })) {
      silence.refresh();
      const { progress, ready, failed } = JSON.parse(line) as Report;
      if (progress !== undefined) terminal.progress(progress);
      if (failed !== undefined) throw new StartFailure(failed.code, failed.message, failed.exit);
      if (ready !== undefined) return ready;
    }
    await untilEnded(daemon);
    throw new RelayError('daemon_start_failed', { reason: endOf(daemon) });
  } finally {
    clearTimeout(silence);
    pipe.destroy();
  }
}

export async function untilEnded(daemon: ChildProcess): Promise<void> {
  if (daemon.exitCode === null && daemon.signalCode === null) await once(daemon, 'exit');
}

/** How it ended, as the end of a sentence. */
export const endOf = ({ exitCode, signalCode }: ChildProcess): string =>
  signalCode === null ? `it ended with code ${exitCode}.` : `it was ended by ${signalCode}.`;
