// The pulse of the connection: when the server last spoke, how fast it answers, how often it hung up.
// Invariant: figures survive reconnects; only closes older than an hour are forgotten.
import type { LinkHealth } from '@relay/core/ports/transport';

const HOUR = 3_600_000;

interface Counts {
  received: number;
  undecryptable: number;
}

export class Health {
  lastStanzaAt: Date | null = null;
  pingMs: number | null = null;
  restarts = 0;
  clockAheadS: number | null = null;
  #before: Counts = { received: 0, undecryptable: 0 };
  #counts: Readonly<Counts> | undefined;
  #closes: number[] = [];
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  heard(): void {
    this.lastStanzaAt = this.#now();
  }

  /** What the server's clock shows, as it says at a login: seconds since 1970. */
  toldTime(seconds: number): void {
    if (seconds > 0) this.clockAheadS = Math.round(this.#now().getTime() / 1_000 - seconds);
  }

  closed(): void {
    this.#closes = [...this.#recent(), this.#now().getTime()];
  }

  /** These go on counting; what was counted before them is kept. */
  follow(counts: Readonly<Counts> | undefined): void {
    this.#before = this.#total();
    this.#counts = counts;
  }

  snapshot(): LinkHealth {
    const { lastStanzaAt, pingMs, restarts, clockAheadS } = this;
    const flaps = this.#recent().length;
    return { lastStanzaAt, pingMs, flaps, restarts, clockAheadS, ...this.#total() };
  }

  #total(): Counts {
    return {
      received: this.#before.received + (this.#counts?.received ?? 0),
      undecryptable: this.#before.undecryptable + (this.#counts?.undecryptable ?? 0),
    };
  }

  #recent(): number[] {
    const since = this.#now().getTime() - HOUR;
    return this.#closes.filter((at) => at > since);
  }
}
