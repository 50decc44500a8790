// The non-functional requirements of seed 003 in figures: start, send with pacing off and as shipped, command response
// times among a thousand conversations, and ten conversations at once against one.
import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type PacingSettings, pacingSchema } from '@relay/contract/settings';
import { openDatabase } from '@relay/daemon/platform/db/database';
import { connectionUrl } from '@relay/daemon/platform/db/postgres/settings';
import type { SimulatedAccount } from '@relay/simulator/whatsapp/people/account';
import { openDialogues } from '@relay/testing/dialogue/concurrent-dialogues';
import { arrival } from '@relay/testing/e2e/arrival';
import { builtIn, openBuilds } from '@relay/testing/e2e/built';
import { type Demo, type DemoOptions, startDemo } from '@relay/testing/e2e/demo';
import { SimulatedClock } from '@relay/testing/e2e/simulated-clock';
import { removeFolder } from '@relay/testing/remove-folder';
import { type Limit, loadFigure, median, quantile } from './figures.ts';
import { benchServer, fillInstances } from './harness.ts';
import { firstStarts, timed } from './start.ts';

const run = promisify(execFile);
const OWNER = '15550000000';
const FRIEND = '15550000001';
const INSTANCES = 1_000;
const STARTS = 3;
const SENDS = 20;
/** In characters: with pacing, a longer text takes longer to type. */
const LENGTHS = { least: 10, most: 110 };
const OFF = pacingSchema.parse({ enabled: false });
const SHIPPED = pacingSchema.parse({});
const MINUTE = 60_000;
const COMMANDS = 10;
/** As long as a fast model takes for one call. */
const MODEL_MS = 200;

export async function benchNfr(): Promise<readonly Limit[]> {
  const builds = openBuilds();
  const server = await benchServer();
  try {
    const built = await builtIn(builds.folder);
    const starts = await firstStarts(join(built, 'bin/relay.js'), STARTS);
    const off = { built, databaseUrl: connectionUrl(server.target), settings: { pacing: OFF } };
    const unpaced = await withDemo(off, (demo) => measure(demo, built));
    return [...started(starts), ...unpaced, ...(await measureShipped(built)), loadFigure()];
  } finally {
    await server.close();
    builds.remove();
  }
}

async function withDemo<T>(options: DemoOptions, work: (demo: Demo) => Promise<T>): Promise<T> {
  const demo = await startDemo(options);
  try {
    return await work(demo);
  } finally {
    await demo.stop();
  }
}

const started = (took: readonly number[]): Limit[] => [
  {
    name: `first ever start to ready, worst of ${STARTS}`,
    measured: quantile(took, 1),
    unit: 'ms',
    atMost: 5_000,
  },
];

async function measure(demo: Demo, built: string): Promise<Limit[]> {
  const { network } = demo.simulator;
  const owner = network.addAccount({ phone: OWNER, name: 'Owner' });
  await demo.link(OWNER);
  const ratio = await tenAgainstOne(demo, owner);
  const prepared = await prepare(demo, built);
  return [
    ...ratio,
    ...(await sends(demo, prepared, OFF)),
    ...(await commands(prepared.relay, ['list', 'get', 'transcript', 'status'], prepared.id)),
  ];
}

/** Sends now and then with default settings: no message waits for a cap, each is typed. */
async function measureShipped(built: string): Promise<Limit[]> {
  const folder = await mkdtemp(join(tmpdir(), 'relay-clock-'));
  const clock = new SimulatedClock(join(folder, 'clock'));
  try {
    return await withDemo({ built, preloads: [clock.preload] }, async (demo) => {
      demo.simulator.network.addAccount({ phone: OWNER, name: 'Owner' });
      await demo.link(OWNER);
      const prepared = await prepare(demo, built);
      return sends(demo, prepared, SHIPPED, () => clock.advance(MINUTE));
    });
  } finally {
    await removeFolder(folder);
  }
}

interface Prepared {
  readonly friend: SimulatedAccount;
  /** The conversation with the friend, who never answers. */
  readonly id: string;
  relay(...args: string[]): Promise<unknown>;
}

