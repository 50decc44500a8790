// `relay logs`: prints the daemon's log, formatted or raw with --json. Needs no daemon.
import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RelayError } from '@relay/contract/errors';
import type { RunCommand } from '../command.ts';
import { toPrintable } from '../format.ts';
import type { Terminal } from '../terminal.ts';

export const showLogsCommand: RunCommand = async ({ config, terminal, options }) => {
  const count = Number(options.lines);
  if (!Number.isInteger(count) || count < 0) {
    throw new RelayError('usage', { what: 'Give --lines a whole number, such as `-n 100`.' });
  }
  const wanted = createLevelFilter(levelOf(options.level));
  const show = (line: string) => {
    const today = new Date().toISOString().slice(0, 10);
    terminal.writeLine(terminal.json ? line : formatLogLine(line, terminal.colours, today));
  };

  const follower = options.follow ? new LogFollower(config.home) : null;
  const lines = readLastLines(config.home, count, wanted);
  for (const line of lines) show(line);
  if (follower) {
    for await (const line of follower.lines()) if (wanted(line)) show(line);
  }
  const output = terminal.json ? '' : readDaemonOutput(config.home);
  if (output !== '') terminal.writeLine(`Last output of the daemon outside its log:\n${output}`);
  else if (lines.length === 0) terminal.notice(`The log of ${config.home} is empty.`);
  return 0;
};

function readDaemonOutput(home: string): string {
  try {
    return toPrintable(readFileSync(join(home, 'daemon.out'), 'utf8').trim().slice(-4_000));
  } catch {
    return '';
  }
}

function levelOf(option: unknown): LogLevel {
  if (option === undefined) return 'debug';
  if (LOG_LEVELS.includes(option as LogLevel)) return option as LogLevel;
  throw new RelayError('usage', { what: `Give --level one of ${LOG_LEVELS.join(', ')}.` });
}

// Reads the daemon's log files: the live one, then the rotated ones, oldest last.

const OLDEST_LOG_FILE = 9;
const BLOCK = 65_536;

const logFilePath = (home: string, age: number): string =>
  join(home, age === 0 ? 'relay.log' : `relay.${age}.log`);

/** The last matching lines, oldest first, from as many files as needed. */
function readLastLines(home: string, count: number, wanted: (line: string) => boolean): string[] {
  const found: string[] = [];
  for (let age = 0; age <= OLDEST_LOG_FILE && found.length < count; age++) {
    const lines = backwards(logFilePath(home, age), count - found.length, wanted);
    if (lines === null) break;
    found.push(...lines);
  }
  return found.reverse();
}

/** Yields lines newest first; null if the file does not exist. Reads only as much of it as needed. */
function backwards(
  path: string,
  count: number,
  wanted: (line: string) => boolean,
): string[] | null {
  const fd = openIfExists(path);
  if (fd === null) return null;
  const found: string[] = [];
  try {
    let at = fstatSync(fd).size;
    let tail = Buffer.alloc(0);
    while (at > 0 && found.length < count) {
      const length = Math.min(BLOCK, at);
      at -= length;
      const block = Buffer.alloc(length);
      readSync(fd, block, 0, length, at);
      tail = Buffer.concat([block, tail]);
      const cut = at === 0 ? 0 : tail.indexOf(10) + 1;
      // A block without a line break belongs to a line that started earlier.
      if (at > 0 && cut === 0) continue;
      const lines = tail.subarray(cut).toString('utf8').split('\n').filter(Boolean);
      tail = tail.subarray(0, cut);
      for (const line of lines.reverse())
        if (found.length < count && wanted(line)) found.push(line);
    }
  } finally {
    closeSync(fd);
  }
  return found;
}

function openIfExists(path: string): number | null {
  try {
    return openSync(path, 'r');
  } catch {
    return null;
  }
}

function readInode(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? null;
}

// `relay logs -f`: every line once and in order, across any number of rotations between two looks. The handle stays on
// the opened file, even after that file is renamed.

const LOOK_EVERY_MS = 200;
const OLDEST_FOLLOWED_FILE = 9;

