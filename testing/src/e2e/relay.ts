// The built command and the built daemon, in a separate home whose path contains spaces. The daemon uses a fresh
// database of the run's shared server, or its private PostgreSQL where a test asks for it. Invariant: after `end`, no
// process, port, database or file is left.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DaemonRuntime } from '@relay/contract/settings';
import pg from 'pg';
import { expect, inject } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../postgres.ts';
import { builtIn, compiledOf } from './built.ts';
import { type RawRequest, type RawResponse, rawRequest } from './raw-request.ts';
import { answers, processesOf, untilGone } from './traces.ts';

/** True if DATABASE_URL names the server: then nothing runs on a private PostgreSQL, and its tests are skipped. */
export const onGivenServer = Boolean(process.env.DATABASE_URL);
export const PRIVATE_ONLY = 'DATABASE_URL names a server of its own';

export interface Result {
  readonly exit: number | null;
  readonly out: string;
  readonly err: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

export interface RelayOptions {
  /** `private` only where the private PostgreSQL is part of what is tested: it takes seconds of CPU time to set up. */
  readonly database?: 'shared' | 'private';
}

export async function openRelay(
  given: Environment = {},
  options: RelayOptions = {},
): Promise<Relay> {
  const built = await builtIn(inject('builds'));
  const isPrivate = options.database === 'private' && !onGivenServer;
  const database = isPrivate ? null : await freshDatabase();
  const work = await mkdtemp(join(tmpdir(), 'relay work '));
  // Open to everybody, so that only the home's own permissions protect it.
  await chmod(work, 0o755);
  return new Relay(work, built, database, given);
}

export class Relay {
  readonly work: string;
  readonly home: string;
  readonly built: string;
  readonly database: FreshDatabase | null;
  readonly #environment: Environment;
  readonly #ports = new Set<number>();

  constructor(work: string, built: string, database: FreshDatabase | null, given: Environment) {
    this.work = work;
    this.home = join(work, 'a home');
    this.built = built;
    this.database = database;
    this.#environment = {
      PATH: process.env.PATH,
      HOME: work,
      RELAY_HOME: this.home,
      RELAY_PORT: '0',
      NO_COLOR: '1',
      DATABASE_URL: database?.daemonUrl,
      DATABASE_OWNER_URL: database?.url,
      NODE_COMPILE_CACHE: compiledOf(built),
      ...given,
    };
  }

  /** Writes a relay.config.json, as the owner would. */
  async configure(settings: object | string): Promise<void> {
    await mkdir(this.home, { recursive: true, mode: 0o700 });
    const content = typeof settings === 'string' ? settings : JSON.stringify(settings);
    await writeFile(join(this.home, 'relay.config.json'), content, { mode: 0o600 });
  }

