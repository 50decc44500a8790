// `relay demo --headless --json` as a program holds it: reads the one line, lets go, counts what is left.
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

export interface Headless {
  readonly child: ChildProcess;
  readonly line: DemoLine;
  /** Resolves when it has ended by itself or after `letGo`: its exit code and what it complained of. */
  readonly ended: Promise<{ exit: number | null; err: string; more: string[] }>;
  /** Closes its standard input. */
  letGo(): void;
}

/** `command` is the file of the `relay` command to run. */
export async function holdDemo(command: string, ...args: string[]): Promise<Headless> {
  const child = spawn(process.execPath, [command, 'demo', '--headless', '--json', ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH },
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
