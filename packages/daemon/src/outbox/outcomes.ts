// What is told of messages on their way, written in batches by one writer: whatever was told while the last
// batch was being written goes into the next. One that cannot be written keeps no other from it.
import type { Log } from '@relay/core/log';
import { Pause } from './pause.ts';
import type { Outcome } from './settle.ts';

export interface OutcomesOptions {
  readonly write: (outcomes: readonly Outcome[]) => Promise<void>;
  readonly log: Log;
}

interface Told {
  readonly outcome: Outcome;
  readonly written: () => void;
}

const BATCH = 100;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1_000;

export class Outcomes {
  readonly #options: OutcomesOptions;
  readonly #pause = new Pause();
  #told: Told[] = [];
  #writing: Promise<void> | null = null;
  #closed = false;

  constructor(options: OutcomesOptions) {
    this.#options = options;
  }

  /** Resolves when it is written; never, if that is given up. */
  tell(outcome: Outcome): Promise<void> {
    return new Promise((written) => {
      this.#told.push({ outcome, written });
      this.#writing ??= this.#run();
    });
  }

  /** Everything told so far is written. */
  async settled(): Promise<void> {
    while (this.#writing !== null) await this.#writing;
  }

  /** What is not written by now stays in doubt: it is reconciled, not lost. */
  close(): void {
    this.#closed = true;
    this.#pause.end();
  }

  async #run(): Promise<void> {
    let most = BATCH;
    let wait = FIRST_WAIT_MS;
    // What is told in the same breath goes together.
    await null;
    while (this.#told.length > 0 && !this.#closed) {
      const batch = this.#told.splice(0, most);
      try {
        await this.#options.write(batch.map(({ outcome }) => outcome));
        for (const { written } of batch) written();
        [most, wait] = [BATCH, FIRST_WAIT_MS];
      } catch (error) {
        this.#options.log.warn('writing what became of messages failed', { error });
        // Alone from here on, and to the end of the line: order among them does not matter.
        this.#told.push(...batch);
        if (batch.length === 1) await this.#pause.sleep(wait);
        [most, wait] = [1, Math.min(wait * 2, LONGEST_WAIT_MS)];
      }
    }
    this.#writing = null;
  }
}