  /** `input` is its whole standard input. */
  spawn(args: readonly string[], environment: Environment = {}, input = '') {
    const child = spawn(process.execPath, [join(this.built, 'bin/relay.js'), ...args], {
      cwd: this.work,
      env: { ...this.#environment, ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child.stdin.end(input);
    return child;
  }

  /** Runs the daemon's program without the command; returns what it reports to its parent. */
  async runDaemon(): Promise<{ exit: number | null; said: unknown[] }> {
    const child = spawn(process.execPath, [join(this.built, 'daemon/main.js'), '--ready-fd', '3'], {
      env: { ...this.#environment },
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    const lines = text(child.stdio[3] as Readable);
    const [exit] = await once(child, 'close');
    const said = (await lines).trim().split('\n');
    return { exit, said: said.map((line) => JSON.parse(line)) };
  }

  run(...args: string[]): Promise<Result> {
    return this.runWith({}, ...args);
  }

  async runWith(environment: Environment, ...args: string[]): Promise<Result> {
    const child = this.spawn(args, environment);
    const said = Promise.all([text(child.stdout), text(child.stderr)]);
    const [exit] = await once(child, 'close');
    const [out, err] = await said;
    return { exit, out, err };
  }

  /** `relay start`, which must succeed. */
  async start(environment: Environment = {}): Promise<void> {
    const { exit, err } = await this.runWith(environment, 'start');
    expect({ exit, err: exit === 0 ? '' : err }).toEqual({ exit: 0, err: '' });
    this.#ports.add(this.port);
  }

  /** Starts the daemon unless it runs and answers. */
  async ensureStarted(): Promise<void> {
    if (!(await this.#isRunning())) await this.start();
  }

  async #isRunning(): Promise<boolean> {
    try {
      return (await this.call('GET', '/api/status')).status === 200;
    } catch {
      return false;
    }
  }

  /** `relay stop`, as a person runs it. */
  async stop(): Promise<void> {
    expect(await this.run('stop')).toMatchObject({
      exit: 0,
      out: 'Stopped. All data is saved.\n',
    });
  }

  /** Like a crash or a power cut: nothing is flushed or reported. */
  async kill(): Promise<void> {
    const { pid } = this;
    process.kill(pid, 'SIGKILL');
    while (alive(pid)) await sleep(10);
  }

  file(name: string): string {
    return readFileSync(join(this.home, name), 'utf8');
  }

  get pid(): number {
    return Number(this.file('daemon.pid'));
  }

  get port(): number {
    const { port } = JSON.parse(this.file('daemon.json')) as DaemonRuntime;
    if (port === null) throw new Error('the daemon is not ready');
    return port;
  }

  get token(): string {
    return this.file('token').trim();
  }

  /** Password of the private server's only role. */
  get databasePassword(): string {
    return this.file('postgres/password').trim();
  }

  /** With the owner's token, unless the request has its own headers. */
  call(method: string, path: string, body?: unknown, request: Partial<RawRequest> = {}) {
    const headers = { authorization: `Bearer ${this.token}`, ...request.headers };
    return rawRequest({ port: this.port, method, path, body, ...request, headers });
  }

  async create(contact = '+14155550100', more: object = {}): Promise<string> {
    const { status, json } = await this.call('POST', '/api/instances', {
      objective: 'Agree on a day',
      target_contact: contact,
      ...more,
    });
    expect(status).toBe(201);
    return (json as { id: string }).id;
  }

  /** Waits for the end of the agent's turn; the agent of this version asks for its owner. */
  async settled(id: string): Promise<RawResponse> {
    for (;;) {
      const answer = await this.call('GET', `/api/instances/${id}`);
      if (!['CREATED', 'ACTIVE'].includes((answer.json as { state: string }).state)) return answer;
      await sleep(20);
    }
  }

  /** Queries the daemon's database directly, bypassing all checks. */
  async query(sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    const client = new pg.Client(
      this.database === null
        ? {
            host: join(this.home, 'postgres/data'),
            user: 'relay',
            database: 'relay',
            password: this.databasePassword,
          }
        : { connectionString: this.database.url },
    );
    await client.connect();
    try {
      return (await client.query(sql, values)).rows;
    } finally {
      await client.end();
    }
  }

  async end(): Promise<void> {
    let isKilled = !(await this.#terminate()) && existsSync(join(this.home, 'daemon.pid'));
    // A killed daemon leaves its private PostgreSQL running. The next daemon adopts it and stops it.
    if (isKilled && this.database === null) {
      await this.run('start');
      isKilled = !(await this.#terminate());
    }
    const left = await untilGone(this.home);
    for (const line of left) process.kill(Number.parseInt(line, 10), 'SIGKILL');
    await this.database?.drop();
    const files = await readdir(this.home).catch(() => []);
    await rm(this.work, { recursive: true, force: true, maxRetries: 20 });
    expect(left).toEqual([]);
    if (!isKilled)
      expect(files.filter((name) => /^daemon\.(pid|json)$|\.(new|part)$/.test(name))).toEqual([]);
    for (const port of this.#ports) expect(await answers('127.0.0.1', port)).toBe(false);
  }

  /** Stops the daemon of this home without a command; false if none runs. */
  async #terminate(): Promise<boolean> {
    // Not by the PID file: tests write the PIDs of other programs into it.
    const processes = await processesOf(this.home);
    const daemon = processes.find((line) => line.includes(join(this.built, 'daemon/main.js')));
    if (daemon === undefined) return false;
    const pid = Number.parseInt(daemon, 10);
    process.kill(pid, 'SIGTERM');
    while (alive(pid)) await sleep(10);
    return true;
  }
}

export function alive(pid: number): boolean {
  try {
    // A process without a command line has ended and was not reaped yet.
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '';
  } catch {
    return false;
  }
}
