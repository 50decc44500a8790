// One worker with many linked accounts on the simulated network, against bare Baileys with as many sockets in one
// process, in the same run: memory, processor time, the event loop, lost messages, and a reconnect of all at once.
// Everything is on loopback and ends by itself. `npm run build` first: the worker is the built daemon.
//   npm run bench -- fleet --accounts 100 --seconds 60
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { DAEMON_NODE_FLAGS } from '@relay/core/installation';
import { silentLog } from '@relay/core/log';
import { openDatabase, type SharedDatabase } from '@relay/daemon/platform/db/database';
import { connectionUrl } from '@relay/daemon/platform/db/postgres/settings';
import { prepareSchema } from '@relay/daemon/schema';
import { freePort } from '@relay/testing/free-port';
import { removeFolder } from '@relay/testing/remove-folder';
import { type Limit, loadFigure } from './figures.ts';
import type { LinkBareMethods } from './fleet/link-bare.ts';
import type { ProbeMethods } from './fleet/probe.ts';
import { type BenchServer, benchServer } from './harness.ts';
import { watchHost } from './host.ts';
import type { ArmMethods } from './wire/arm.ts';
import type { NetworkMethods } from './wire/network.ts';
import { Worker } from './worker.ts';

export interface FleetOptions {
  readonly accounts: number;
  readonly seconds: number;
  /** Where to write heap snapshots of both processes. */
  readonly snapshots?: string | undefined;
  /** Where to write a processor profile of the worker with all accounts. */
  readonly profiles?: string | undefined;
}

const MESSAGES_A_SECOND = 5;
const CONTACTS = 40;
const BASE_ACCOUNTS = 1;
const BASE_MESSAGES = 100;
const MOST_ACCOUNTS = 2_000;
const AT_ONCE = 8;
const SETTLE_MS = 15_000;
/** What a start leaves to do, such as the first look of every loop. */
const IDLE_AFTER_MS = 100_000;
const PATIENCE_MS = 20_000;
const PATIENCE_FOR_AN_ACCOUNT_MS = 1_000;
const MB = 1024 * 1024;
const BUILT = resolve(import.meta.dirname, '../dist');

type Network = Worker<NetworkMethods>;
type Probe = Worker<ProbeMethods>;

interface Arm {
  readonly phones: readonly string[];
  start(accounts: number): Promise<Probe>;
}

interface Usage {
  readonly memory: number;
  readonly heap: number;
  readonly idleCpu: number;
  readonly trafficCpu: number;
  readonly p99Ms: number;
  readonly longestMs: number;
}

