// Kills the daemon while it receives and while it sends, at named points and at random moments, restarts it with the
// same home folder, database and network, and counts every message at the end.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Demo } from '@relay/testing/e2e/demo';
import { thenClose } from '@relay/testing/then-close';
import { type Point, RECEIVING, SENDING } from './points.ts';
import { quantile } from './quantile.ts';
import { randomFrom } from './random.ts';
import type { Traffic } from './traffic.ts';
import type { Verdict } from './verdict.ts';
import { WireHarness } from './wire-harness.ts';

export interface WireTorture {
  /** Kills while receiving, and as many while sending. */
  readonly kills: number;
  readonly seed: number;
}

export interface WireReport extends Verdict {
  readonly seed: number;
  readonly kills: { readonly receiving: number; readonly sending: number };
  readonly atPoints: Readonly<Record<string, number>>;
  readonly received: number;
  readonly sent: number;
  /** Repeated deliveries of an id: allowed on the wire, never shown. */
  readonly repeatedOnTheWire: number;
  readonly restartMs: { readonly p50: number; readonly worst: number; readonly over10s: number };
  readonly seconds: number;
}

type Way = 'receiving' | 'sending';
const FAILPOINTS = new URL('./failpoints.ts', import.meta.url).href;
/** How long to wait for a point before the daemon is killed from outside. */
const POINT_MS = 4_000;
const RESUMED_MS = 10_000;

export async function tortureWire({ kills, seed }: WireTorture): Promise<WireReport> {
  const began = performance.now();
  const stage = await WireHarness.open([FAILPOINTS]);
  return thenClose(stage, async () => {
    const torture = new Torture(stage, randomFrom(seed));
    for (let n = 1; n <= kills; n++) {
      await torture.cycle('receiving');
      await torture.cycle('sending');
      if (n % 10 === 0) console.log(`${2 * n} of ${2 * kills} kills, ${torture.soFar}`);
    }
    await torture.end();
    const verdict = await stage.judge();
    return { seed, ...torture.figures(), ...verdict, seconds: seconds(began) };
  });
}

class Torture {
  readonly #demo: Demo;
  readonly #traffic: Traffic;
  readonly #stage: WireHarness;
  readonly #random: () => number;
  readonly #kills = { receiving: 0, sending: 0 };
  readonly #atPoints = new Map<string, number>();
  readonly #restarts: number[] = [];

  constructor(stage: WireHarness, random: () => number) {
    this.#stage = stage;
    this.#demo = stage.demo;
    this.#traffic = stage.traffic;
    this.#random = random;
  }

  get soFar(): string {
    const { toOwner, accepted } = this.#traffic;
    return `${toOwner.length} received, ${accepted.length} accepted, restart p50 ${quantile(this.#restarts, 0.5)} ms`;
  }

  /** One run of a daemon, killed at the end. */
  async cycle(way: Way): Promise<void> {
    const point = this.#choosePoint(way);
    // Half of the points wait for a daemon at work, half apply while it resumes.
    const atOnce = this.#random() < 0.5;
    const resumed = await this.#resume(point, atOnce);
    if (resumed) {
      if (!atOnce) this.#demo.daemon?.child.kill('SIGUSR2');
      const load = this.#load(way, point);
      await Promise.race([this.#gone(), this.#patience(point)]);
      await this.#end(point);
      await load;
    }
    this.#kills[way] += 1;
  }

  /** A last run without a kill. */
  async end(): Promise<void> {
    await this.#resume(null, false);
    await this.#stage.settle();
  }

  figures() {
    const { toOwner, accepted } = this.#traffic;
    return {
      kills: { ...this.#kills },
      atPoints: Object.fromEntries([...this.#atPoints].sort()),
      received: toOwner.length,
      sent: accepted.length,
      repeatedOnTheWire: this.#demo.simulator.network.counts().duplicates,
      restartMs: {
        p50: quantile(this.#restarts, 0.5),
        worst: quantile(this.#restarts, 1),
        over10s: this.#restarts.filter((ms) => ms > RESUMED_MS).length,
      },
    };
  }

  /** Two of three kills are at a named point, in turn; the others at a random moment. */
  #choosePoint(way: Way): Point | null {
    const points = way === 'receiving' ? RECEIVING : SENDING;
    const turn = this.#kills[way];
    if (turn % 3 === 2) return null;
    return points[(turn - Math.floor(turn / 3)) % points.length] ?? null;
  }

  /** False if the point was reached before the daemon was connected again. */
  async #resume(point: Point | null, atOnce: boolean): Promise<boolean> {
    await this.#demo.kill();
    const nth = 1 + Math.floor(this.#random() * 3);
    const began = performance.now();
    const environment = {
      ...(point === null ? {} : { RELAY_FAILPOINT: `${point}:${nth}` }),
      ...(point !== null && atOnce ? { RELAY_FAILPOINT_NOW: '1' } : {}),
    };
    try {
      await this.#demo.restart(environment);
      const connected = this.#demo.relay.connected(60_000).then(() => true);
      const alive = await Promise.race([connected, this.#gone().then(() => false)]);
      if (alive) this.#restarts.push(performance.now() - began);
      else await this.#end(point);
      return alive;
    } catch (error) {
      if (point === null || !atOnce) throw error;
      await this.#end(point);
      return false;
    }
  }

  /** Continues until the point was reached: some occur once for many messages. */
  async #load(way: Way, point: Point | null): Promise<void> {
    const { daemon } = this.#demo;
    const [into, out] = way === 'receiving' ? [6, 1] : [1, 6];
    do {
      await Promise.all([this.#traffic.phonesWrite(into), this.#traffic.ownerWrites(out)]);
      await sleep(50);
    } while (point !== null && daemon !== null && daemon === this.#demo.daemon);
  }

  #patience(point: Point | null): Promise<void> {
    return sleep(point === null ? this.#random() * 300 : POINT_MS);
  }

  async #gone(): Promise<void> {
    const child = this.#demo.daemon?.child;
    if (child && child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }

  async #end(point: Point | null): Promise<void> {
    const child = this.#demo.daemon?.child;
    const reached = child === undefined || child.signalCode !== null;
    if (child && child.exitCode !== null) throw new Error('the daemon ended by itself');
    await this.#demo.kill();
    const name = point === null || !reached ? 'any moment' : point;
    this.#atPoints.set(name, (this.#atPoints.get(name) ?? 0) + 1);
  }
}

const seconds = (since: number): number => Math.round((performance.now() - since) / 1_000);
