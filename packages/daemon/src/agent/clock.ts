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
