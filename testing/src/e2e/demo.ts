// The parts of `relay demo`, separate so that a test can kill one of them: the simulated network and the model run in
// the test's process, the built daemon in its own. Tests reach it over HTTP only. Invariant: after `stop`, no process,
// file or database is left.
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { OWNER_ROLE, readOwnerPassword } from '@relay/daemon/platform/db/postgres/cluster';
import { connectionUrl, socketAddress } from '@relay/daemon/platform/db/postgres/settings';
import { type ModelServer, startModelServer } from '@relay/simulator/model/server';
import { type Simulator, startSimulator } from '@relay/simulator/simulator';
import { type DaemonProcess, startDaemonProcess } from '../daemon-process.ts';
import { freePort } from '../free-port.ts';
import { removeFolder } from '../remove-folder.ts';
import { builtIn, compiledOf } from './built.ts';
import { Gateway } from './gateway.ts';
import { Phones } from './phones.ts';
import { untilGone } from './traces.ts';

export interface DemoOptions {
  /** The folder of a built package; defaults to the one of this test run. */
  readonly built?: string;
  readonly databaseUrl?: string;
  /**
   * If there is no `databaseUrl`: a fresh database of the run's shared server, or a private server in the home.
   * Programs that run without vitest set `built`, and have no shared server.
   */
  readonly database?: 'shared' | 'private';
  /** Further modules to preload into the daemon. */
  readonly preloads?: readonly string[];
  /** The folder for the home; defaults to the one for temporary files. */
  readonly under?: string;
  /** Its relay.config.json, merged with the scripted model's settings unless it names another model. */
  readonly settings?: object;
  /** Further environment variables of its daemons. */
  readonly environment?: Readonly<Record<string, string>>;
}

export async function startDemo(options: DemoOptions = {}): Promise<Demo> {
  const built = options.built ?? (await builtForTests());
  const database = await openDatabase(options);
  const home = join(await mkdtemp(join(options.under ?? tmpdir(), 'relay demo ')), 'home');
  await mkdir(home, { mode: 0o700 });
  const model = await startModelServer();
  const settings = { ...scripted(model), ...options.settings };
  await writeFile(join(home, 'relay.config.json'), JSON.stringify(settings), { mode: 0o600 });
  const demo = new Demo({
    home,
    built,
    simulator: await startSimulator(),
    model,
    database,
    options,
  });
  try {
    await demo.restart();
    return demo;
  } catch (error) {
    await demo.stop();
    throw error;
  }
}

const scripted = ({ url }: ModelServer) => ({
  model_provider: 'openai-compatible',
  model_name: 'scripted',
  model_base_url: `${url}/v1`,
  // Notices are messages too: only the tests of notices count with them.
  tell_owner_on_whatsapp: false,
});

/** Null: a private server in the home. */
async function openDatabase(options: DemoOptions): Promise<DemoDatabase | null> {
  const {
    databaseUrl: url,
    built,
    database = built === undefined ? 'shared' : 'private',
  } = options;
  if (url !== undefined) return { url, drop: async () => {} };
  if (database === 'private') return null;
  const { freshDatabase } = await import('../postgres.ts');
  return freshDatabase();
}

function databaseIn(database: DemoDatabase | null): Record<string, string> {
  if (database === null) return {};
  const { url, daemonUrl } = database;
  return daemonUrl === undefined
    ? { DATABASE_URL: url }
    : { DATABASE_URL: daemonUrl, DATABASE_OWNER_URL: url };
}

interface DemoDatabase {
  readonly url: string;
  /** For a role that owns nothing in it; without it the daemon connects as the owner. */
  readonly daemonUrl?: string;
  drop(): Promise<void>;
}

interface DemoParts {
  readonly home: string;
  readonly built: string;
  readonly simulator: Simulator;
  readonly model: ModelServer;
  readonly database: DemoDatabase | null;
  readonly options: DemoOptions;
}

