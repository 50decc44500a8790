// Runs `relay` in a separate home whose path contains spaces: in the test's process (`call`), which is cheap, or as its
// own process (`run`, `spawn`) for signals, standard input and starting a daemon. `build` builds the command once, with
// a fake daemon in place of the daemon.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { removeFolder } from '@relay/testing/remove-folder';
import { loadCliConfig } from '../config.ts';
import { runProgram } from '../program.ts';
import { type FakeDaemon, startFakeDaemon } from './fake-daemon.ts';

export interface Result {
  readonly exit: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Relay {
  readonly home: string;
  readonly port: number;
  readonly work: string;
  /** Starts the fake daemon in the test's process; `relay stop` would then end the test itself. */
  serve(): Promise<void>;
  stopServing(): Promise<void>;
  /** Runs the command in the test's process. */
  call(...args: string[]): Promise<Result>;
  /** Runs the command as a process, with `input` on its standard input. */
  pipe(input: string, ...args: string[]): Promise<Result>;
  run(...args: string[]): Promise<Result>;
  spawn(...args: string[]): ChildProcess;
  end(): Promise<void>;
}

export function build(): string {
  const root = resolve(import.meta.dirname, '../../../..');
  const out = mkdtempSync(join(tmpdir(), 'relay built '));
  execFileSync(process.execPath, [join(root, 'scripts/build.ts'), '--only', 'cli', '--out', out]);
  const fake = pathToFileURL(join(import.meta.dirname, 'fake-daemon-process.ts'));
  mkdirSync(join(out, 'daemon'));
  writeFileSync(join(out, 'daemon/main.js'), `await import(${JSON.stringify(fake)});\n`);
  return out;
}

export async function open(built: string, env: Record<string, string> = {}): Promise<Relay> {
  const work = mkdtempSync(join(tmpdir(), 'relay work '));
  const home = join(work, 'a home');
  const port = await freePort();
  const start = (args: readonly string[]) =>
    spawn(process.execPath, [join(built, 'bin/relay.js'), ...args], {
      cwd: work,
      env: {
        PATH: '/usr/bin:/bin',
        RELAY_HOME: home,
        RELAY_PORT: String(port),
        // The fake daemon is the same in every home, so it is compiled once.
        NODE_COMPILE_CACHE: join(built, 'compiled'),
        ...env,
      },
    });
  let daemon: FakeDaemon | null = null;
  const pipe = async (input: string, ...args: string[]): Promise<Result> => {
    const child = start(args);
    child.stdin.end(input);
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    const [exit] = await once(child, 'close');
    return { exit, out, err };
  };
  const run = (...args: string[]) => pipe('', ...args);
  const stopServing = async () => {
    await daemon?.close();
    daemon = null;
  };
  return {
    home,
    port,
    work,
    async serve() {
      daemon = await startFakeDaemon(home, port);
    },
    stopServing,
    call: async (...args) => {
      const stops = daemon !== null && args[0] === 'stop';
      if (stops) throw new Error('relay stop would end this process: use stopServing');
      return callWithin(work, args, { RELAY_HOME: home, RELAY_PORT: String(port), ...env });
    },
    pipe,
    run,
    spawn: (...args) => start(args),
    async end() {
      await stopServing();
      if (existsSync(join(home, 'daemon.pid'))) await run('stop');
      await removeFolder(work);
    },
  };
}

async function callWithin(
  folder: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<Result> {
  const said = { out: '', err: '' };
  const sink = (name: 'out' | 'err') => ({
    write(text: string) {
      said[name] += text;
    },
  });
  const before = process.cwd();
  process.chdir(folder);
  try {
    const streams = { out: sink('out'), err: sink('err') };
    const exit = await runProgram(args, loadCliConfig(env), streams);
    return { exit, ...said };
  } finally {
    process.chdir(before);
  }
}

export async function occupy(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function freePort(): Promise<number> {
  const server = await occupy(0);
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
