// Drives `relay demo --json`, headless or with its scene: reads its one line, closes it, and counts what is left.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

export interface DemoLine {
  readonly api: string;
  readonly token: string;
  readonly simulator: string;
  readonly model: string;
  readonly home: string;
}

/** With a scene: also the addresses for people. */
export interface SceneLine extends DemoLine {
  /** A one-time sign-in address. */
  readonly console: string;
  readonly phone: string;
}

export interface HeldDemo<Line> {
  readonly child: ChildProcess;
  readonly line: Line;
  /** Resolves when it has ended by itself or after `letGo`: its exit code and its error output. */
  readonly ended: Promise<{ exit: number | null; err: string; more: string[] }>;
  /** Closes its standard input. */
  letGo(): void;
}

export type Headless = HeldDemo<DemoLine>;

/** `command` is the file of the `relay` command to run. */
export const holdDemo = (command: string, ...args: string[]): Promise<Headless> =>
  hold<DemoLine>([command, 'demo', '--headless', '--json', ...args]);

export const holdScene = (command: string): Promise<HeldDemo<SceneLine>> =>
  hold<SceneLine>([command, 'demo', '--json']);

/** With its own folder for temporary files; `args` choose headless or scene. */
export const holdIn = (folder: string, command: string, ...args: string[]): Promise<Headless> =>
  hold<DemoLine>([command, 'demo', '--json', ...args], { TMPDIR: folder });

async function hold<Line>(args: readonly string[], more: object = {}): Promise<HeldDemo<Line>> {
  const child = spawn(process.execPath, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, ...more },
  });
  const complaints = text(child.stderr);
  const lines = createInterface(child.stdout as Readable)[Symbol.asyncIterator]();
  const { value, done } = await lines.next();
  if (done) throw new Error(await complaints);
  const rest = remaining(lines);
  const ended = once(child, 'close').then(async ([exit]) => ({
    exit,
    err: await complaints,
    more: await rest,
  }));
  return { child, line: JSON.parse(value), ended, letGo: () => child.stdin.end() };
}

async function remaining(lines: AsyncIterator<string>): Promise<string[]> {
  const found: string[] = [];
  for (let next = await lines.next(); !next.done; next = await lines.next()) found.push(next.value);
  return found;
}
