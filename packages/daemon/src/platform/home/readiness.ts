// Reports the daemon's start to the command that waits for it: JSON lines on the pipe whose number is given as
// `--ready-fd`. The last line is `ready` or `failed`; after it the pipe is closed. A closed pipe does not stop the
// start.
import { closeSync, writeSync } from 'node:fs';
import type { DrillReport } from '@relay/contract/api/backups';
import { RelayError } from '@relay/contract/errors';

interface Readiness {
  progress(sentence: string): void;
  /** What the owner must know, whatever comes of the start. */
  notice(sentence: string): void;
  drilled(report: DrillReport): void;
  /** `database`: the address of the database, for a process that was asked to share it. */
  ready(at: { pid: number; port: number; database?: string }): void;
  failed(error: unknown): void;
}

export function openReadiness(argv: readonly string[]): Readiness {
  const flag = argv.indexOf('--ready-fd');
  let fd: number | null = flag < 0 ? null : Number(argv[flag + 1]);
  if (!Number.isInteger(fd) || Number(fd) < 3) fd = null;

  const close = () => {
    if (fd === null) return;
    try {
      closeSync(fd);
    } catch {}
    fd = null;
  };
  const write = (line: object) => {
    if (fd === null) return;
    try {
      writeSync(fd, `${JSON.stringify(line)}\n`);
    } catch {
      close();
    }
  };

  return {
    progress: (sentence) => write({ progress: sentence }),
    notice: (sentence) => write({ notice: sentence }),
    drilled(report) {
      write({ drilled: report });
      close();
    },
    ready(at) {
      write({ ready: at });
      close();
    },
    failed(error) {
      const known =
        error instanceof RelayError
          ? error
          : new RelayError('daemon_start_failed', { reason: 'an unexpected error.' });
      write({ failed: { code: known.code, message: known.message, exit: known.exit } });
      close();
    },
  };
}
