// Looks for work repeatedly: immediately while there is more, on a hint, and otherwise after the delay that the last
// look returned. A hint makes it immediate, the regular look makes it certain.

/** `more`: look again immediately. A number: nothing is left; look again after this many milliseconds. */
export type NextLook = 'more' | number;

interface PollLoopOptions {
  readonly look: () => Promise<NextLook>;
  /** A look threw an error. Returns how many milliseconds to wait before the next one. */
  readonly failed: (error: unknown) => number;
  /** Whether a hint ends that wait too. Leave it off where hints would repeat the same failure over and over. */
  readonly hintsEndFailure?: boolean;
  /** How long to wait after a hint for more work to arrive. Callers of `caughtUp` are not kept waiting by it. */
  readonly gatherMs?: number | (() => number);
}

export class PollLoop {
  readonly #options: PollLoopOptions;
  readonly #rest = new WakeableSleep();
  readonly #gather = new WakeableSleep();
  readonly #failure = new WakeableSleep();
  #waiting: (() => void)[] = [];
  #stopping = false;
  #loop: Promise<void> = Promise.resolve();

  constructor(options: PollLoopOptions) {
    this.#options = options;
  }

  get isStopping(): boolean {
    return this.#stopping;
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** There may be work to do. */
  hint(): void {
    this.#rest.wake();
    if (this.#options.hintsEndFailure) this.#failure.wake();
  }

  /** Resolves when a look that begins from now on finds nothing left to do, or the loop stops. */
  caughtUp(): Promise<void> {
    if (this.#stopping) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#gather.wake();
      this.hint();
    });
  }

  /** Begins no further look. */
  end(): void {
    this.#stopping = true;
    this.#rest.wake();
    this.#gather.wake();
    this.#failure.wake();
  }

  /** Resolves when the last look has ended. */
  async stop(): Promise<void> {
    this.end();
    await this.#loop;
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      for (const sleep of [this.#rest, this.#gather, this.#failure]) sleep.arm();
      const waiting = this.#waiting.splice(0);
      try {
        const next = await this.#options.look();
        if (next === 'more') {
          this.#waiting.unshift(...waiting);
          continue;
        }
        for (const resolve of waiting) resolve();
        await this.#rest.sleep(next);
        const { gatherMs = 0 } = this.#options;
        await this.#gather.sleep(typeof gatherMs === 'number' ? gatherMs : gatherMs());
      } catch (error) {
        this.#waiting.unshift(...waiting);
        await this.#failure.sleep(this.#stopping ? 0 : this.#options.failed(error));
      }
    }
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** A sleep that can be ended early. Once armed, it also remembers a wake-up that comes before the sleep begins. */
export class WakeableSleep {
  #ended = false;
  #wake: () => void = () => {};

  /** From here on a wake-up is remembered. */
  arm(): void {
    this.#ended = false;
  }

  wake(): void {
    this.#ended = true;
    this.#wake();
  }

  /** `Infinity` sleeps until it is woken. */
  async sleep(ms: number): Promise<void> {
    if (this.#ended || ms <= 0) return;
    await new Promise<void>((resolve) => {
      const timer = ms === Number.POSITIVE_INFINITY ? undefined : setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = () => {};
  }
}
