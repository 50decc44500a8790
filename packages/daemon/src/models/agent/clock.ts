// Time as an agent's session knows it. How long something took is measured on a clock that nobody sets,
// so that a wall clock put forward or back ends no turn. Tests bring a clock of their own.
export interface Clock {
  /** Milliseconds since some moment; never goes back. */
  now(): number;
  /** What the wall says, for whoever has to speak of days and hours. */
  date(): Date;
  /** Rejects when the signal aborts first. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => new Date(),
  wait: (ms, signal) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const stop = () => {
        clearTimeout(timer);
        reject(signal.reason);
      };
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', stop);
        resolve();
      }, ms);
      signal.addEventListener('abort', stop, { once: true });
    }),
};

// Ends the waiting, whatever the work does: it is told to stop by its signal, and when it ignores that,
// nobody waits for it any longer. Its late answer, or its late failure, reaches nobody.

interface TimeLimit {
  readonly clock: Clock;
  readonly ms: number;
  /** Ends it too, with its own reason. */
  readonly signal: AbortSignal;
  late(): Error;
}

/** Nobody reads it: made once, because an error remembers where it was made, which costs time. */
const OVER = new Error('over');

export async function runWithinLimit<T>(
  limit: TimeLimit,
  work: (signal: AbortSignal) => T | PromiseLike<T>,
): Promise<T> {
  limit.signal.throwIfAborted();
  const over = new AbortController();
  const signal = AbortSignal.any([limit.signal, over.signal]);
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  const late = limit.clock.wait(limit.ms, over.signal).then(() => {
    throw limit.late();
  });
  const working = (async () => work(signal))();
  for (const unheard of [stopped, late, working]) unheard.catch(() => {});
  try {
    return await Promise.race([working, late, stopped]);
  } finally {
    over.abort(OVER);
  }
}
