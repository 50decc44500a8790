// The daemon's log: pino's JSON lines in a rotating file. Every string is masked and every field allow-listed, so that
// what a caller passes by mistake never reaches the disk. Warnings and errors that repeat are counted, not written.

import { chmodSync, closeSync, fstatSync, fsync, openSync, renameSync, writeSync } from 'node:fs';
import { extname } from 'node:path';
import type { Settings } from '@relay/contract/settings';
import type { Log, LogFields } from '@relay/core/log';
import { pino } from 'pino';
import { maskSensitive } from './mask.ts';

export interface OpenLog extends Log {
  /** Resolves when everything written so far is on the disk. */
  flush(): Promise<void>;
  close(): void;
}

const ROTATION: Rotation = { files: 5, bytes: 10_000_000 };

interface LogOptions {
  readonly rotation?: Rotation;
  /** Also receives every line. */
  readonly copyTo?: { write(line: string): unknown } | undefined;
  /** How long repeated lines are counted before one line reports them. */
  readonly countForMs?: number;
}

export function openLog(
  path: string,
  level: Settings['log_level'],
  { rotation = ROTATION, copyTo, countForMs = COUNT_FOR_MS }: LogOptions = {},
): OpenLog {
  const file = new RotatingFile(path, rotation);
  const out = {
    write(line: string) {
      file.write(line);
      copyTo?.write(line);
    },
  };
  const lines = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    out,
  );
  const debug = level === 'debug';
  const repeats = new RepeatCounter(countForMs, (fields, message) => lines.warn(fields, message));
  const at =
    (name: Settings['log_level']) =>
    (message: string, fields: LogFields = {}): void => {
      if (!lines.isLevelEnabled(name)) return;
      // Who debugs wants every line.
      const isCounted = !debug && (name === 'warn' || name === 'error');
      if (isCounted && repeats.isRepeated(message, fields)) return;
      lines[name](allowedFields(fields, debug), maskText(message));
    };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    flush: () => file.flush(),
    close() {
      repeats.report();
      file.close();
    },
  };
}

// Limits repeated lines. During an outage every part of the daemon reports the same cause again and again: the first
// lines are written, the others are counted, and one line a minute reports the counts.

const COUNT_FOR_MS = 60_000;
const SAME_MESSAGE = 3;
const SAME_CAUSE = 5;
const REPORTED_MESSAGES = 10;

class RepeatCounter {
  readonly #periodMs: number;
  readonly #write: (fields: object, message: string) => void;
  /** Lines with the same message or the same cause, in this period. */
  #seen = new Map<string, number>();
  /** Lines that were not written, by message. */
  #counted = new Map<string, number>();
  /** What went over its limit; it stays there until a period without it. */
  #repeating = new Set<string>();
  #timer: NodeJS.Timeout | null = null;
  #reportedAt = 0;

  constructor(periodMs: number, write: (fields: object, message: string) => void) {
    this.#periodMs = periodMs;
    this.#write = write;
  }

  isRepeated(message: string, { error, ...about }: LogFields): boolean {
    if (this.#timer === null) {
      if (Date.now() > this.#reportedAt + this.#periodMs) this.#repeating.clear();
      this.#timer = setTimeout(() => this.report(), this.#periodMs).unref();
    }
    const cause = causeOf(error);
    // A failure is counted by its message and by its cause, whatever it was about. Other lines repeat only if they are
    // about the same thing: each refusal of a command is written.
    const subject = cause === null ? wordsOf(about) : '';
    const limits: (readonly [key: string, limit: number])[] = [
      [`message ${message}${subject}`, SAME_MESSAGE],
    ];
    if (cause !== null) limits.push([`cause ${cause}`, SAME_CAUSE]);
    const isOver = limits.map(([key, limit]) => this.#isOver(key, limit)).includes(true);
    if (isOver) this.#counted.set(message, (this.#counted.get(message) ?? 0) + 1);
    return isOver;
  }

  /** Writes what was counted, and begins the next period. */
  report(): void {
    clearTimeout(this.#timer ?? undefined);
    this.#timer = null;
    this.#reportedAt = Date.now();
    const counted = [...this.#counted].sort(([, a], [, b]) => b - a);
    const count = counted.reduce((sum, [, times]) => sum + times, 0);
    for (const key of this.#repeating) if (!this.#seen.has(key)) this.#repeating.delete(key);
    this.#seen = new Map();
    this.#counted = new Map();
    if (count === 0) return;
    const shown = counted.slice(0, REPORTED_MESSAGES).map(([what, times]) => `${what} (${times})`);
    this.#write({ count, reason: maskText(shown.join('; ')) }, 'repeated lines not written');
  }

  #isOver(key: string, limit: number): boolean {
    const seen = (this.#seen.get(key) ?? 0) + 1;
    this.#seen.set(key, seen);
    if (seen > limit) this.#repeating.add(key);
    return this.#repeating.has(key);
  }
}

/** What a line is about: ids, states and other words. Numbers are measures, such as a count of attempts. */
const wordsOf = (about: object): string =>
  Object.entries(about)
    .filter(([, value]) => typeof value === 'string')
    .map(([name, value]) => ` ${name}=${value}`)
    .join('');

/** What lines with the same cause have in common. */
function causeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code, message } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : message;
}

// The fields that a log line may carry, checked when it is written: an unknown field or one of the wrong type is
// dropped, and the rest of the line is kept.

const BODY_LENGTH = 50;
const TEXT_LENGTH = 8_192;
const CAUSES = 3;

type Kind = 'id' | 'text' | 'number' | 'body' | 'error';

const FIELDS = {
  account: 'number',
  worker: 'id',
  instance: 'id',
  contact: 'id',
  chat: 'id',
  message: 'id',
  run: 'id',
  job: 'id',
  queue: 'text',
  route: 'text',
  method: 'text',
  status: 'number',
  request: 'id',
  from: 'text',
  to: 'text',
  event: 'text',
  state: 'text',
  reason: 'text',
  code: 'text',
  count: 'number',
  attempt: 'number',
  ms: 'number',
  pid: 'number',
  port: 'number',
  version: 'text',
  path: 'text',
  body: 'body',
  error: 'error',
} as const satisfies Record<keyof LogFields, Kind>;

const maskText = (value: string): string => maskSensitive(value.slice(0, TEXT_LENGTH));

function allowedFields(fields: LogFields, debug: boolean): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, kind] of Object.entries(FIELDS)) {
    const value = fields[name as keyof LogFields];
    if (value === undefined) continue;
    const written = WRITERS[kind](value, debug);
    if (written !== undefined) kept[name] = written;
  }
  return kept;
}