/** Creates a conversation with a friend, among many others. */
async function prepare(demo: Demo, built: string): Promise<Prepared> {
  const friend = demo.simulator.network.addAccount({ phone: FRIEND, name: 'Friend' });
  const hello = { name: 'send_message', arguments: { text: 'Hello' } };
  demo.model.rules([{ reply: { tool_calls: [hello] } }]);
  const { id } = await demo.relay.ok<{ id: string }>('POST', '/api/instances', {
    objective: 'Say hello',
    target_contact: `+${FRIEND}`,
  });
  await demo.phones.sees(FRIEND, { text: 'Hello', status: 'received' });
  await fill(await demo.database());
  return {
    friend,
    id,
    relay: (...args) =>
      run(process.execPath, [join(built, 'bin/relay.js'), ...args], {
        env: { PATH: process.env.PATH, RELAY_HOME: demo.home, NO_COLOR: '1' },
      }),
  };
}

/** How long people wait for an answer while one of them writes, and while ten do. */
async function tenAgainstOne(demo: Demo, owner: SimulatedAccount): Promise<Limit[]> {
  const together = openDialogues(demo, owner, MODEL_MS);
  await together(1);
  const alone = [...(await together(1)), ...(await together(1)), ...(await together(1))];
  const ten = await together(10);
  return [
    { name: 'an answer to one person alone, median', measured: median(alone), unit: 'ms' },
    { name: 'an answer to one of ten at once, median', measured: median(ten), unit: 'ms' },
    { name: 'ten at once ÷ alone', measured: median(ten) / median(alone), unit: '×', atMost: 1.5 },
  ];
}

async function fill(url: string): Promise<void> {
  const database = openDatabase({ connectionString: url });
  const { id } = await database.allAccounts
    .selectFrom('accounts')
    .select('id')
    .executeTakeFirstOrThrow();
  await fillInstances(database, id, INSTANCES, 'WAITING_FOR_REPLY');
  await database.close();
}

async function sends(
  demo: Demo,
  { friend, id, relay }: Prepared,
  pacing: PacingSettings,
  beforeEach: () => void = () => {},
): Promise<Limit[]> {
  const api: number[] = [];
  const command: number[] = [];
  const arrives = (text: string, act: () => Promise<unknown>) => {
    beforeEach();
    return arrival(demo, friend, text, act);
  };
  for (let n = 0; n < SENDS; n++) {
    const [a, b] = [textOf('a', n), textOf('b', n)];
    api.push(await arrives(a, () => demo.relay.send(`+${FRIEND}`, a)));
    command.push(await arrives(b, () => relay('send', id, b)));
  }
  const paced = pacing.enabled ? 'shipped pacing' : 'pacing off';
  // The seed's 3 s, plus the longest typing time of pacing.
  const atMost = 3_000 + (pacing.enabled ? pacing.typing_max_ms : 0);
  const limits = (name: string, took: readonly number[]): Limit[] => [
    { name: `${name}, ${paced}, best`, measured: quantile(took, 0), unit: 'ms' },
    { name: `${name}, ${paced}, median`, measured: median(took), unit: 'ms' },
    { name: `${name}, ${paced}, worst`, measured: quantile(took, 1), unit: 'ms', atMost },
  ];
  return [...limits('API to the phone', api), ...limits('`relay send` to the phone', command)];
}

/** The nth of so many, from the shortest to the longest. */
function textOf(name: string, n: number): string {
  const { least, most } = LENGTHS;
  return `${name} ${n} `.padEnd(least + Math.round(((most - least) * n) / (SENDS - 1)), '.');
}

async function commands(
  relay: (...args: string[]) => Promise<unknown>,
  names: readonly string[],
  id: string,
): Promise<Limit[]> {
  const limits: Limit[] = [];
  for (const name of names) {
    const took: number[] = [];
    const args = name === 'get' || name === 'transcript' ? [name, id] : [name];
    for (let n = 0; n < COMMANDS; n++) took.push(await timed(() => relay(...args)));
    limits.push({
      name: `\`relay ${name}\` among ${INSTANCES} conversations, worst of ${COMMANDS}`,
      measured: quantile(took, 1),
      unit: 'ms',
      atMost: 1_000,
    });
  }
  return limits;
}
