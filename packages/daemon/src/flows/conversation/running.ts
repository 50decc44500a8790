// The turns that run in this daemon now. A commit that makes one stale ends it at once: no token is spent
// on words that will not be said, and the next turn need not wait for it.
import type { InstanceId } from '@relay/core/ids';

export interface RunningTurn {
  /** Aborted when the turn was overtaken or the daemon stops. */
  readonly signal: AbortSignal;
  end(): void;
}

interface Entry {
  readonly epoch: number;
  readonly abort: AbortController;
}

export class RunningTurns {
  readonly #turns = new Map<InstanceId, Entry>();

  /** To be called before the turn looks at its instance: what commits from then on can end it. */
  start(instance: InstanceId, epoch: number, stop: AbortSignal): RunningTurn {
    const entry: Entry = { epoch, abort: new AbortController() };
    this.#turns.set(instance, entry);
    return {
      signal: AbortSignal.any([entry.abort.signal, stop]),
      end: () => {
        if (this.#turns.get(instance) === entry) this.#turns.delete(instance);
      },
    };
  }

  /** The instance has this epoch now: a turn of another one has nothing left to win. */
  overtake(instance: InstanceId, epoch: number): void {
    const entry = this.#turns.get(instance);
    if (entry !== undefined && entry.epoch !== epoch) entry.abort.abort();
  }

  get count(): number {
    return this.#turns.size;
  }
}