export async function benchFleet({ accounts, seconds, snapshots, profiles }: FleetOptions) {
  if (!(accounts >= 2 && accounts <= MOST_ACCOUNTS)) throw new Error('--accounts: 2 to 2000');
  if (!existsSync(join(BUILT, 'daemon/main.js'))) throw new Error('Run `npm run build` first.');
  const host = watchHost();
  const server = await benchServer();
  const work = await mkdtemp(join(tmpdir(), 'relay-fleet-'));
  const network: Network = new Worker(new URL('./wire/network.ts', import.meta.url));
  try {
    const shared = openDatabase(server.daemon, { max: 2, owner: server.target });
    await prepareSchema(shared, server.target, silentLog);
    await shared.close();
    const database = openDatabase(server.target, { max: 2 });
    const bench = new Fleet({ network, server, database, work, accounts, seconds, profiles });
    const contacts = await bench.addPeople('49152', CONTACTS);
    const relay = await bench.linkRelay(await bench.addPeople('49153', accounts));
    const bare = await bench.linkBare(await bench.addPeople('49154', accounts));

    const bareBase = await bench.measureBase(bare, contacts);
    const relayBase = await bench.measureBase(relay, contacts);
    const without = await bench.measure(bare, contacts, { snapshots, name: 'bare' });
    await without.stop();
    const withRelay = await bench.measure(relay, contacts, { snapshots, name: 'relay' });
    const stored = await bench.countStored();
    const storm = await bench.storm(relay, withRelay.probe);
    await withRelay.stop();
    const { undecryptable } = await network.call('counts');
    await database.close();

    const perAccount = (usage: Usage, base: number) =>
      (usage.memory - base) / (accounts - BASE_ACCOUNTS) / MB;
    const [mine, theirs] = [withRelay.usage, without.usage];
    return [
      { name: 'accounts', measured: accounts, unit: '' },
      { name: 'Relay: memory with 1 account', measured: relayBase / MB, unit: 'MB' },
      { name: 'Relay: memory with all', measured: mine.memory / MB, unit: 'MB' },
      { name: 'Relay: JavaScript heap with all', measured: mine.heap / MB, unit: 'MB' },
      {
        name: 'Relay: memory of a further account',
        measured: perAccount(mine, relayBase),
        unit: 'MB',
        atMost: 3,
      },
      { name: 'bare: memory with 1 account', measured: bareBase / MB, unit: 'MB' },
      { name: 'bare: memory with all', measured: theirs.memory / MB, unit: 'MB' },
      { name: 'bare: JavaScript heap with all', measured: theirs.heap / MB, unit: 'MB' },
      {
        name: 'bare: memory of a further account',
        measured: perAccount(theirs, bareBase),
        unit: 'MB',
      },
      {
        name: 'memory with all, Relay ÷ bare',
        measured: mine.memory / theirs.memory,
        unit: '×',
        atMost: 1.3,
      },
      {
        name: 'memory of a further account, Relay ÷ bare',
        measured: perAccount(mine, relayBase) / perAccount(theirs, bareBase),
        unit: '×',
      },
      {
        name: 'Relay: processor time without traffic, % of a core',
        measured: mine.idleCpu * 100,
        unit: '',
        atMost: 2,
      },
      {
        name: 'bare: processor time without traffic, % of a core',
        measured: theirs.idleCpu * 100,
        unit: '',
      },
      {
        name: 'Relay: transactions without traffic',
        measured: withRelay.idleTransactions,
        unit: '/s',
        atMost: 5,
      },
      {
        name: `Relay: processor time at ${MESSAGES_A_SECOND} messages/s, % of a core`,
        measured: mine.trafficCpu * 100,
        unit: '',
      },
      {
        name: `bare: processor time at ${MESSAGES_A_SECOND} messages/s, % of a core`,
        measured: theirs.trafficCpu * 100,
        unit: '',
      },
      {
        name: 'processor time with traffic, Relay ÷ bare',
        measured: mine.trafficCpu / theirs.trafficCpu,
        unit: '×',
        atMost: 1.3,
      },
      { name: 'Relay: event loop delay, p99', measured: mine.p99Ms, unit: 'ms', atMost: 50 },
      { name: 'Relay: event loop delay, longest', measured: mine.longestMs, unit: 'ms' },
      { name: 'bare: event loop delay, p99', measured: theirs.p99Ms, unit: 'ms' },
      { name: 'messages sent to Relay', measured: withRelay.sent, unit: '' },
      { name: 'messages lost', measured: withRelay.sent - stored, unit: '', atMost: 0 },
      { name: 'messages that nobody could decrypt', measured: undecryptable, unit: '', atMost: 0 },
      ...storm,
      ...host.end(),
      loadFigure(),
    ] satisfies readonly Limit[];
  } finally {
    await network.end();
    await server.close();
    await removeFolder(work);
  }
}

interface FleetParts {
  readonly network: Network;
  readonly server: BenchServer;
  readonly database: SharedDatabase;
  readonly work: string;
  readonly accounts: number;
  readonly seconds: number;
  readonly profiles: string | undefined;
}

class Fleet {
  readonly #parts: FleetParts;
  readonly #secret = randomBytes(32).toString('hex');
  #runs = 0;
  #home = '';

  constructor(parts: FleetParts) {
    this.#parts = parts;
  }

  async addPeople(prefix: string, count: number): Promise<string[]> {
    const phones = Array.from(
      { length: count },
      (_, n) => `${prefix}${String(n).padStart(7, '0')}`,
    );
    await this.#parts.network.call('addPeople', { phones });
    return phones;
  }