class LogFollower {
  readonly #home: string;
  #fd: number | null;
  #at: number;
  #rest: Buffer = Buffer.alloc(0);

  /** Starts at the current end of the log. */
  constructor(home: string) {
    this.#home = home;
    this.#fd = openIfExists(logFilePath(home, 0));
    this.#at = this.#fd === null ? 0 : fstatSync(this.#fd).size;
  }

  async *lines(signal?: AbortSignal): AsyncGenerator<string> {
    while (!signal?.aborted) {
      yield* this.next();
      await sleep(LOOK_EVERY_MS);
    }
  }

  /** The lines added since the last call. */
  next(): string[] {
    if (this.#fd === null) return this.#open(logFilePath(this.#home, 0)) ? this.#read() : [];
    const lines = this.#read();
    for (const path of this.#newer()) {
      if (this.#open(path)) lines.push(...this.#read());
    }
    return lines;
  }

  close(): void {
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
  }

  /** The files that are newer than the open one, oldest first. */
  #newer(): string[] {
    if (this.#fd === null) return [];
    const { ino } = fstatSync(this.#fd);
    const paths: string[] = [];
    for (let age = 0; age <= OLDEST_FOLLOWED_FILE; age++) {
      const path = logFilePath(this.#home, age);
      const found = readInode(path);
      if (found === ino) return paths.reverse();
      if (found === null && age > 0) break;
      if (found !== null) paths.push(path);
    }
    // The open file was deleted in the meantime: all remaining files are newer.
    return paths.reverse();
  }

  #open(path: string): boolean {
    const fd = openIfExists(path);
    if (fd === null) return false;
    // The last line of the previous file is complete: the daemon never splits one.
    this.close();
    this.#fd = fd;
    this.#at = 0;
    this.#rest = Buffer.alloc(0);
    return true;
  }

  #read(): string[] {
    if (this.#fd === null) return [];
    const { size } = fstatSync(this.#fd);
    if (size < this.#at) this.#at = 0;
    if (size === this.#at) return [];
    const block = Buffer.alloc(size - this.#at);
    this.#at += readSync(this.#fd, block, 0, block.length, this.#at);
    const text = Buffer.concat([this.#rest, block]);
    const cut = text.lastIndexOf(10) + 1;
    this.#rest = text.subarray(cut);
    return text.subarray(0, cut).toString('utf8').split('\n').filter(Boolean);
  }
}

// Formats one log line: time, level, message and the fields that matter. Pure.

const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

type Line = Record<string, unknown>;

export const createLevelFilter =
  (level: LogLevel) =>
  (line: string): boolean => {
    const found = LOG_LEVELS.indexOf((parse(line)?.level ?? 'info') as LogLevel);
    return found >= LOG_LEVELS.indexOf(level);
  };

export function formatLogLine(line: string, colours: Terminal['colours'], today: string): string {
  const parsed = parse(line);
  if (parsed === null) return toPrintable(line);
  const { level, time, msg, error, ...fields } = parsed;
  const paint = { warn: colours.yellow, error: colours.red, debug: colours.dim }[String(level)];
  const shown = String(level ?? 'info').padEnd(5);
  const details = Object.entries(fields)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
  const parts = [
    colours.dim(formatLogTime(String(time ?? ''), today)),
    paint ? paint(shown) : shown,
    toPrintable(String(msg ?? '')),
    colours.dim(toPrintable(details)),
    colours.red(toPrintable(errorText(error))),
  ];
  return parts
    .filter((part) => part !== '')
    .join('  ')
    .trimEnd();
}

function parse(line: string): Line | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Line) : null;
  } catch {
    return null;
  }
}

/** The day is shown only when it is not today. */
function formatLogTime(time: string, today: string): string {
  const [day = '', rest = ''] = time.split('T');
  return day === today ? rest.slice(0, 12) : `${day} ${rest.slice(0, 8)}`.trim();
}

function errorText(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { type, message, stack } = error as Line;
  return typeof stack === 'string' ? `\n${stack}` : `${type ?? 'error'}: ${message ?? ''}`;
}
