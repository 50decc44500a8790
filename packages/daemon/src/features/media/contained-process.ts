// Runs one of Relay's programs on untrusted bytes, in a process of its own: without environment, files, other
// programs or (on Linux, where allowed) network, and with limits for memory, time and output. Invariant: it is gone when
// the promise settles, and the daemon's event loop only copies bytes.
import {
  type ChildProcessByStdio,
  execFile,
  type SpawnOptionsWithStdioTuple,
  spawn,
} from 'node:child_process';
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export interface ContainedLimits {
  readonly heapMb: number;
  /** Everything that the process maps, also outside of the heap. Null where a library maps more than it uses. */
  readonly addressSpaceMb: number | null;
  readonly seconds: number;
  readonly inputBytes: number;
  readonly outputBytes: number;
}

interface ContainedProgram {
  /** A module that reads standard input and writes one JSON value to standard output. */
  readonly module: URL;
  readonly args: readonly string[];
  readonly limits: ContainedLimits;
  /** Folders, besides those of its own packages, that it may read. */
  readonly readable?: readonly string[];
  /** It needs native code of its packages and threads for it. */
  readonly isNative?: boolean;
}

type ContainedEnd = 'too_large' | 'too_slow' | 'too_much_output' | 'crashed' | 'stopped';

type ContainedResult =
  | { readonly answer: unknown }
  /** Why there is no answer. `crashed` includes that its memory limit was reached. */
  | { readonly end: ContainedEnd };

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

export async function runContained(
  program: ContainedProgram,
  input: AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): Promise<ContainedResult> {
  if (signal?.aborted) return { end: 'stopped' };
  const { limits } = program;
  const child = await spawnContained(program);
  let end: ContainedEnd | null = null;
  const stop = (why: ContainedEnd) => {
    end ??= why;
    child.kill('SIGKILL');
  };
  const stopped = () => stop('stopped');
  const timer = setTimeout(() => stop('too_slow'), limits.seconds * 1_000);
  signal?.addEventListener('abort', stopped, { once: true });
  const exited = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null));
    child.once('close', (code) => resolve(code));
  });
  const output = collect(child.stdout, limits.outputBytes, () => stop('too_much_output'));
  child.stderr.resume();
  try {
    await pipeline(
      atMost(input, limits.inputBytes, () => stop('too_large')),
      child.stdin,
    ).catch((error: unknown) => {
      // The program may end before it has read everything; an error of the source is the caller's.
      if (!isBrokenPipe(error)) throw error;
    });
    const code = await exited;
    if (end !== null) return { end };
    return code === 0 ? parseAnswer(await output) : { end: 'crashed' };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stopped);
    child.kill('SIGKILL');
    await exited;
  }
}

function parseAnswer(text: string): ContainedResult {
  try {
    return { answer: JSON.parse(text) };
  } catch {
    return { end: 'crashed' };
  }
}

async function* atMost(
  bytes: AsyncIterable<Uint8Array>,
  most: number,
  exceeded: () => void,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.byteLength;
    if (size > most) return exceeded();
    yield chunk;
  }
}

async function collect(stream: Readable, most: number, exceeded: () => void): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      size += chunk.byteLength;
      if (size > most) {
        exceeded();
        return '';
      }
      chunks.push(chunk);
    }
  } catch {
    return '';
  }
  return Buffer.concat(chunks).toString('utf8');
}

const isBrokenPipe = (error: unknown): boolean =>
  ['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED'].includes(
    String((error as NodeJS.ErrnoException).code),
  );

async function spawnContained(program: ContainedProgram): Promise<Child> {
  const { module, args, limits, readable = [], isNative = false } = program;
  const path = fileURLToPath(module);
  const node = [
    `--max-old-space-size=${limits.heapMb}`,
    '--no-warnings',
    '--permission',
    ...[...readableFor(path), ...readable].map((place) => `--allow-fs-read=${place}`),
    ...(isNative
      ? ['--allow-addons', '--allow-worker']
      : ['--disallow-code-generation-from-strings']),
    path,
    ...args,
  ];
  const [command = process.execPath, ...before] = [...(await isolation()), process.execPath];
  const options: SpawnOptionsWithStdioTuple<'pipe', 'pipe', 'pipe'> = {
    env: {},
    cwd: '/',
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  };
  if (process.platform !== 'linux') return spawn(command, [...before, ...node], options);
  // The kernel keeps these limits even if this process is killed. The shell only sets them: `exec` replaces it.
  const kernel = [
    `ulimit -t ${Math.ceil(limits.seconds) * CPU_FACTOR}`,
    'ulimit -c 0',
    'ulimit -f 0',
    ...(limits.addressSpaceMb === null ? [] : [`ulimit -v ${limits.addressSpaceMb * 1_024}`]),
    'unset PWD OLDPWD',
    'exec "$@"',
  ].join('; ');
  return spawn('/bin/sh', ['-c', kernel, 'contained', command, ...before, ...node], options);
}

/** Several threads may compute at once; the clock is the stricter limit. */
const CPU_FACTOR = 4;

/** The program's own folder, and the packages that it may import. */
function readableFor(path: string): string[] {
  const places = [join(dirname(path), '*')];
  for (let at = dirname(path); ; at = dirname(at)) {
    places.push(join(at, 'package.json'), join(at, 'node_modules', '*'));
    if (at === dirname(at)) return places;
  }
}

let isolationFound: Promise<readonly string[]> | null = null;

/** How a program starts without network, where the system lets an ordinary user do that; tried once. */
function isolation(): Promise<readonly string[]> {
  isolationFound ??= findIsolation();
  return isolationFound;
}

async function findIsolation(): Promise<readonly string[]> {
  if (process.platform !== 'linux') return [];
  const command = ['/usr/bin/unshare', '--user', '--map-current-user', '--net', '--'];
  try {
    await promisify(execFile)(
      command[0] as string,
      [...command.slice(1), process.execPath, '--version'],
      {
        env: {},
        timeout: 5_000,
      },
    );
    return command;
  } catch {
    return [];
  }
}
