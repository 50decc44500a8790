// The real command and the real daemon, in a home of their own whose path holds spaces. On the private
// PostgreSQL, or on a fresh database of the server that DATABASE_URL names.
// Invariant: when a Relay has ended, no process, port, database or file of it is left.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Runtime } from '@relay/core/settings';
import pg from 'pg';
import { expect, inject } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../postgres.ts';
import { builtIn, compiledOf } from './built.ts';
import { answers, untilGone } from './traces.ts';
import { type Answer, type Request, wire } from './wire.ts';

/** Where a server was given, what is about the private one cannot be shown. */
export const onGivenServer = Boolean(process.env.DATABASE_URL);
export const PRIVATE_ONLY = 'DATABASE_URL names a server of its own';

export interface Result {
  readonly exit: number | null;
  readonly out: string;
  readonly err: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

export async function openRelay(given: Environment = {}): Promise<Relay> {
  const built = await builtIn(inject('builds'));
  const database = onGivenServer ? await freshDatabase() : null;
  const work = await mkdtemp(join(tmpdir(), 'relay work '));
  // Open to everybody: what the home does not keep from others, nothing does.
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
      DATABASE_URL: database?.url,
      NODE_COMPILE_CACHE: compiledOf(built),
      ...given,
    };
  }

  /** Leaves a relay.config.json, as the owner would. */
  async configure(settings: object | string): Promise<void> {
    await mkdir(this.home, { recursive: true, mode: 0o700 });
    const content = typeof settings === 'string' ? settings : JSON.stringify(settings);
    await writeFile(join(this.home, 'relay.config.json'), content, { mode: 0o600 });
  }

  /** `input` is all that stands on its standard input. */
  spawn(args: readonly string[], environment: Environment = {}, input = '') {
    const child = spawn(process.execPath, [join(this.built, 'bin/relay.js'), ...args], {
      cwd: this.work,
      env: { ...this.#environment, ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child.stdin.end(input);
    return child;
  }

  /** The daemon's own program, without the command: what it says to whoever started it. */
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

  /** `relay start`, which must work. */
  async start(environment: Environment = {}): Promise<void> {
    const { exit, err } = await this.runWith(environment, 'start');
    expect({ exit, err: exit === 0 ? '' : err }).toEqual({ exit: 0, err: '' });
    this.#ports.add(this.port);
  }

  async stop(): Promise<void> {
    expect(await this.run('stop')).toMatchObject({
      exit: 0,
      out: 'Stopped. Everything was flushed to disk.\n',
    });
  }

  /** As a crash or a power cut would: nothing is flushed, nothing is said. */
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
    const { port } = JSON.parse(this.file('daemon.json')) as Runtime;
    if (port === null) throw new Error('the daemon is not ready');
    return port;
  }

  get token(): string {
    return this.file('token').trim();
  }

  /** Of the private server's only role. */
  get databasePassword(): string {
    return this.file('postgres/password').trim();
  }

  /** With the owner's token, unless the request brings headers of its own. */
  call(method: string, path: string, body?: unknown, request: Partial<Request> = {}) {
    const headers = { authorization: `Bearer ${this.token}`, ...request.headers };
    return wire({ port: this.port, method, path, body, ...request, headers });
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

  /** Waits for the agent's turn to be over; the agent of this version asks for its owner. */
  async settled(id: string): Promise<Answer> {
    for (;;) {
      const answer = await this.call('GET', `/api/instances/${id}`);
      if (!['CREATED', 'ACTIVE'].includes((answer.json as { state: string }).state)) return answer;
      await sleep(20);
    }
  }

  /** Straight into the daemon's database, past everything that guards it. */
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
    await this.run('stop');
    // One that was killed leaves its PostgreSQL to its successor, which knows how to stop it.
    if (existsSync(join(this.home, 'daemon.pid'))) {
      await this.run('start');
      await this.run('stop');
    }
    const left = await untilGone(this.home);
    for (const line of left) process.kill(Number.parseInt(line, 10), 'SIGKILL');
    await this.database?.drop();
    const files = await readdir(this.home).catch(() => []);
    await rm(this.work, { recursive: true, force: true });
    expect(left).toEqual([]);
    expect(files.filter((name) => /^daemon\.(pid|json)$|\.(new|part)$/.test(name))).toEqual([]);
    for (const port of this.#ports) expect(await answers('127.0.0.1', port)).toBe(false);
  }
}

export function alive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