const WRITERS: Record<Kind, (value: unknown, debug: boolean) => unknown> = {
  // A plain message id is hexadecimal; masking its digits would make it useless and protect nobody.
  id: (value) =>
    typeof value !== 'string'
      ? undefined
      : /^(?=.*[A-F])[0-9A-F]{16,40}$/.test(value)
        ? value
        : maskText(value),
  text: (value) => (typeof value === 'string' ? maskText(value) : undefined),
  number: (value) => (typeof value === 'number' ? value : undefined),
  body: (value, debug) =>
    debug && typeof value === 'string' ? maskText(value).slice(0, BODY_LENGTH) : undefined,
  error: (value) => describeError(value, CAUSES),
};

/** Name, code, message, stack and causes only. Other properties of an error may hold personal data. */
function describeError(error: unknown, causes: number): unknown {
  if (!(error instanceof Error)) {
    return { type: typeof error, message: typeof error === 'string' ? maskText(error) : undefined };
  }
  const code = (error as { code?: unknown }).code;
  return {
    type: maskText(String(error.name)),
    message: maskText(String(error.message)),
    code: typeof code === 'string' ? maskText(code) : undefined,
    stack: typeof error.stack === 'string' ? maskText(error.stack) : undefined,
    cause:
      error.cause === undefined || causes === 0
        ? undefined
        : describeError(error.cause, causes - 1),
  };
}

// The log file. The current name never changes: a full `relay.log` becomes `relay.1.log` and so on, and the oldest is
// deleted. Lines are written synchronously and never split over two files, so a killed daemon loses none. A failing
// disk loses lines but never stops the daemon.

interface Rotation {
  readonly files: number;
  readonly bytes: number;
}

class RotatingFile {
  readonly #path: string;
  readonly #rotation: Rotation;
  #fd: number | null = null;
  #size = 0;
  #lost = 0;
  /** A full disk may take a part of a line; the next one must not continue it. */
  #isBroken = false;

  constructor(path: string, rotation: Rotation) {
    this.#path = path;
    this.#rotation = rotation;
    this.#open();
  }

  /** One whole line, including its line break. */
  write(line: string): void {
    try {
      if (this.#isBroken) this.#append('\n');
      if (this.#lost > 0) {
        this.#append(this.#lossLine());
        this.#lost = 0;
      }
      this.#append(line);
    } catch {
      this.#lost++;
    }
  }

  flush(): Promise<void> {
    const fd = this.#fd;
    if (fd === null) return Promise.resolve();
    return new Promise((resolve) => fsync(fd, () => resolve()));
  }

  close(): void {
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
  }

  #append(line: string): void {
    const bytes = Buffer.from(line);
    if (this.#size > 0 && this.#size + bytes.length > this.#rotation.bytes) this.#rotate();
    if (this.#fd === null) this.#open();
    if (this.#fd === null) return;
    for (let at = 0; at < bytes.length; ) {
      at += writeSync(this.#fd, bytes, at);
      this.#isBroken = at < bytes.length;
    }
    this.#size += bytes.length;
  }

  #lossLine(): string {
    const line = { level: 'warn', time: new Date().toISOString(), count: this.#lost };
    return `${JSON.stringify({ ...line, msg: 'log lines lost: the disk refused them' })}\n`;
  }

  #open(): void {
    this.#fd = openSync(this.#path, 'a', 0o600);
    chmodSync(this.#path, 0o600);
    this.#size = fstatSync(this.#fd).size;
  }

  #rotate(): void {
    this.close();
    for (let older = this.#rotation.files - 1; older > 0; older--) {
      try {
        renameSync(this.#name(older - 1), this.#name(older));
      } catch {
        // There are fewer files than the maximum.
      }
    }
    this.#open();
  }

  #name(age: number): string {
    if (age === 0) return this.#path;
    const extension = extname(this.#path);
    return `${this.#path.slice(0, this.#path.length - extension.length)}.${age}${extension}`;
  }
}
