// The clock of an agent's session. Durations are measured on a monotonic clock, so that a change of the system time
// ends no turn. Tests pass their own clock.
export interface Clock {
  /** Milliseconds since some moment; never goes back. */
  now(): number;
  /** The system time, for texts with dates and times. */
  date(): Date;
  /** Rejects if the signal aborts first. */
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

// Runs work with a time limit. The signal tells the work to stop; if it ignores that, the call ends anyway, and its
// late result or error is dropped.

interface TimeLimit {
  readonly clock: Clock;
  readonly ms: number;
  /** Also ends the work, with its own reason. */
  readonly signal: AbortSignal;
  timeoutError(): Error;
}

/** Never reported. Created once, because capturing a stack trace costs time. */
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
    throw limit.timeoutError();
  });
  const working = (async () => work(signal))();
  for (const unheard of [stopped, late, working]) unheard.catch(() => {});
  try {
    return await Promise.race([working, late, stopped]);
  } finally {
    over.abort(OVER);
  }
}
