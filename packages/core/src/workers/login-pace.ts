// The pace of logins to WhatsApp: after an outage all accounts of a cell want to log in at once.

/** Logins per second of one worker, and of all workers of a cell together. */
export const LOGINS_PER_SECOND = { worker: 20, cell: 50 } as const;
/** A worker that has been quiet may begin with this many at once. */
const BURST = 5;

export class LoginPace {
  /** When the next login is due, in the clock's milliseconds. */
  #next = Number.NEGATIVE_INFINITY;
  #workers = 1;

  /** How many workers share the cell's pace. */
  setWorkers(count: number): void {
    this.#workers = Math.max(1, count);
  }

  /** Takes the next place. Returns how many milliseconds to wait for it. */
  reserve(now: number): number {
    const perSecond = Math.min(LOGINS_PER_SECOND.worker, LOGINS_PER_SECOND.cell / this.#workers);
    const step = 1_000 / perSecond;
    this.#next = Math.max(this.#next, now - (BURST - 1) * step);
    const due = this.#next;
    this.#next += step;
    return Math.max(0, due - now);
  }
}
