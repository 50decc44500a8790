// The non-functional requirements of seed 003 in figures: start, send, answers of the command among a
// thousand conversations, and ten conversations at once against one.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openDatabase } from '@relay/daemon/store/database';
import { connectionUrl } from '@relay/daemon/store/postgres/settings';
import type { Account } from '@relay/simulator/whatsapp/people/account';
import { type Dialogue, wishOf } from '@relay/testing/dialogue/script';
import { talkers } from '@relay/testing/dialogue/together';
import { arrival } from '@relay/testing/e2e/arrival';
import { builtIn, openBuilds } from '@relay/testing/e2e/built';
import { type Demo, startDemo } from '@relay/testing/e2e/demo';
import { type Limit, median, quantile } from './figures.ts';
import { firstStarts, timed } from './start.ts';
import { benchServer, fillInstances } from './world.ts';

const run = promisify(execFile);
const OWNER = '15550000000';
const FRIEND = '15550000001';
const INSTANCES = 1_000;
const STARTS = 3;
const SENDS = 20;
const COMMANDS = 10;
/** As long as a quick model takes for one call. */
const MODEL_MS = 200;

export async function benchNfr(): Promise<readonly Limit[]> {
  const builds = openBuilds();
  const server = await benchServer();
  try {
    const built = await builtIn(builds.folder);
    const program = join(built, 'bin/relay.js');
    const starts = await firstStarts(program, STARTS);
    const databaseUrl = connectionUrl(server.target);
    const settings = { pacing: { enabled: false } };
    const demo = await startDemo({ built, databaseUrl, settings });
    try {
      return [...started(starts), ...(await measure(demo, program, databaseUrl))];
    } finally {
      await demo.stop();
    }
  } finally {
    await server.close();
    builds.remove();
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

async function measure(demo: Demo, program: string, url: string): Promise<Limit[]> {
  const { network } = demo.simulator;
  const owner = network.addAccount({ phone: OWNER, name: 'Owner' });
  const friend = network.addAccount({ phone: FRIEND, name: 'Friend' });
  await demo.link(OWNER);
  const ratio = await tenAgainstOne(demo, owner);
  const id = await converse(demo);
  await fill(url);
  const relay = (...args: string[]) =>
    run(process.execPath, [program, ...args], {
      env: { PATH: process.env.PATH, RELAY_HOME: demo.home, NO_COLOR: '1' },
    });
  return [
    ...ratio,
    ...(await sends(demo, friend, (text) => relay('send', id, text))),
    ...(await commands(relay, ['list', 'get', 'transcript', 'status'], id)),
  ];
}

/** How long people wait for an answer while one of them writes, and while ten do. */
async function tenAgainstOne(demo: Demo, owner: Account): Promise<Limit[]> {
  const together = talkers(demo, owner, MODEL_MS);
  await together(1);
  const alone = [...(await together(1)), ...(await together(1)), ...(await together(1))];
  const ten = await together(10);
  return [
    { name: 'an answer to one person alone, median', measured: median(alone), unit: 'ms' },
    { name: 'an answer to one of ten at once, median', measured: median(ten), unit: 'ms' },
    { name: 'ten at once ÷ alone', measured: median(ten) / median(alone), unit: '×', atMost: 1.5 },
  ];
}

/** With the friend, who never answers; gives its id. */
async function converse(demo: Demo): Promise<string> {
  const dialogue: Dialogue = { name: 'c0', manner: 'talks', atOnce: false };
  const wish = wishOf(dialogue, FRIEND);
  const { id } = await demo.relay.ok<{ id: string }>('POST', '/api/instances', wish);
  await demo.phones.sees(FRIEND, { text: 'c0 hello 2', status: 'received' });
  return id;
}

async function fill(url: string): Promise<void> {
  const database = openDatabase({ connectionString: url });
  const { id } = await database.kysely
    .selectFrom('accounts')
    .select('id')
    .executeTakeFirstOrThrow();
  await fillInstances(database, id, INSTANCES, 'WAITING_FOR_REPLY');
  await database.close();
}

async function sends(
  demo: Demo,
  friend: Account,
  bySend: (text: string) => Promise<unknown>,
): Promise<Limit[]> {
  const api: number[] = [];
  const command: number[] = [];
  for (let n = 0; n < SENDS; n++) {
    api.push(await arrival(demo, friend, `a ${n}`, () => demo.relay.send(`+${FRIEND}`, `a ${n}`)));
    command.push(await arrival(demo, friend, `b ${n}`, () => bySend(`b ${n}`)));
  }
  const limits = (name: string, took: readonly number[]): Limit[] => [
    { name: `${name} to the phone, median`, measured: median(took), unit: 'ms' },
    { name: `${name} to the phone, worst`, measured: quantile(took, 1), unit: 'ms', atMost: 3_000 },
  ];
  return [...limits('a message by the API', api), ...limits('`relay send`', command)];
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