  /** Through the real pairing, into the store that the worker opens afterwards. */
  async linkRelay(phones: readonly string[]): Promise<Arm> {
    const { server, database } = this.#parts;
    const linking = new Worker<ArmMethods>(new URL('./wire/arm.ts', import.meta.url), {
      args: ['relay'],
    });
    await linking.call('use', { database: server.target, secret: this.#secret });
    await this.#link(phones, (url) => linking.call('begin', { url }));
    await linking.end();
    const { rows } = await database.pool.query<{ id: number }>(
      'SELECT id FROM accounts ORDER BY id',
    );
    const ids = rows.map(({ id }) => id);
    return { phones, start: (accounts) => this.#startRelay(ids, accounts) };
  }

  async linkBare(phones: readonly string[]): Promise<Arm> {
    const linking = new Worker<LinkBareMethods>(new URL('./fleet/link-bare.ts', import.meta.url));
    await this.#link(phones, (url) => linking.call('begin', { url }));
    const sessions = await linking.call('sessions');
    await linking.end();
    return {
      phones,
      start: async (accounts) => {
        const file = join(this.#parts.work, 'sessions.json');
        await writeFile(file, JSON.stringify(sessions.slice(0, accounts)));
        const url = await this.#parts.network.call('url');
        return new Worker<ProbeMethods>(new URL('./fleet/bare.ts', import.meta.url), {
          args: [url, file],
          execArgv: ['--expose-gc', `--import=${PROBE}`],
        });
      },
    };
  }

  async #link(phones: readonly string[], begin: (url: string) => Promise<string>): Promise<void> {
    const { network } = this.#parts;
    const url = await network.call('url');
    const waiting = [...phones];
    const began = performance.now();
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let phone = waiting.shift(); phone !== undefined; phone = waiting.shift())
          await network.call('scan', { phone, qr: await begin(url) });
      }),
    );
    // The first sync and the keys that are uploaded after the first login.
    await this.#untilOnline(phones);
    await sleep(2_000);
    await this.#untilOnline(phones);
    console.log(`linked ${phones.length} accounts in ${seconds(performance.now() - began)} s`);
  }

  /** The built daemon in a home of its own, with the first of the accounts; the others belong to another database row. */
  async #startRelay(ids: readonly number[], accounts: number): Promise<Probe> {
    const { server, database, network, work, profiles } = this.#parts;
    const home = join(work, `home-${this.#runs++}`);
    this.#home = home;
    await mkdir(home, { mode: 0o700 });
    await writeFile(join(home, 'relay.config.json'), '{}', { mode: 0o600 });
    await database.pool.query('DELETE FROM account_leases');
    // The base is measured first: accounts that are not to be opened yet have a lease of somebody else.
    await database.pool.query(
      `INSERT INTO account_leases (account_id, holder, epoch, until)
       SELECT id, gen_random_uuid(), 1, now() + interval '1 hour' FROM accounts WHERE id <> ALL ($1::bigint[])`,
      [ids.slice(0, accounts)],
    );
    const preload = pathToFileURL(join(BUILT, 'simulator/preload.js'));
    return new Worker<ProbeMethods>(pathToFileURL(join(BUILT, 'daemon/main.js')), {
      execArgv: [
        ...DAEMON_NODE_FLAGS,
        '--expose-gc',
        `--import=${preload}`,
        `--import=${PROBE}`,
        ...(profiles === undefined || accounts === BASE_ACCOUNTS
          ? []
          : ['--cpu-prof', `--cpu-prof-dir=${profiles}`]),
      ],
      env: {
        PATH: process.env.PATH,
        HOME: home,
        MALLOC_ARENA_MAX: process.env.MALLOC_ARENA_MAX,
        RELAY_HOME: home,
        RELAY_PORT: String(await freePort()),
        RELAY_KEY: this.#secret,
        DATABASE_URL: connectionUrl(server.daemon),
        DATABASE_OWNER_URL: connectionUrl(server.target),
        RELAY_SIMULATOR_URL: await network.call('url'),
      },
    });
  }

  async measureBase(arm: Arm, contacts: readonly string[]): Promise<number> {
    const probe = await arm.start(BASE_ACCOUNTS);
    await this.#untilOnline(arm.phones, BASE_ACCOUNTS);
    // What runs only with messages is loaded and compiled, as in the process with all accounts.
    const { network } = this.#parts;
    const texts = Array.from({ length: BASE_MESSAGES }, (_, n) => `base message ${n}`);
    const [online = ''] = await network.call('online', { phones: [...arm.phones] });
    const perSecond = 2 * MESSAGES_A_SECOND;
    await network.call('say', { from: [...contacts], to: [online], texts, perSecond });
    await sleep(SETTLE_MS);
    const { rss } = await probe.call('memory');
    await this.#stop(probe);
    return rss;
  }

  async measure(
    arm: Arm,
    contacts: readonly string[],
    more: { snapshots?: string | undefined; name: string },
  ) {
    const { network, seconds: length } = this.#parts;
    const began = performance.now();
    const probe = await arm.start(arm.phones.length);
    await this.#untilOnline(arm.phones);
    console.log(`${more.name}: all online after ${seconds(performance.now() - began)} s`);
    await sleep(IDLE_AFTER_MS);
    const idle = await this.#during(probe, () => sleep(length * 1_000));
    const texts = Array.from(
      { length: length * MESSAGES_A_SECOND },
      (_, n) => `${more.name} message ${n}`,
    );
    await probe.call('reset');
    const to = [...arm.phones];
    const traffic = await this.#during(probe, async () => {
      await network.call('say', { from: [...contacts], to, texts, perSecond: MESSAGES_A_SECOND });
      await this.#until(
        async () => (await network.call('companions', { phones: to })).pending === 0,
      );
    });
    const { p99Ms, longestMs } = await probe.call('loop');
    const { rss, heapUsed } = await probe.call('memory');
    if (more.snapshots !== undefined) {
      await probe.call('snapshot', { file: join(more.snapshots, `${more.name}.heapsnapshot`) });
    }
    const usage: Usage = {
      memory: rss,
      heap: heapUsed,
      idleCpu: idle.cpu,
      trafficCpu: traffic.cpu,
      p99Ms,
      longestMs,
    };
    const stop = () => this.#stop(probe);
    return { probe, usage, sent: texts.length, idleTransactions: idle.transactions, stop };
  }

  /** Messages with the texts that were sent, each counted once, as soon as all could be there. */
  async countStored(): Promise<number> {
    const { database } = this.#parts;
    await sleep(3_000);
    const { rows } = await database.pool.query<{ count: number }>(
      "SELECT count(DISTINCT body) AS count FROM messages WHERE body LIKE 'relay message %'",
    );
    return rows[0]?.count ?? 0;
  }

  /** Cuts all connections at once, and watches until all are back. */
  async storm(arm: Arm, probe: Probe): Promise<readonly Limit[]> {
    const { network } = this.#parts;
    const phones = [...arm.phones];
    await probe.call('reset');
    const since = await network.call('now');
    await network.call('cut', { phones });
    const began = performance.now();
    await sleep(1_000);
    await this.#untilOnline(phones);
    const tookS = (performance.now() - began) / 1_000;
    await sleep(10_000);
    const { busiest, p99Ms } = await probe.call('loop');
    const { online } = await network.call('companions', { phones });
    const times = (await network.call('logins', { since })).map((ms) => Math.floor(ms / 1_000));
    const inOneSecond = Math.max(
      0,
      ...new Map(times.map((s) => [s, times.filter((t) => t === s).length])).values(),
    );
    return [
      {
        name: 'storm: accounts that came back',
        measured: online,
        unit: '',
        atLeast: phones.length,
      },
      { name: 'storm: until all were connected', measured: tookS, unit: 's' },
      { name: 'storm: most logins in one second', measured: inOneSecond, unit: '' },
      {
        name: 'storm: event loop use of the busiest 10 s, %',
        measured: busiest * 100,
        unit: '',
        atMost: 80,
      },
      { name: 'storm: event loop delay, p99', measured: p99Ms, unit: 'ms' },
    ];
  }

  /** The share of a core that the process used, and the database's transactions each second. */
  async #during(probe: Probe, work: () => Promise<unknown>) {
    const before = { cpu: await probe.call('cpuMs'), transactions: await this.#transactions() };
    const began = performance.now();
    await work();
    const ms = performance.now() - began;
    return {
      cpu: ((await probe.call('cpuMs')) - before.cpu) / ms,
      transactions: ((await this.#transactions()) - before.transactions) / (ms / 1_000),
    };
  }

  async #transactions(): Promise<number> {
    const { rows } = await this.#parts.database.pool.query<{ count: number }>(
      'SELECT xact_commit + xact_rollback AS count FROM pg_stat_database WHERE datname = current_database()',
    );
    return rows[0]?.count ?? 0;
  }

  #untilOnline(phones: readonly string[], count = phones.length): Promise<void> {
    const { network } = this.#parts;
    return this.#until(async () => {
      const { online, pending } = await network.call('companions', { phones: [...phones] });
      return online === count && pending === 0;
    });
  }

  async #until(holds: () => Promise<boolean>): Promise<void> {
    const { accounts } = this.#parts;
    const end = performance.now() + PATIENCE_MS + accounts * PATIENCE_FOR_AN_ACCOUNT_MS;
    while (!(await holds())) {
      if (performance.now() > end) {
        console.error(await readFile(join(this.#home, 'relay.log'), 'utf8').catch(() => ''));
        throw new Error('the accounts did not come online in time');
      }
      await sleep(200);
    }
  }

  async #stop(probe: Probe): Promise<void> {
    process.kill(probe.pid, 'SIGTERM');
    await probe.ended();
  }
}

const PROBE = new URL('./fleet/probe.ts', import.meta.url).href;
const seconds = (ms: number): string => (ms / 1_000).toFixed(1);
