// The pulse of the connection: when the server last spoke, how fast it answers, how often it hung up.
// Invariant: figures survive reconnects; only closes older than an hour are forgotten.
import type { LinkHealth } from '@relay/core/ports/transport';

const HOUR = 3_600_000;

export class Health {
  lastStanzaAt: Date | null = null;
  pingMs: number | null = null;
  received = 0;
  undecryptable = 0;
  restarts = 0;
  #closes: number[] = [];
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  heard(): void {
    this.lastStanzaAt = this.#now();
  }

  closed(): void {
    this.#closes = [...this.#recent(), this.#now().getTime()];
  }

  snapshot(): LinkHealth {
    const { lastStanzaAt, pingMs, received, undecryptable, restarts } = this;
    const flaps = this.#recent().length;
    return { lastStanzaAt, pingMs, flaps, received, undecryptable, restarts };
  }

  #recent(): number[] {
    const since = this.#now().getTime() - HOUR;
    return this.#closes.filter((at) => at > since);
  }
}
