// One turn of a session at a time, whatever asks for it, and the way to end the one that runs. In memory:
// one daemon serves the account, and what a turn has done stands in the tables.
import type { SessionId } from '@relay/core/ids';

/** The owner said stop. */
export class Stopped extends Error {}

export class SessionTurns {
  readonly #last = new Map<SessionId, Promise<void>>();
  readonly #running = new Map<SessionId, AbortController>();

  /** Waits for its turn; rejects with the signal's reason when that ends first. */
  async run<T>(
    session: SessionId,
    signal: AbortSignal,
    take: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const before = this.#last.get(session) ?? Promise.resolve();
    const over = Promise.withResolvers<void>();
    const mine = before.then(() => over.promise);
    this.#last.set(session, mine);
    try {
      await unlessEnded(before, signal);
      const stop = new AbortController();
      this.#running.set(session, stop);
      return await take(AbortSignal.any([stop.signal, signal]));
    } finally {
      this.#running.delete(session);
      over.resolve();
      if (this.#last.get(session) === mine) this.#last.delete(session);
    }
  }

  /** False when nothing runs. */
  stop(session: SessionId): boolean {
    const running = this.#running.get(session);
    running?.abort(new Stopped());
    return running !== undefined;
  }
}

function unlessEnded(wait: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const ended = () => reject(signal.reason);
    signal.addEventListener('abort', ended, { once: true });
    wait.then(() => {
      signal.removeEventListener('abort', ended);
      resolve();
    });
  });
}
