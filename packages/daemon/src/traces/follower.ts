// Follows finished work for as long as the daemon runs and tells it to the collector, a batch at a time: after it has
// happened and in nobody's way. One that is away is asked again later and later; what it is to be told waits in the
// database. Invariant: the log says once that it is away and once that it is back.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@relay/core/log';
import { delayFor, RETRY } from '@relay/core/retry';
import type { Reader } from '../store/database.ts';
import { fenced } from '../store/fenced.ts';
import type { Lease } from '../store/lease.ts';
import { markTraced, moveOn, tracingProgress } from '../store/traces/progress.ts';
import { finishedWork, type Work } from '../store/traces/work.ts';
import { exportRequest } from './otlp.ts';
import { type Collector, type Sent, send } from './send.ts';
import { spansOf } from './span.ts';

export interface TracesWorld {
  readonly db: Reader;
  readonly lease: Lease;
  readonly log: Log;
  readonly version: string;
  readonly collector: Collector;
  /** How often it looks; every few seconds unless given. */
  readonly pollMs?: number;
}

const USUAL_POLL_MS = 3_000;
/** Turns in one request; some hundred kilobytes. */
const BATCH = 50;
/** How often it is looked how far everything is told, where nothing is. */
const MOVE_EVERY_MS = 60_000;

/** How long a request may keep the daemon from stopping. */
const LAST_ANSWER_MS = 2_000;

export class Follower {
  readonly #world: TracesWorld;
  readonly #stopping = new AbortController();
  readonly #aborting = new AbortController();
  #loop: Promise<void> = Promise.resolve();
  #failures = 0;
  #movedAt = 0;
  /** What was last said of the collector; empty while all is well. */
  #trouble = '';

  constructor(world: TracesWorld) {
    this.#world = world;
  }

  start(): void {
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    // What the collector has in its hands is better noted as told than told again.
    const enough = setTimeout(() => this.#aborting.abort(), LAST_ANSWER_MS);
    await this.#loop;
    clearTimeout(enough);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const rest = await this.#round().catch((error: unknown) => {
        this.#away('the database does not answer', error);
        return this.#later(0);
      });
      if (rest > 0) await resting(rest, signal);
    }
  }

  /** How long to rest after it: not at all while there is more. */
  async #round(): Promise<number> {
    const { db, lease, version, collector, pollMs = USUAL_POLL_MS } = this.#world;
    const progress = await tracingProgress(db, lease.account);
    if (progress === null) return MOVE_EVERY_MS;
    const work = await finishedWork(db, lease.account, progress, BATCH);
    const spans = spansOf(work);
    if (spans.length === 0) {
      await this.#move();
      return pollMs;
    }
    const { instance } = progress;
    const body = JSON.stringify(exportRequest({ version, instance }, spans));
    const sent = await send(collector, body, this.#aborting.signal);
    if (sent.kind === 'later') {
      this.#away(sent.why);
      return this.#later(sent.afterMs);
    }
    this.#failures = 0;
    await fenced(db, lease, (tx) => markTraced(tx, lease.account, told(work)));
    this.#say(sent, spans.length);
    await this.#move();
    return work.turns.length === BATCH ? 0 : pollMs;
  }

  async #move(): Promise<void> {
    const { db, lease } = this.#world;
    if (Date.now() - this.#movedAt < MOVE_EVERY_MS) return;
    await fenced(db, lease, (tx) => moveOn(tx, lease.account));
    this.#movedAt = Date.now();
  }

  #later(askedMs: number): number {
    this.#failures += 1;
    return Math.max(
      askedMs,
      delayFor(RETRY.traces, this.#failures, Math.random()) ?? USUAL_POLL_MS,
    );
  }

  #away(reason: string, error?: unknown): void {
    if (this.#stopping.signal.aborted || this.#trouble !== '') return;
    this.#trouble = reason;
    this.#world.log.warn('traces wait', { reason, ...(error === undefined ? {} : { error }) });
  }

  #say(sent: Exclude<Sent, { kind: 'later' }>, count: number): void {
    const { log } = this.#world;
    if (sent.kind === 'refused') {
      // Wrong in the same way each time: said once.
      if (this.#trouble !== sent.why) log.warn('traces refused', { reason: sent.why, count });
      this.#trouble = sent.why;
      return;
    }
    if (sent.rejected > 0) log.warn('spans refused', { reason: sent.why, count: sent.rejected });
    if (this.#trouble !== '') log.info('traces flow again', { count });
    this.#trouble = '';
  }
}

const told = ({ turns, messages }: Work) => [
  ...turns.map(({ id, startedAt: at }) => ({ id, at })),
  ...messages.map(({ id, createdAt: at }) => ({ id, at })),
];

/** Ends early when there is nothing more to wait for. */
const resting = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => {});
