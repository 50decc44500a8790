// Seven races of a conversation, each in many orders drawn from a seed, over the real flow, jobs, gate and outbox rows
// with a manual clock. After each of them every invariant is checked.
import { setTimeout as sleep } from 'node:timers/promises';
import { RelayError } from '@relay/contract/errors';
import { silentLog } from '@relay/core/log';
import type { TurnContext, TurnOutcome } from '@relay/core/ports/agent-turn';
import { openDatabase as connect } from '@relay/daemon/platform/db/database';
import { migrate } from '@relay/daemon/platform/db/migrate';
import { Jobs } from '@relay/daemon/platform/jobs/jobs';
import { RACES, type RaceContext } from './races/cases.ts';
import { gatherEvidence } from './races/evidence.ts';
import { faultsOf } from './races/invariants.ts';
import { Lane } from './races/lane.ts';
import { Scheduler } from './races/scheduler.ts';
import { randomFrom } from './random.ts';
import { openDatabase } from './resources.ts';

export interface RacesTorture {
  /** Per race. */
  readonly interleavings: number;
  /** The nth interleaving of a race has the seed `seed + n`: it can be repeated alone with that. */
  readonly seed: number;
  /** Names of races; all if empty. */
  readonly only?: readonly string[];
}

export interface RaceFigures {
  readonly interleavings: number;
  /** Orders in which its transactions committed. */
  readonly orders: number;
  /** Orders in which its operations were resumed. */
  readonly schedules: number;
  /** The final states of its conversations. */
  readonly ends: Readonly<Record<string, number>>;
  /** The most frequent orders. */
  readonly often: Readonly<Record<string, number>>;
}

export interface RacesReport {
  readonly seed: number;
  readonly seconds: number;
  readonly races: Readonly<Record<string, RaceFigures>>;
  readonly faults: readonly string[];
}

/** Times the connections of each: within the limit of a private server. */
const LANES = 6;
const TOGETHER = 0.3;

export async function tortureRaces(options: RacesTorture): Promise<RacesReport> {
  const { interleavings, seed, only = [] } = options;
  const began = performance.now();
  const names = Object.keys(RACES).filter((name) => only.length === 0 || only.includes(name));
  const database = await openDatabase();
  const lanes: Lane[] = [];
  const tallies = new Map(names.map((name) => [name, new Tally()]));
  const faults: string[] = [];
  try {
    await prepare(database.url);
    const count = Math.min(LANES, interleavings);
    for (const url of await database.copies(count)) lanes.push(await Lane.open(url));
    const todo = Array.from({ length: interleavings }, (_, n) => n).flatMap((n) =>
      names.map((name) => ({ name, seed: seed + n })),
    );
    await Promise.all(
      lanes.map(async (lane) => {
        for (let next = todo.shift(); next !== undefined; next = todo.shift()) {
          const found = await interleave(lane, next.name, next.seed, tallies.get(next.name));
          faults.push(...found.map((fault) => `${next.name}, seed ${next.seed}: ${fault}`));
        }
      }),
    );
  } finally {
    await Promise.all(lanes.map((lane) => lane.close()));
    await database.close();
  }
  const races = Object.fromEntries([...tallies].map(([name, tally]) => [name, tally.figures()]));
  return { seed, seconds: Math.round((performance.now() - began) / 1000), races, faults };
}

/** Creates the tables and the queues once. */
async function prepare(url: string): Promise<void> {
  const database = connect({ connectionString: url }, { max: 4 });
  await migrate(database.pool);
  await (await Jobs.start(database, silentLog)).stop(0);
  await database.close();
}

class Tally {
  readonly #orders = new Map<string, number>();
  readonly #schedules = new Set<string>();
  readonly #ends = new Map<string, number>();
  #count = 0;

  add(order: string, schedule: string, ends: readonly string[]): void {
    this.#count += 1;
    this.#orders.set(order, (this.#orders.get(order) ?? 0) + 1);
    this.#schedules.add(schedule);
    for (const end of ends) this.#ends.set(end, (this.#ends.get(end) ?? 0) + 1);
  }

