// The daemon's log: pino's JSON lines in a file that rotates. Every string is masked and every field
// allow-listed on the way, so what a caller hands over by mistake never reaches the disk.
import type { Log, LogFields } from '@relay/core/log';
import type { Settings } from '@relay/core/settings';
import { pino } from 'pino';
import { allowed, text } from './fields.ts';
import { RotatingFile, type Rotation } from './rotating-file.ts';

export interface OpenLog extends Log {
  /** Resolves when everything written so far is on the disk. */
  flush(): Promise<void>;
  close(): void;
}

const ROTATION: Rotation = { files: 5, bytes: 10_000_000 };

export function openLog(
  path: string,
  level: Settings['log_level'],
  rotation: Rotation = ROTATION,
): OpenLog {
  const file = new RotatingFile(path, rotation);
  const lines = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    file,
  );
  const debug = level === 'debug';
  const at =
    (name: Settings['log_level']) =>
    (message: string, fields: LogFields = {}): void => {
      if (lines.isLevelEnabled(name)) lines[name](allowed(fields, debug), text(message));
    };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    flush: () => file.flush(),
    close: () => file.close(),
  };
}
