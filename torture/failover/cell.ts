// The processes of a cell as a failover torture runs them: PostgreSQL, an API without accounts, workers that reach the
// database over a line of their own, and the simulated network.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { silentLog } from '@relay/core/log';
import { type PrivateServer, startPrivateServer } from '@relay/daemon/platform/db/postgres/server';
import { connectionUrl } from '@relay/daemon/platform/db/postgres/settings';
import { type Simulator, startSimulator } from '@relay/simulator/simulator';
import { compiledOf } from '@relay/testing/e2e/built';
import { eventually, Gateway } from '@relay/testing/e2e/gateway';
import { type DatabaseLine, openDatabaseLine } from '@relay/testing/network-line';
import { onServer } from '@relay/testing/postgres';
import { removeFolder } from '@relay/testing/remove-folder';
import { openBuilt } from '../resources.ts';

const SETTINGS = {
  pacing: { enabled: false },
  delivery: { answer_within_ms: 2_000, grace_ms: 500 },
  agent: { tokens_per_day: 1_000_000_000 },
  tell_owner_on_whatsapp: false,
  strangers: { kilobytes_per_sender: 1_000_000, megabytes_per_day: 1_000_000 },
};

export interface CellWorker {
  readonly name: string;
  readonly line: DatabaseLine;
  child: ChildProcess;
  /** It was ended on purpose. */
  isEnded: boolean;
  /** Its id among the workers of the database. */
  id: string;
}

export class Cell {
  readonly simulator: Simulator;
  readonly workers: CellWorker[] = [];
  /** Workers that ended unexpectedly. */
  readonly endedThemselves: string[] = [];
  /** As the owner of the tables, not over a line. */
  readonly url: string;
  readonly #folder: string;
  readonly #built: string;
  readonly #remove: () => void;
  readonly #server: PrivateServer;
  #api: ChildProcess | null = null;
  #port = 0;
  #token = '';
  readonly #capacity: number;

  private constructor(parts: {
    folder: string;
    capacity: number;
    built: string;
    remove: () => void;
    server: PrivateServer;
    simulator: Simulator;
  }) {
    this.#folder = parts.folder;
    this.#capacity = parts.capacity;
    this.#built = parts.built;
    this.#remove = parts.remove;
    this.#server = parts.server;
    this.simulator = parts.simulator;
    this.url = connectionUrl(parts.server.owner);
  }

  /** `capacity`: of each worker. All accounts need a place while one worker is away. */
  static async open(workers: number, capacity: number): Promise<Cell> {
    const { built, remove } = await openBuilt();
    const folder = await mkdtemp(join(tmpdir(), 'relay-cell-'));
    const server = await startPrivateServer({ directory: join(folder, 'pg'), log: silentLog });
    const simulator = await startSimulator();
    const cell = new Cell({ folder, capacity, built, remove, server, simulator });
    try {
      await cell.#openApi();
      for (let n = 1; n <= workers; n++) await cell.#addWorker(`worker-${n}`);
      return cell;
    } catch (error) {
      await cell.close();
      throw error;
    }
  }

