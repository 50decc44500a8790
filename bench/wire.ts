// The transport against bare Baileys with its keys in memory, in interleaved rounds of one run: messages per second in
// and out, CPU time per message, the cost of durability per send, memory per account.
import { randomBytes } from 'node:crypto';
import { openDatabase } from '@relay/daemon/platform/db/database';
import { migrate } from '@relay/daemon/platform/db/migrate';
import { type Limit, median, quantile } from './figures.ts';
import { type BenchServer, benchServer } from './harness.ts';
import type { ArmMethods } from './wire/arm.ts';
import type { NetworkMethods } from './wire/network.ts';
import { Worker } from './worker.ts';

const ROUNDS = 7;
const CONTACTS = 50;
const INBOUND = 300;
const GROUP = 100;
const OUTBOUND = 100;
const AT_ONCE = 10;
const MANY_ACCOUNTS = 50;
const FEW_ACCOUNTS = 10;
const MB = 1024 * 1024;
const SECRET = randomBytes(32).toString('hex');

type Network = Worker<NetworkMethods>;
type Kind = 'bare' | 'relay';

interface Figure {
  readonly rate: number;
  readonly cpuMs: number;
  readonly commits: number;
  readonly p50: number;
}

interface Arm {
  readonly kind: Kind;
  readonly phone: string;
  readonly group: string;
  readonly worker: Worker<ArmMethods>;
  readonly figures: Map<string, Figure[]>;
}

export async function benchWire(): Promise<readonly Limit[]> {
  const server = await benchServer();
  const network: Network = new Worker(new URL('./wire/network.ts', import.meta.url));
  try {
    await prepareDatabase(server);
    const contacts = Array.from({ length: CONTACTS }, (_, index) => `4915200${100 + index}`);
    const chats = await network.call('addPeople', { phones: contacts });
    const arms = [
      await startArm('bare', '491510001', { network, server, contacts }),
      await startArm('relay', '491510002', { network, server, contacts }),
    ];
    for (const arm of arms) await measure(arm, network, contacts, chats, true);
    for (let round = 0; round < ROUNDS; round++) {
      for (const arm of round % 2 ? [...arms].reverse() : arms) {
        await measure(arm, network, contacts, chats, false);
      }
    }
    for (const { worker } of arms) await worker.end();
    const { undecryptable } = await network.call('counts');
    const accountMb = await memoryOfAnAccount(network, server);
    return [...summary(arms, accountMb), unread(undecryptable)];
  } finally {
    await network.end();
    await server.close();
  }
}

async function prepareDatabase({ target }: BenchServer): Promise<void> {
  const database = openDatabase(target);
  await migrate(database.pool);
  await database.close();
}

interface Place {
  readonly network: Network;
  readonly server: BenchServer;
  readonly contacts: readonly string[];
}

async function startArm(kind: Kind, phone: string, place: Place): Promise<Arm> {
  const { network, contacts } = place;
  await network.call('addPeople', { phones: [phone] });
  const worker = await startWorker(kind, place.server);
  await linkAccount(worker, network, phone);
  const group = await network.call('addGroup', {
    owner: contacts[0] ?? '',
    members: [phone, contacts[1] ?? ''],
  });
  return { kind, phone, group, worker, figures: new Map() };
}

async function startWorker(kind: Kind, { target }: BenchServer): Promise<Worker<ArmMethods>> {
  const execArgv = [
    '--expose-gc',
    ...process.execArgv.filter((arg) => arg.startsWith('--cpu-prof')),
  ];
  const worker = new Worker<ArmMethods>(new URL('./wire/arm.ts', import.meta.url), {
    args: [kind],
    execArgv,
  });
  await worker.call('use', { database: target, secret: SECRET });
  return worker;
}

async function linkAccount(worker: Worker<ArmMethods>, network: Network, phone: string) {
  const qr = await worker.call('begin', { url: await network.call('url') });
  await network.call('scan', { phone, qr });
}

async function measure(
  arm: Arm,
  network: Network,
  contacts: string[],
  chats: string[],
  warmUp: boolean,
): Promise<void> {
  const note = (what: string, figure: Figure) => {
    if (warmUp) return;
    arm.figures.set(what, [...(arm.figures.get(what) ?? []), figure]);
  };
  const inbound = async (what: string, chat: string, from: string[], count: number) => {
    await network.call('prepare', { to: arm.phone, chat, from, count });
    const metered = await meter(arm, () => network.call('deliver', { to: arm.phone }));
    note(what, { ...perMessage(metered, count), rate: (count / metered.result) * 1000, p50: 0 });
  };
  const outbound = async (what: string, atOnce: number) => {
    const metered = await meter(arm, () =>
      arm.worker.call('send', { chats, count: OUTBOUND, atOnce }),
    );
    const { ms, latencies } = metered.result;
    const rate = (OUTBOUND / ms) * 1000;
    note(what, { ...perMessage(metered, OUTBOUND), rate, p50: quantile(latencies, 0.5) });
  };
  await inbound(IN, arm.phone, contacts, INBOUND);
  await inbound(IN_ONE, arm.phone, contacts.slice(0, 1), INBOUND);
  await outbound(OUT_ONE, 1);
  await outbound(OUT, AT_ONCE);
  await inbound(IN_GROUP, arm.group, contacts.slice(0, 1), GROUP);
}