/** Imported only here: torture and bench run without vitest. */
async function builtForTests(): Promise<string> {
  const { inject } = await import('vitest');
  return builtIn(inject('builds'));
}

export class Demo {
  readonly home: string;
  readonly simulator: Simulator;
  readonly model: ModelServer;
  /** The simulated people. */
  readonly phones: Phones;
  /** Relay. */
  readonly relay: Gateway;
  readonly #built: string;
  readonly #database: DemoDatabase | null;
  readonly #options: DemoOptions;
  #daemon: DaemonProcess | null = null;
  #port = 0;

  constructor({ home, built, simulator, model, database, options }: DemoParts) {
    this.home = home;
    this.simulator = simulator;
    this.model = model;
    this.phones = new Phones(simulator.url);
    this.relay = new Gateway(() => ({ port: this.#port, token: this.token }));
    this.#built = built;
    this.#database = database;
    this.#options = options;
  }

  /** Stays the same over restarts. */
  get api(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get token(): string {
    return readFileSync(join(this.home, 'token'), 'utf8').trim();
  }

  /** The URL of its database. */
  async database(): Promise<string> {
    if (this.#database !== null) return this.#database.url;
    const directory = join(this.home, 'postgres');
    const password = (await readOwnerPassword(directory)) ?? '';
    const address = socketAddress(join(directory, 'data'));
    return connectionUrl({ ...address, user: OWNER_ROLE, password, database: OWNER_ROLE });
  }

  /** Null from `kill` or `rest` to the next `restart`, and after one that failed. */
  get daemon(): DaemonProcess | null {
    return this.#daemon;
  }

  get pid(): number {
    return this.#daemon?.child.pid ?? 0;
  }

  /** Kills only the daemon, like a power cut: nothing is flushed. */
  async kill(): Promise<void> {
    await this.#daemon?.end('SIGKILL');
    this.#daemon = null;
  }

  /** Stops only the daemon. */
  async rest(): Promise<void> {
    await this.#daemon?.end('SIGTERM');
    this.#daemon = null;
  }

  /** Starts a daemon for the same home if none runs; the network and the model kept running. */
  async restart(environment: Readonly<Record<string, string>> = {}): Promise<void> {
    const { preloads = [] } = this.#options;
    this.#daemon = null;
    if (this.#port === 0) this.#port = await freePort();
    const simulated = ['preload', 'leash'].map(
      (name) => pathToFileURL(join(this.#built, `simulator/${name}.js`)).href,
    );
    this.#daemon = await startDaemonProcess({
      home: this.home,
      port: this.#port,
      program: join(this.#built, 'daemon/main.js'),
      preloads: [...simulated, ...preloads],
      environment: {
        ...databaseIn(this.#database),
        HOME: this.home,
        RELAY_KEY_FILE: `${this.home}.key`,
        RELAY_SIMULATOR_URL: this.simulator.socketUrl,
        NODE_COMPILE_CACHE: compiledOf(this.#built),
        ...this.#options.environment,
        ...environment,
      },
    });
    this.#port = this.#daemon.port;
  }

  /** Links Relay with a phone of the network: shows the code and scans it. */
  async link(phone: string): Promise<void> {
    await this.relay.connect();
    const { linked } = await this.phones.scan(phone, await this.relay.qr());
    if (!linked) throw new Error(`${phone} was not linked`);
    await this.relay.connected();
  }

  async stop(): Promise<void> {
    // A killed daemon leaves its private PostgreSQL running. The next daemon adopts it and stops it.
    if (this.#daemon === null && this.#database === null && this.#port !== 0) await this.restart();
    await this.#daemon?.end('SIGTERM');
    await Promise.all([this.simulator.close(), this.model.close()]);
    const left = await untilGone(this.home);
    for (const line of left) process.kill(Number.parseInt(line, 10), 'SIGKILL');
    await this.#database?.drop();
    await removeFolder(dirname(this.home));
    if (left.length > 0) throw new Error(`still ran: ${left.join(', ')}`);
  }
}
