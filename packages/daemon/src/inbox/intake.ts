// Takes in what the transport received, in the order it came, for as long as the daemon runs. A hint makes
// it immediate, a look every second makes it certain. One row that nobody can read never stops the rest.
import { RelayError } from '@relay/core/errors';
import type { Log } from '@relay/core/log';
import { isDatabaseAway } from '../store/failures.ts';
import type { Batch, IntakeWorld } from './take-in.ts';
import { setFirstAside, takeIn } from './take-in.ts';

export interface IntakeOptions extends IntakeWorld {
  readonly log: Log;
  /** After a commit that stored something. */
  readonly stored?: () => void;
}

const BATCH = 500;
const POLL_MS = 1_000;

export class Intake {
  readonly #options: IntakeOptions;
  #stopping = false;
  #loop: Promise<void> = Promise.resolve();
  #woken = false;
  #wake: () => void = () => {};
  #waiting: (() => void)[] = [];

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  start(): void {
    this.#loop = this.#run();
  }

  hint(): void {
    this.#woken = true;
    this.#wake();
  }

  /** Resolves when everything that is in the inbox now has been taken in. */
  drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.hint();
    });
  }

  /** Lets the batch that runs finish. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.hint();
    await this.#loop;
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      this.#woken = false;
      const waiting = this.#waiting.splice(0);
      const left = await this.#step();
      if (left === 'nothing') for (const resolve of waiting) resolve();
      else this.#waiting.unshift(...waiting);
      if (left !== 'more') await this.#idle(left === 'nothing');
    }
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  async #step(): Promise<'more' | 'nothing' | 'unknown'> {
    try {
      return (await this.#batch()) ? 'more' : 'nothing';
    } catch (error) {
      this.#options.log.warn('the inbox waits', { error });
      return 'unknown';
    }
  }

  /** True when there may be more to take in at once. */
  async #batch(): Promise<boolean> {
    try {
      return this.#note(await takeIn(this.#options, BATCH)) === BATCH;
    } catch (error) {
      if (!isTheRows(error)) throw error;
      this.#options.log.warn('a batch of the inbox failed: trying each row alone', { error });
      return this.#oneByOne();
    }
  }

  async #oneByOne(): Promise<boolean> {
    for (let n = 0; n < BATCH && !this.#stopping; n++) {
      try {
        if (this.#note(await takeIn(this.#options, 1)) === 0) return false;
      } catch (error) {
        if (!isTheRows(error)) throw error;
        await setFirstAside(this.#options, 'failed');
        this.#options.log.error('an inbox row was set aside', { reason: 'failed', error });
      }
    }
    return true;
  }

  #note(batch: Batch): number {
    const { log, jobs, stored } = this.#options;
    for (const { failure } of batch.setAside) {
      log.warn('an inbox row was set aside', { reason: failure });
    }
    if (batch.stored > 0) {
      jobs.hint('route');
      stored?.();
    }
    return batch.rows;
  }

  /** After a failure a hint changes nothing: only time does. */
  async #idle(mayBeWoken: boolean): Promise<void> {
    if (this.#stopping || (this.#woken && mayBeWoken)) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, POLL_MS);
      this.#wake = () => {
        if (!mayBeWoken && !this.#stopping) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = () => {};
  }
}

/** The rows are to blame: data that the database refuses, or code that cannot cope with them. */
function isTheRows(error: unknown): boolean {
  if (error instanceof RelayError || isDatabaseAway(error)) return false;
  const { code } = error as { code?: unknown };
  return typeof code !== 'string' || /^2[23]...$/.test(code);
}
