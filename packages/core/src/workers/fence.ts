// The fence of a worker: sockets may be written to until shortly before another worker could take the leases. It is
// asked right before each write, so that it also holds for a process that was paused and continues without noticing.
import type { SocketGate } from '../ports/transport.ts';

interface FenceClocks {
  /** Milliseconds of a fine clock that only goes forward; it may stand still while the machine sleeps. */
  readonly monotonic: () => number;
  /** Milliseconds since the machine started, its sleep included. Not the time of day, which may be set. */
  readonly uptime: () => number;
}

export class LeaseFence implements Omit<SocketGate, 'turn'> {
  readonly #clocks: FenceClocks;
  readonly #listeners = new Set<() => void>();
  #until = Number.NEGATIVE_INFINITY;
  #uptimeUntil = Number.NEGATIVE_INFINITY;
  #waiting: (() => void)[] = [];

  constructor(clocks: FenceClocks) {
    this.#clocks = clocks;
  }

  /** Call before a renewal is sent: the lease counts from a moment that is no later than the server's. */
  mark(): { readonly monotonic: number; readonly uptime: number } {
    return { monotonic: this.#clocks.monotonic(), uptime: this.#clocks.uptime() };
  }

  /** The renewal that was sent at `mark` succeeded. */
  open(mark: ReturnType<LeaseFence['mark']>, forMs: number): void {
    this.#until = mark.monotonic + forMs;
    this.#uptimeUntil = mark.uptime + forMs;
    if (!this.mayWrite()) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  mayWrite(): boolean {
    return this.#clocks.monotonic() < this.#until && this.#clocks.uptime() < this.#uptimeUntil;
  }

  /** How long writing stays allowed without another renewal. */
  get leftMs(): number {
    const { monotonic, uptime } = this.#clocks;
    return Math.max(0, Math.min(this.#until - monotonic(), this.#uptimeUntil - uptime()));
  }

  /** The lease was lost, or is about to be: every socket must be closed now. */
  shut(): void {
    this.#until = Number.NEGATIVE_INFINITY;
    for (const listener of [...this.#listeners]) listener();
  }

  onShut(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves when writing is allowed. */
  async opened(): Promise<void> {
    while (!this.mayWrite()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}
