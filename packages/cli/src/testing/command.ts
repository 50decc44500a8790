// Runs the built `relay` as a person would, in a home of its own whose path holds spaces.
// `build` makes the command once, with the stand-in where the daemon would be.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface Result {
  readonly exit: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Relay {
  readonly home: string;
  readonly port: number;
  readonly work: string;
  run(...args: string[]): Promise<Result>;
  spawn(...args: string[]): ChildProcess;
  end(): Promise<void>;
}

export function build(): string {
  const root = resolve(import.meta.dirname, '../../../..');
  const out = mkdtempSync(join(tmpdir(), 'relay built '));
  execFileSync(process.execPath, [join(root, 'scripts/build.ts'), '--only', 'cli', '--out', out]);
  const fake = pathToFileURL(join(import.meta.dirname, 'fake-daemon.ts'));
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
        // The stand-in is the same in every home: it is compiled once.
        NODE_COMPILE_CACHE: join(built, 'compiled'),
        ...env,
      },
    });
  const run = async (...args: string[]): Promise<Result> => {
    const child = start(args);
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
  return {
    home,
    port,
    work,
    run,
    spawn: (...args) => start(args),
    async end() {
      if (existsSync(join(home, 'daemon.pid'))) await run('stop');
      rmSync(work, { recursive: true, force: true });
    },
  };
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
