// Starts a daemon as its own process, waits until it is ready, and calls it as a client does.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { DAEMON_NODE_FLAGS } from '@relay/core/installation';

const SCRIPTED = fileURLToPath(new URL('./scripted-daemon.ts', import.meta.url));

export interface DaemonProcess {
  readonly child: ChildProcess;
  readonly port: number;
  /** Milliseconds from spawn to ready. */
  readonly readyMs: number;
  call(method: 'GET' | 'POST', path: string, body?: unknown): Promise<DaemonProcessAnswer>;
  /** `SIGTERM` stops it cleanly, `SIGKILL` does not; resolves when the process is gone. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

export interface DaemonProcessAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface DaemonProcessOptions {
  readonly home: string;
  readonly databaseUrl?: string;
  /** The program to run; the scripted daemon unless a built one is given. */
  readonly program?: string;
  /** Modules to preload. */
  readonly preloads?: readonly string[];
  /** Defaults to a free port. */
  readonly port?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

export async function startDaemonProcess(options: DaemonProcessOptions): Promise<DaemonProcess> {
  const began = performance.now();
  const preloads = (options.preloads ?? []).map((module) => `--import=${module}`);
  const program = options.program ?? SCRIPTED;
  const args = [...DAEMON_NODE_FLAGS, ...preloads, program, '--ready-fd', '3'];
  const child = spawn(process.execPath, args, {
    stdio: ['pipe', 'ignore', 'inherit', 'pipe'],
    env: {
      PATH: process.env.PATH,
      RELAY_HOME: options.home,
      RELAY_KEY_FILE: `${options.home}.key`,
      RELAY_PORT: String(options.port ?? 0),
      ...options.environment,
      ...(options.databaseUrl === undefined ? {} : { DATABASE_URL: options.databaseUrl }),
    },
  });
  const port = await untilReady(child).catch(async (error: unknown) => {
    // It may still write to its home, which the caller is about to remove.
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    throw error;
  });
  const token = readFileSync(join(options.home, 'token'), 'utf8').trim();
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  return {
    child,
    port,
    readyMs: performance.now() - began,
    call: (method, path, body) => call({ agent, port, token, method, path, body }),
    async end(signal) {
      agent.destroy();
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill(signal);
      await gone;
    },
  };
}

async function untilReady(child: ChildProcess): Promise<number> {
  for await (const line of createInterface(child.stdio[3] as Readable)) {
    const said = JSON.parse(line);
    if (said.ready) return said.ready.port;
    if (said.failed) throw new Error(said.failed.message);
  }
  throw new Error('the daemon ended before it was ready');
}

interface Call {
  agent: Agent;
  port: number;
  token: string;
  method: string;
  path: string;
  body: unknown;
}

function call({ agent, port, token, method, path, body }: Call): Promise<DaemonProcessAnswer> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const outgoing = request({
      agent,
      host: '127.0.0.1',
      port,
      method,
      path,
      headers: {
        authorization: `Bearer ${token}`,
        ...(text === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      },
    });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('aborted', () => reject(new Error('aborted')));
      response.on('end', () => {
        const answer = Buffer.concat(chunks).toString('utf8');
        resolve({
          status: response.statusCode ?? 0,
          body: answer === '' ? null : JSON.parse(answer),
        });
      });
    });
    outgoing.end(text);
  });
}