  figures(): RaceFigures {
    const often = [...this.#orders].sort(([, a], [, b]) => b - a).slice(0, 5);
    return {
      interleavings: this.#count,
      orders: this.#orders.size,
      schedules: this.#schedules.size,
      ends: Object.fromEntries(this.#ends),
      often: Object.fromEntries(often),
    };
  }
}

/** Runs one race in one order. Returns the violations. */
async function interleave(lane: Lane, name: string, seed: number, tally?: Tally) {
  const race = RACES[name];
  if (race === undefined) throw new Error(`no race is called ${name}`);
  const random = randomFrom(seed);
  const scheduler = new Scheduler({ random, together: random() < TOGETHER, look: lane.look });
  const phone = lane.newPhone();
  const wrote: string[] = [];
  const surprises: string[] = [];
  const started: Promise<unknown>[] = [];
  let setUp = 0;
  lane.begin(scheduler, script(random));
  const stage: RaceContext = {
    lane,
    phone,
    random,
    writes: () => {
      wrote.push(`answer ${wrote.length + 1}`);
      return lane.arrives(phone, wrote.at(-1) ?? '');
    },
    rest: () => scheduler.drive(),
    hold: () => {
      setUp = scheduler.commits.length;
      scheduler.hold();
    },
    holdAtModel: async () => {
      setUp = scheduler.commits.length;
      await scheduler.holdAt('model');
    },
    start: (operation) => {
      const refused = (error: unknown) =>
        error instanceof RelayError && error.code === 'illegal_transition';
      started.push(
        operation().catch((error: unknown) => {
          if (!refused(error)) surprises.push(`failed: ${error}`);
        }),
      );
    },
  };
  try {
    await race(stage);
    await scheduler.drive();
    // Nothing is scripted to fail: a failure is retried at once, and reported.
    for (let failed = await lane.hurry(); failed > 0; failed = await lane.hurry()) {
      surprises.push(`${failed} jobs failed and were tried again`);
      await scheduler.drive();
    }
  } catch (error) {
    surprises.push(String(error));
  }
  scheduler.release();
  await Promise.all([...started, ...lane.carriers]);
  // A message that leaves may start a turn that writes the next one.
  for (let before = -1; before < lane.left.length; ) {
    before = lane.left.length;
    await lane.carry();
    await scheduler.drive();
  }
  const { commits, moves } = scheduler;
  const evidence = await gatherEvidence(lane, phone, { wrote, commits });
  const faults = [...surprises, ...faultsOf(evidence)];
  const order = commits.slice(setUp).map((commit) => commit.name);
  tally?.add(
    order.join(' '),
    moves.join(' '),
    evidence.instances.map(({ state }) => state),
  );
  await cleanUp(lane, scheduler, evidence.instances);
  return faults.map((fault) => `${fault} (${moves.join(', ')})`);
}

/** Leaves no timer that would fire in the next race. */
async function cleanUp(
  lane: Lane,
  scheduler: Scheduler,
  instances: Awaited<ReturnType<typeof gatherEvidence>>['instances'],
): Promise<void> {
  for (const { id } of instances.toReversed()) await lane.owner('cancel', id).catch(() => {});
  await scheduler.drive();
  await sleep(0);
}

/** Mostly one message; sometimes two, none, an end or a request for the owner. The first is always one. */
function script(random: () => number) {
  let turns = 0;
  return ({ purpose }: TurnContext): TurnOutcome => {
    turns += 1;
    const text = `${purpose} ${turns}`;
    const dice = turns === 1 ? 1 : random();
    if (dice < 0.06) return { messages: [text], endReason: 'done' };
    if (dice < 0.1) return { messages: [], interventionReason: 'help' };
    if (dice < 0.16) return { messages: [], nextHeartbeatMs: 60_000 };
    if (dice < 0.26) return { messages: [text, `${text} again`] };
    return { messages: [text] };
  };
}
