// The fixture of the silence torture: a daemon that can be killed, the simulated network and a model in this process,
// and one clock for all of them. Invariant: after `close` no process and no file of it is left.
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type ModelServer, startModelServer } from '@relay/simulator/model/server';
import { type Simulator, startSimulator } from '@relay/simulator/simulator';
import type { SimulatedAccount } from '@relay/simulator/whatsapp/people/account';
import { type DaemonProcess, startDaemonProcess } from '@relay/testing/daemon-process';
import { Gateway } from '@relay/testing/e2e/gateway';
import { Phones } from '@relay/testing/e2e/phones';
import { removeFolder } from '@relay/testing/remove-folder';
import { closeIfFailed } from '@relay/testing/then-close';
import pg from 'pg';
import { OWNER } from '../harness.ts';
import { openDatabase, type TortureDatabase } from '../resources.ts';
import { SharedClock } from './clock.ts';

const PROGRAM = fileURLToPath(new URL('./daemon.ts', import.meta.url));
const PRELOADS = ['whatsapp/demo-preload', 'leash-preload'].map((name) =>
  import.meta.resolve(`@relay/simulator/${name}`),
);
const PATIENCE_MS = 180_000;
const CONNECTED_MS = 90_000;

const SETTINGS = {
  model_provider: 'openai-compatible',
  model_name: 'scripted',
  pacing: { enabled: false },
  delivery: { answer_within_ms: 1_000, grace_ms: 300 },
  agent: { tokens_per_day: 10 ** 12 },
};

interface HarnessOptions {
  readonly settings?: object;
  /** The folder of a built console to serve. */
  readonly console?: string | null;
}

export class SilenceHarness {
  readonly simulator: Simulator;
  readonly model: ModelServer;
  readonly owner: SimulatedAccount;
  readonly clock: SharedClock;
  readonly relay: Gateway;
  kills = 0;
  readonly #database: TortureDatabase;
  readonly #pool: pg.Pool;
  readonly #work: string;
  #daemon: DaemonProcess | null = null;
  #console: string | null = null;
  #port = 0;

  private constructor(
    work: string,
    clock: SharedClock,
    simulator: Simulator,
    model: ModelServer,
    database: TortureDatabase,
  ) {
    this.#work = work;
    this.clock = clock;
    this.simulator = simulator;
    this.model = model;
    this.#database = database;
    this.#pool = new pg.Pool({ connectionString: database.url, max: 2 });
    this.owner = simulator.network.addAccount({ phone: OWNER, name: 'Owner' });
    this.relay = new Gateway(() => ({
      port: this.#port,
      token: readFileSync(join(this.#home, 'token'), 'utf8').trim(),
    }));
  }

  static async open(
    begin: Date,
    observer: object,
    { settings: more = {}, console: folder = null }: HarnessOptions = {},
  ): Promise<SilenceHarness> {
    const work = await mkdtemp(join(tmpdir(), 'relay silence '));
    const clock = new SharedClock(join(work, 'clock'), begin);
    const simulator = await startSimulator({ now: clock.now });
    const model = await startModelServer();
    const stage = new SilenceHarness(work, clock, simulator, model, await openDatabase());
    stage.#console = folder;
    return closeIfFailed(stage, async () => {
      await mkdir(stage.#home, { mode: 0o700 });
      const settings = { ...SETTINGS, ...more, observer, model_base_url: `${model.url}/v1` };
      await writeFile(join(stage.#home, 'relay.config.json'), JSON.stringify(settings), {
        mode: 0o600,
      });
      await stage.restart();
      await stage.relay.connect();
      await new Phones(simulator.url).scan(OWNER, await stage.relay.qr());
      await stage.relay.connected(CONNECTED_MS);
      return stage;
    });
  }

  /** The address of its console. */
  get api(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get #home(): string {
    return join(this.#work, 'home');
  }

  /** Kills the daemon like a power cut, and restarts it. */
  async kill(): Promise<void> {
    this.kills += 1;
    await this.#daemon?.end('SIGKILL');
    await this.restart();
  }

  async restart(): Promise<void> {
    this.#daemon = await startDaemonProcess({
      home: this.#home,
      port: this.#port,
      program: PROGRAM,
      preloads: PRELOADS,
      databaseUrl: this.#database.url,
      environment: {
        HOME: this.#home,
        RELAY_SIMULATOR_URL: this.simulator.socketUrl,
        RELAY_TORTURE_CLOCK: this.clock.file,
        NODE_COMPILE_CACHE: join(this.#work, 'cache'),
        ...(this.#console === null ? {} : { RELAY_TORTURE_CONSOLE: this.#console }),
      },
    });
    this.#port = this.#daemon.port;
  }

  /** Waits until it is connected and idle. */
  async rest(): Promise<void> {
    await this.relay.connected(CONNECTED_MS);
    await this.quiet();
  }

  /** Nothing is pending: neither at the server, nor in Relay as far as it could reach the group. */
  async quiet(): Promise<void> {
    const until = performance.now() + PATIENCE_MS;
    for (let still = 0; still < 2; ) {
      if (performance.now() > until)
        throw new Error(`Relay does not come to rest: ${await this.#busy()}`);
      const [companion] = this.owner.companions.values();
      const waiting = companion === undefined ? 0 : companion.pending.length;
      still = waiting === 0 && (await this.#busy()) === '' ? still + 1 : 0;
      await sleep(still === 0 ? 50 : 10);
    }
  }

  async #busy(): Promise<string> {
    const { rows } = await this.#pool.query<{ what: string }>(
      `SELECT 'inbox' AS what WHERE EXISTS (SELECT FROM relay.inbox WHERE done_at IS NULL)
       UNION ALL SELECT 'outbox' WHERE EXISTS (SELECT FROM relay.outbox WHERE state IN ('pending', 'sending', 'unknown'))
       UNION ALL SELECT DISTINCT name FROM relay_jobs.job
         WHERE state < 'completed' AND name IN ('route', 'trigger', 'group_answer', 'auto_reply', 'assistant')`,
    );
    return rows.map(({ what }) => what).join(', ');
  }

  async query<Row extends object>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.#pool.query<Row>(sql, [...values])).rows;
  }

  async close(): Promise<void> {
    await this.#daemon?.end('SIGTERM');
    await this.simulator.close();
    await this.model.close();
    await this.#pool.end();
    await this.#database.close();
    this.clock.close();
    await removeFolder(this.#work);
  }
}
