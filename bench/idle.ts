// What a daemon costs that has nothing to do: statements a second and processor time, for one linked account, and with
// hundreds of other accounts beside it.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLog } from '@relay/core/log';
import { openDatabase } from '@relay/daemon/platform/db/database';
import { startPrivateServer } from '@relay/daemon/platform/db/postgres/server';
import { type Simulator, startSimulator } from '@relay/simulator/simulator';
import { type DaemonProcess, startDaemonProcess } from '@relay/testing/daemon-process';
import { removeFolder } from '@relay/testing/remove-folder';
import { type Limit, loadFigure } from './figures.ts';
import { link, openHome } from './follow-ups.ts';

const PRELOADS = [
  import.meta.resolve('./idle/count-statements.ts'),
  ...['whatsapp/demo-preload', 'leash-preload'].map((name) =>
    import.meta.resolve(`@relay/simulator/${name}`),
  ),
];
/** What a start leaves to do, such as the first look of every loop. */
const SETTLE_MS = 100_000;
/** Clock ticks in a second, as the kernel counts processor time. */
const TICKS = 100;
const MOST_SHOWN = 12;

export async function benchIdle(accounts: number, seconds: number): Promise<readonly Limit[]> {
  const home = await mkdtemp(join(tmpdir(), 'relay-idle-'));
  const simulator = await startSimulator();
  try {
    const alone = await measure(home, simulator, seconds);
    const one: Limit[] = [
      { name: 'statements a second, 1 account', measured: alone.statements, unit: '/s' },
      { name: 'daemon, 1 account, of a core', measured: alone.daemon, unit: '%', atMost: 0.3 },
      { name: 'PostgreSQL, 1 account, of a core', measured: alone.postgres, unit: '%' },
    ];
    if (accounts === 1) return [...one, loadFigure()];
    await addAccounts(home, accounts - 1);
    const many = await measure(home, simulator, seconds);
    return [
      ...one,
      {
        name: `statements a second, ${accounts} accounts`,
        measured: many.statements,
        unit: '/s',
        atMost: 5,
      },
      {
        name: `daemon, ${accounts} accounts, of a core`,
        measured: many.daemon,
        unit: '%',
        atMost: 2,
      },
      { name: `PostgreSQL, ${accounts} accounts, of a core`, measured: many.postgres, unit: '%' },
      loadFigure(),
    ];
  } finally {
    await simulator.close();
    await removeFolder(home);
    await rm(`${home}.key`, { force: true });
  }
}

interface IdleCost {
  /** In a second. */
  readonly statements: number;
  /** Of one core, in percent. */
  readonly daemon: number;
  readonly postgres: number;
}

async function measure(home: string, simulator: Simulator, seconds: number): Promise<IdleCost> {
  const file = `${home}.statements`;
  const daemon = await startDaemonProcess({
    home,
    preloads: PRELOADS,
    environment: { RELAY_SIMULATOR_URL: simulator.socketUrl, COUNT_STATEMENTS: file },
  });
  try {
    await linkOnce(daemon, home, simulator);
    await sleep(SETTLE_MS);
    const before = await take(daemon, home, file);
    await sleep(seconds * 1_000);
    const after = await take(daemon, home, file);
    const took = (after.at - before.at) / 1_000;
    const counts = [...after.counts].map(([text, count]) => {
      return { text, count: count - (before.counts.get(text) ?? 0) };
    });
    for (const { text, count } of counts.sort((a, b) => b.count - a.count).slice(0, MOST_SHOWN))
      if (count > 0) console.log(`${(count / took).toFixed(2)}/s  ${text}`);
    const share = (one: number, other: number) => ((other - one) / TICKS / took) * 100;
    return {
      statements: counts.reduce((sum, { count }) => sum + count, 0) / took,
      daemon: share(before.daemon, after.daemon),
      postgres: share(before.postgres, after.postgres),
    };
  } finally {
    await daemon.end('SIGTERM');
    rmSync(file, { force: true });
  }
}

async function linkOnce(daemon: DaemonProcess, home: string, simulator: Simulator): Promise<void> {
  const { body } = await daemon.call('GET', '/api/status');
  if (JSON.stringify(body).includes('"state":"connected"')) return;
  const database = await openHome(home);
  try {
    await link(daemon, home, simulator, database).catch((error: unknown) => {
      console.log(`not linked: ${error}`);
    });
  } finally {
    await database.close();
  }
}

interface Taken {
  readonly at: number;
  readonly counts: ReadonlyMap<string, number>;
  readonly daemon: number;
  readonly postgres: number;
}

async function take({ child }: DaemonProcess, home: string, file: string): Promise<Taken> {
  const { pid = 0 } = child;
  rmSync(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  while (!existsSync(file)) await sleep(10);
  const counts = new Map(Object.entries(JSON.parse(readFileSync(file, 'utf8')) as object));
  const postmaster = Number(
    readFileSync(join(home, 'postgres', 'data', 'postmaster.pid'), 'utf8').split('\n')[0],
  );
  return {
    at: performance.now(),
    counts: counts as Map<string, number>,
    daemon: ticks(pid),
    postgres: ticks(postmaster) + childrenOf(postmaster).reduce((sum, one) => sum + ticks(one), 0),
  };
}

const fields = (pid: number): string[] => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
};
const ticks = (pid: number): number => Number(fields(pid)[11] ?? 0) + Number(fields(pid)[12] ?? 0);

const childrenOf = (parent: number): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && Number(fields(pid)[1]) === parent);

/** Accounts without a linked phone: this process serves them all the same. */
async function addAccounts(home: string, count: number): Promise<void> {
  const server = await startPrivateServer({ directory: join(home, 'postgres'), log: silentLog });
  const database = openDatabase(server.owner, { max: 1 });
  await database.pool.query(
    "INSERT INTO accounts (name, label) SELECT 'idle-' || n, 'idle' FROM generate_series(1, $1::int) n",
    [count],
  );
  await database.close();
  await server.stop();
}
