// Kills the daemon at each step of an agent's turn while eight people are in conversation with it, restarts it with the
// same home folder, database and network, and compares the result with the script.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { answer } from '@relay/testing/dialogue/script';
import type { Demo } from '@relay/testing/e2e/demo';
import { Company } from './company.ts';
import { OWNER, openTortureHarness } from './harness.ts';
import { TURNING } from './points.ts';
import { quantile } from './quantile.ts';
import { randomFrom } from './random.ts';
import { judgeTurns, type TurnsVerdict } from './turns-verdict.ts';

export interface TurnsTorture {
  readonly kills: number;
  readonly seed: number;
}

export interface TurnsReport extends TurnsVerdict {
  readonly seed: number;
  readonly kills: number;
  readonly atPoints: Readonly<Record<string, number>>;
  /** Daemon runs that ended normally or were killed from outside, because their point was not reached. */
  readonly missed: number;
  /** From the start of a daemon to the next message that a contact saw. */
  readonly restartToMessageMs: {
    readonly p50: number;
    readonly p95: number;
    readonly worst: number;
  };
  readonly seconds: number;
}

type Point = (typeof TURNING)[number];
const FAILPOINTS = new URL('./failpoints.ts', import.meta.url).href;
/** How long to wait for a point before the next run. */
const POINT_MS = 10_000;
/** Longer than anything here takes between two steps. */
const STUCK_MS = 60_000;

export async function tortureTurns({ kills, seed }: TurnsTorture): Promise<TurnsReport> {
  const began = performance.now();
  const { demo, people: company, url, close } = await openTortureHarness([FAILPOINTS], invite);
  try {
    const torture = new Torture(demo, company, randomFrom(seed));
    for (let lives = 0; torture.kills < kills && lives < 2 * kills; lives++) {
      await torture.life();
      if (lives % 10 === 9) console.log(`${torture.kills} of ${kills} kills, ${torture.soFar}`);
    }
    await torture.end();
    const verdict = await judgeTurns(company, url);
    const seconds = Math.round((performance.now() - began) / 1_000);
    return { seed, ...torture.figures(), ...verdict, seconds };
  } finally {
    await close();
  }
}

function invite(demo: Demo): Company {
  demo.model.play(answer);
  return new Company(demo);
}

class Torture {
  readonly #demo: Demo;
  readonly #company: Company;
  readonly #random: () => number;
  readonly #atPoints = new Map<Point, number>(TURNING.map((point) => [point, 0]));
  readonly #firstMessages: number[] = [];
  /** Null once the first message of this run was seen. */
  #startedAt: number | null = null;
  #missed = 0;

  constructor(demo: Demo, company: Company, random: () => number) {
    this.#demo = demo;
    this.#company = company;
    this.#random = random;
    demo.simulator.network.events.on('message', ({ account }) => this.#sees(account.phone));
  }

  get kills(): number {
    return [...this.#atPoints.values()].reduce((sum, count) => sum + count, 0);
  }

  get soFar(): string {
    const { dialogues, people, open } = this.#company;
    return `${dialogues.length} dialogues, ${open} open, ${people.shown} messages seen`;
  }

  /** One run of a daemon, killed at the chosen point. */
  async life(): Promise<void> {
    const point = this.#choosePoint();
    const nth = 1 + Math.floor(this.#random() * 3);
    // Half of the points wait for a daemon at work, half apply while it resumes its work.
    const atOnce = this.#random() < 0.5;
    await this.#demo.kill();
    const reached = await this.#live(
      { RELAY_FAILPOINT: `${point}:${nth}`, ...(atOnce ? { RELAY_FAILPOINT_NOW: '1' } : {}) },
      atOnce,
    );
    if (reached) this.#atPoints.set(point, (this.#atPoints.get(point) ?? 0) + 1);
    else this.#missed += 1;
  }

  /** A last run without a kill: everything that was started ends, or nothing makes progress. */
  async end(): Promise<void> {
    await this.#demo.kill();
    await this.#start({});
    let last = '';
    let movedAt = performance.now();
    while (this.#company.open > 0 && performance.now() - movedAt < STUCK_MS) {
      await this.#company.tend({ begin: false });
      const now = this.soFar;
      if (now !== last) movedAt = performance.now();
      last = now;
      await sleep(200);
    }
    // Receipts of the last messages are still pending.
    await sleep(2_000);
  }

  figures() {
    return {
      kills: this.kills,
      atPoints: Object.fromEntries(this.#atPoints),
      missed: this.#missed,
      restartToMessageMs: {
        p50: quantile(this.#firstMessages, 0.5),
        p95: quantile(this.#firstMessages, 0.95),
        worst: quantile(this.#firstMessages, 1),
      },
    };
  }

  /** The least reached point, so that all are reached equally often. */
  #choosePoint(): Point {
    const least = Math.min(...this.#atPoints.values());
    const open = TURNING.filter((point) => this.#atPoints.get(point) === least);
    return open[Math.floor(this.#random() * open.length)] ?? TURNING[0];
  }

  async #live(environment: Readonly<Record<string, string>>, atOnce: boolean): Promise<boolean> {
    try {
      await this.#start(environment);
    } catch (error) {
      // It may die before it reports that it is ready.
      if (!atOnce) throw error;
      return true;
    }
    const child = this.#demo.daemon?.child;
    if (child === undefined) throw new Error('no daemon');
    const gone = () => child.exitCode !== null || child.signalCode !== null;
    const ended = gone() ? Promise.resolve() : once(child, 'exit').then(() => {});
    if (!atOnce) await Promise.race([this.#demo.relay.connected(), ended]);
    if (!gone()) child.kill('SIGUSR2');
    const deadline = performance.now() + POINT_MS;
    while (!gone() && performance.now() < deadline) {
      // A request without an answer from a dying daemon is repeated to the next one.
      await this.#company.tend({ begin: true }).catch((error: unknown) => {
        if (error instanceof AggregateError) throw error;
      });
      await Promise.race([sleep(50), ended]);
    }
    if (child.exitCode !== null) throw new Error('the daemon ended by itself');
    return child.signalCode !== null;
  }

  async #start(environment: Readonly<Record<string, string>>): Promise<void> {
    this.#startedAt = performance.now();
    await this.#demo.restart({ RELAY_FAILPOINT_MODEL: this.#demo.model.url, ...environment });
  }

  #sees(phone: string): void {
    if (phone === OWNER || this.#startedAt === null) return;
    this.#firstMessages.push(performance.now() - this.#startedAt);
    this.#startedAt = null;
  }
}