  /** The API of one account. */
  api(account: string): Gateway {
    const gateway = new Gateway(() => ({ port: this.#port, token: this.#token }));
    const call = gateway.call.bind(gateway);
    gateway.call = (method, path, body, headers) =>
      call(method, path.replace('/api/', `/api/accounts/${account}/`), body, headers);
    return gateway;
  }

  async addAccount(name: string): Promise<void> {
    await this.sql(
      `INSERT INTO relay.accounts (name, label) VALUES ('${name}', 'me') ON CONFLICT DO NOTHING`,
    );
  }

  /** Links an account with a phone of the network, over the API. */
  async link(account: string, phone: string): Promise<void> {
    const api = this.api(account);
    const simulated = this.simulator.network.account(phone);
    // The API learns of new accounts within seconds.
    await eventually(`${account} to be known`, async () => {
      const { status } = await api.call('POST', '/api/whatsapp/connect', {});
      return status === 200 ? true : undefined;
    });
    const qr = await eventually(`a code of ${account}`, async () => {
      const link = await api.ok<{ qr: string | null }>('GET', '/api/whatsapp/link');
      return link.qr ?? undefined;
    });
    await simulated?.scan(qr);
    await api.connected(60_000);
  }

  async sql<Row extends object>(text: string): Promise<Row[]> {
    return onServer(this.url, async (client) => (await client.query<Row>(text)).rows);
  }

  /** The accounts that a worker holds now. */
  async heldBy({ id }: CellWorker): Promise<number[]> {
    const rows = await this.sql<{ id: string }>(
      `SELECT account_id AS id FROM relay.account_leases WHERE holder = '${id}' AND until > now()`,
    );
    return rows.map((row) => Number(row.id));
  }

  /** `kill -9`, then the same home again, as a supervisor would. */
  async end(worker: CellWorker, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const { child } = worker;
    worker.isEnded = true;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  }

  async restart(worker: CellWorker): Promise<void> {
    worker.child = await this.#launchWorker(worker.name, worker.line.url);
    this.#supervise(worker);
  }

  #supervise(worker: CellWorker): void {
    worker.isEnded = false;
    worker.child.once('exit', (code) => {
      if (!worker.isEnded) this.endedThemselves.push(`${worker.name} ended with ${code}`);
    });
  }

  async killPostgres(): Promise<void> {
    const file = join(this.#folder, 'pg/data/postmaster.pid');
    process.kill(Number.parseInt(await readFile(file, 'utf8'), 10), 'SIGKILL');
    await eventually('PostgreSQL', () =>
      this.sql('SELECT 1').then(
        () => true,
        () => undefined,
      ),
    );
  }

  async close(): Promise<void> {
    for (const { child } of this.workers) child.kill('SIGCONT');
    for (const worker of this.workers) {
      await Promise.race([this.end(worker, 'SIGTERM'), sleep(20_000)]);
      worker.child.kill('SIGKILL');
      await worker.line.close();
    }
    const api = this.#api;
    if (api !== null && api.exitCode === null) {
      api.kill('SIGTERM');
      await Promise.race([once(api, 'exit'), sleep(20_000).then(() => api.kill('SIGKILL'))]);
    }
    await this.simulator.close();
    await this.#server.stop();
    this.#remove();
    if (process.env.TORTURE_KEEP === undefined) await removeFolder(this.#folder);
    else console.log(`left for a look: ${this.#folder}`);
  }

  async #openApi(): Promise<void> {
    const { child, port } = await this.#launch('api', ['--api'], {
      DATABASE_URL: connectionUrl(this.#server.daemon),
      DATABASE_OWNER_URL: this.url,
    });
    this.#api = child;
    this.#port = port;
    this.#token = (await readFile(join(this.#folder, 'api/token'), 'utf8')).trim();
  }

  async #addWorker(name: string): Promise<void> {
    const line = await openDatabaseLine(connectionUrl(this.#server.daemon));
    const child = await this.#launchWorker(name, line.url);
    const id = (await readFile(join(this.#folder, name, 'worker-id'), 'utf8')).trim();
    const worker = { name, line, child, id, isEnded: false };
    this.#supervise(worker);
    this.workers.push(worker);
  }

  async #launchWorker(name: string, url: string): Promise<ChildProcess> {
    const role = ['--worker', `${this.#capacity}`];
    const { child } = await this.#launch(name, role, { DATABASE_URL: url });
    return child;
  }

  async #launch(name: string, args: readonly string[], environment: Record<string, string>) {
    const home = join(this.#folder, name);
    await mkdir(home, { recursive: true, mode: 0o700 });
    await writeFile(join(home, 'relay.config.json'), JSON.stringify(SETTINGS), { mode: 0o600 });
    const preloads = ['preload', 'leash'].map(
      (one) => `--import=${pathToFileURL(join(this.#built, `simulator/${one}.js`)).href}`,
    );
    const main = join(this.#built, 'daemon/main.js');
    const child = spawn(process.execPath, [...preloads, main, ...args, '--ready-fd', '3'], {
      stdio: ['pipe', 'ignore', 'inherit', 'pipe'],
      env: {
        PATH: process.env.PATH,
        HOME: home,
        RELAY_HOME: home,
        RELAY_PORT: '0',
        RELAY_KEY_FILE: join(this.#folder, 'key'),
        RELAY_SIMULATOR_URL: this.simulator.socketUrl,
        NODE_COMPILE_CACHE: compiledOf(this.#built),
        ...environment,
      },
    });
    return { child, port: await untilReady(child) };
  }
}

async function untilReady(child: ChildProcess): Promise<number> {
  for await (const line of createInterface(child.stdio[3] as Readable)) {
    const said = JSON.parse(line);
    if (said.ready) return said.ready.port;
    if (said.failed) throw new Error(said.failed.message);
  }
  throw new Error('a process ended before it was ready');
}
