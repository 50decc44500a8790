// Test fixture: the command and a fake daemon whose conversations a test writes to files. Shared by all tests of a
// file, and emptied before each.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConversationInstance, TranscriptLine } from '@relay/contract/api/instances';
import { removeFolder } from '@relay/testing/remove-folder';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { build, open, type Relay, type Result } from './command.ts';
import { instanceOf, lineOf } from './fake-conversations.ts';

export const ONE = '1a2b3c4d-0000-4000-8000-000000000001';
export const TWO = '1a2b9999-0000-4000-8000-000000000002';
export const ENDED = '77777777-0000-4000-8000-000000000003';

const LEFT = [
  'instances.json',
  'transcript.json',
  'transitions.json',
  'asked.jsonl',
  'routes.json',
];

/** A command that keeps running: its output so far, and its exit code once it has ended. */
export interface Following {
  readonly ended: Promise<number | null>;
  out(): string;
  err(): string;
  interrupt(): void;
}

export const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');

export function conversationFixture() {
  let built: string;
  let relay: Relay;
  beforeAll(async () => {
    built = build();
    relay = await open(built);
    await relay.serve();
  });
  afterAll(async () => {
    await relay.end();
    await removeFolder(built);
  });
  beforeEach(() => {
    for (const name of [...LEFT, 'taken', 'refused']) {
      rmSync(join(relay.home, name), { force: true });
    }
  });
  const put = (name: string, value: unknown) =>
    writeFileSync(join(relay.home, name), JSON.stringify(value));
  return {
    put,
    /** What the daemon answers, by method and path. */
    routes: (routes: Readonly<Record<string, unknown>>) => put('routes.json', routes),
    /** Writes a file to the folder where the command runs. */
    leave: (name: string, text: string) => writeFileSync(join(relay.work, name), text),
    instances: (...given: Partial<ConversationInstance>[]) =>
      put('instances.json', given.map(instanceOf)),
    transcript: (...given: Partial<TranscriptLine>[]) => put('transcript.json', given.map(lineOf)),
    /** The requests that the daemon received. */
    asked(): { asked: string; body: Record<string, unknown> | null }[] {
      const file = join(relay.home, 'asked.jsonl');
      if (!existsSync(file)) return [];
      return lines(readFileSync(file, 'utf8')).map((line) => JSON.parse(line));
    },
    serve: () => relay.serve(),
    stopServing: () => relay.stopServing(),
    run: (...args: string[]): Promise<Result> => relay.call(...args),
    following: (...args: string[]): Following => followed(relay.spawn(...args)),
    /** Runs the command at a terminal of this width; both output streams are combined. */
    onTerminal(columns: number, ...args: string[]): Following {
      const command = [process.execPath, join(built, 'bin/relay.js'), ...args]
        .map((arg) => `'${arg}'`)
        .join(' ');
      const typed = `stty cols ${columns} rows 24; ${command}`;
      const env = { PATH: '/usr/bin:/bin', RELAY_HOME: relay.home, TERM: 'xterm', NO_COLOR: '1' };
      return followed(spawn('/usr/bin/script', ['-qec', typed, '/dev/null'], { env }));
    },
  };
}

/** The whole output, once the command has ended. */
export async function whole({ ended, out }: Following): Promise<string> {
  await ended;
  return out();
}

function followed(child: ReturnType<typeof spawn>): Following {
  const said = { out: '', err: '' };
  child.stdout?.on('data', (chunk) => {
    said.out += String(chunk).replaceAll('\r\n', '\n');
  });
  child.stderr?.on('data', (chunk) => {
    said.err += chunk;
  });
  return {
    ended: once(child, 'close').then(([exit]) => exit as number | null),
    out: () => said.out,
    err: () => said.err,
    interrupt: () => void child.kill('SIGINT'),
  };
}