const IN = 'inbound 1:1, 50 contacts';
const IN_ONE = 'inbound 1:1, one contact';
const OUT_ONE = 'outbound 1:1, one at a time';
const OUT = 'outbound 1:1, ten at once';
const IN_GROUP = 'inbound group';

interface Metered<Result> {
  readonly result: Result;
  readonly cpuMs: number;
  readonly commits: number;
}

async function meter<Result>(
  { worker }: Arm,
  work: () => Promise<Result>,
): Promise<Metered<Result>> {
  const before = await worker.call('usage');
  const result = await work();
  const after = await worker.call('usage');
  return { result, cpuMs: after.cpuMs - before.cpuMs, commits: after.commits - before.commits };
}

const perMessage = ({ cpuMs, commits }: Metered<unknown>, count: number) => ({
  cpuMs: cpuMs / count,
  commits: commits / count,
});

/** The memory of each account beyond the first few, logged in and idle, as after a restart of the daemon. */
async function memoryOfAnAccount(network: Network, server: BenchServer): Promise<number> {
  const phones = Array.from({ length: MANY_ACCOUNTS }, (_, index) => `4915300${100 + index}`);
  await network.call('addPeople', { phones });
  const linking = await startWorker('relay', server);
  for (const phone of phones) await linkAccount(linking, network, phone);
  const accounts = await linking.call('accounts');
  await linking.end();
  const worker = await startWorker('relay', server);
  const url = await network.call('url');
  let few = 0;
  for (const [index, account] of accounts.entries()) {
    if (index === FEW_ACCOUNTS) few = await worker.call('rss');
    await worker.call('resume', { url, account });
  }
  const many = await worker.call('rss');
  await worker.end();
  return (many - few) / (MANY_ACCOUNTS - FEW_ACCOUNTS) / MB;
}

const unread = (measured: number): Limit => ({
  name: 'messages that recipients could not decrypt',
  measured,
  unit: '',
  atMost: 0,
});

function summary([bare, relay]: Arm[], accountMb: number): Limit[] {
  const of = (arm: Arm | undefined, what: string) => arm?.figures.get(what) ?? [];
  const middle = (arm: Arm | undefined, what: string, pick: (figure: Figure) => number) =>
    median(of(arm, what).map(pick));
  for (const what of [IN, IN_ONE, OUT_ONE, OUT, IN_GROUP]) {
    console.log(what);
    for (const arm of [bare, relay]) {
      const rates = of(arm, what).map(({ rate }) => Math.round(rate));
      console.log(
        `  ${arm?.kind.padEnd(6)} ${String(median(rates)).padStart(5)}/s (${Math.min(...rates)}–${Math.max(...rates)})` +
          `  ${middle(arm, what, (figure) => figure.cpuMs).toFixed(2)} ms of CPU` +
          `  p50 ${middle(arm, what, (figure) => figure.p50).toFixed(1)} ms` +
          `  ${middle(arm, what, (figure) => figure.commits).toFixed(2)} commits a message`,
      );
    }
  }
  const ratio = (what: string) => {
    const rates = of(bare, what).map(({ rate }) => rate);
    return median(of(relay, what).map(({ rate }, round) => rate / (rates[round] ?? Number.NaN)));
  };
  const p50 = (arm: Arm | undefined) => middle(arm, OUT_ONE, (figure) => figure.p50);
  return [
    { name: IN, measured: ratio(IN), unit: '×', atLeast: 0.9 },
    { name: IN_ONE, measured: ratio(IN_ONE), unit: '×', atLeast: 0.9 },
    { name: IN_GROUP, measured: ratio(IN_GROUP), unit: '×', atLeast: 5 },
    { name: OUT_ONE, measured: ratio(OUT_ONE), unit: '×', atLeast: 0.8 },
    { name: OUT, measured: ratio(OUT), unit: '×', atLeast: 0.8 },
    { name: 'added to a send, p50', measured: p50(relay) - p50(bare), unit: 'ms', atMost: 5 },
    { name: 'memory of a further account', measured: accountMb, unit: 'MB', atMost: 2.5 },
  ];
}
