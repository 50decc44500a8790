// What `relay demo` starts, taken apart so that a test can kill one piece: the simulated network and the
// model live in the test's process, the daemon that ships in its own. It is reached over HTTP alone.
// Invariant: after `stop` no process and no file of it is left, and no daemon outlives the test.
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROLE, readPassword } from '@relay/daemon/store/postgres/cluster';
import { connectionUrl, socketAddress } from '@relay/daemon/store/postgres/settings';
import { type ModelServer, startModelServer } from '@relay/simulator/model/server';
import { type Simulator, startSimulator } from '@relay/simulator/simulator';
import { type DaemonProcess, startDaemonProcess } from '../daemon-process.ts';
import { builtIn, compiledOf } from './built.ts';
import { Gateway } from './gateway.ts';
import { Phones } from './phones.ts';
import { untilGone } from './traces.ts';

export interface DemoOptions {
  /** The folder of a built package; the one of this run of tests unless given. */
  readonly built?: string;
  /** A private server in the home unless given. */
  readonly databaseUrl?: string;
  /** Further modules to load ahead of the daemon. */
  readonly preloads?: readonly string[];
  /** The folder that the home is made in; that for temporary files unless given. */
  readonly under?: string;
  /** Its relay.config.json, beside the scripted model unless another is named. */
  readonly settings?: object;
  /** What its daemons are started with besides. */
  readonly environment?: Readonly<Record<string, string>>;
}

export async function startDemo(options: DemoOptions = {}): Promise<Demo> {
  const built = options.built ?? (await builtForTests());
  const home = join(await mkdtemp(join(options.under ?? tmpdir(), 'relay demo ')), 'home');
  await mkdir(home, { mode: 0o700 });
  const model = await startModelServer();
  const settings = { ...scripted(model), ...options.settings };
  await writeFile(join(home, 'relay.config.json'), JSON.stringify(settings), { mode: 0o600 });
  const demo = new Demo(home, built, await startSimulator(), model, options);
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
});

/** Loaded only here: the torture runs without vitest. */
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
  readonly #options: DemoOptions;
  #daemon: DaemonProcess | null = null;
  #port = 0;

  constructor(
    home: string,
    built: string,
    simulator: Simulator,
    model: ModelServer,
    options: DemoOptions,
  ) {
    this.home = home;
    this.simulator = simulator;
    this.model = model;
    this.phones = new Phones(simulator.url);
    this.relay = new Gateway(() => ({ port: this.#port, token: this.token }));
    this.#built = built;
    this.#options = options;
  }

  /** Stays the same over restarts. */
  get api(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get token(): string {
    return readFileSync(join(this.home, 'token'), 'utf8').trim();
  }

  /** Where its database is: beside it, or in its home. */
  async database(): Promise<string> {
    if (this.#options.databaseUrl !== undefined) return this.#options.databaseUrl;
    const directory = join(this.home, 'postgres');
    const password = (await readPassword(directory)) ?? '';
    const address = socketAddress(join(directory, 'data'));
    return connectionUrl({ ...address, user: ROLE, password, database: ROLE });
  }

  /** Null from `kill` or `rest` to the next `restart`, and after one that failed. */
  get daemon(): DaemonProcess | null {
    return this.#daemon;
  }

  get pid(): number {
    return this.#daemon?.child.pid ?? 0;
  }

  /** As a power cut would: the daemon alone, nothing is flushed. */
  async kill(): Promise<void> {
    await this.#daemon?.end('SIGKILL');
    this.#daemon = null;
  }

  /** Asks the daemon alone to stop. */
  async rest(): Promise<void> {
    await this.#daemon?.end('SIGTERM');
    this.#daemon = null;
  }

  /** A daemon for the same home, where none runs; the network and the model have stayed. */
  async restart(environment: Readonly<Record<string, string>> = {}): Promise<void> {
    const { databaseUrl, preloads = [] } = this.#options;
    this.#daemon = null;
    const simulated = ['preload', 'leash'].map(
      (name) => pathToFileURL(join(this.#built, `simulator/${name}.js`)).href,
    );
    this.#daemon = await startDaemonProcess({
      home: this.home,
      port: this.#port,
      program: join(this.#built, 'daemon/main.js'),
      preloads: [...simulated, ...preloads],
      ...(databaseUrl === undefined ? {} : { databaseUrl }),
      environment: {
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

  /** Links Relay with a phone that is on the network: shows the code, lets the camera read it. */
  async link(phone: string): Promise<void> {
    await this.relay.connect();
    const { linked } = await this.phones.scan(phone, await this.relay.qr());
    if (!linked) throw new Error(`${phone} was not linked`);
    await this.relay.connected();
  }

  async stop(): Promise<void> {
    // One that was killed leaves its PostgreSQL to its successor, which knows how to stop it.
    if (this.#daemon === null && this.#options.databaseUrl === undefined && this.#port !== 0)
      await this.restart();
    await this.#daemon?.end('SIGTERM');
    await Promise.all([this.simulator.close(), this.model.close()]);
    const left = await untilGone(this.home);
    for (const line of left) process.kill(Number.parseInt(line, 10), 'SIGKILL');
    await rm(dirname(this.home), { recursive: true, force: true });
    if (left.length > 0) throw new Error(`still ran: ${left.join(', ')}`);
  }
}
