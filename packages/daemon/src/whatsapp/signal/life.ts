// Whether what is in memory may still be believed. The first fault ends it, for good.
// Invariant: once it has ended, no operation begins or is submitted, and no byte leaves.
import { WireFault } from '@relay/core/ports/wire-store';

export class Life {
  readonly #onEnd = new Set<(fault: WireFault) => void>();
  #fault: WireFault | null = null;

  get fault(): WireFault | null {
    return this.#fault;
  }

  assert(): void {
    if (this.#fault) throw this.#fault;
  }

  /** Listeners hear it once. */
  onEnd(listener: (fault: WireFault) => void): () => void {
    this.#onEnd.add(listener);
    return () => this.#onEnd.delete(listener);
  }

  /** Gives the fault it ended with, which is the first one. */
  end(error: unknown): WireFault {
    if (this.#fault) return this.#fault;
    const fault =
      error instanceof WireFault
        ? error
        : new WireFault('unavailable', 'The keys could not be read.', { cause: error });
    this.#fault = fault;
    for (const listener of this.#onEnd) listener(fault);
    this.#onEnd.clear();
    return fault;
  }
}
