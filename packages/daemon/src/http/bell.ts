// Lets one loop sleep until something may have happened. Any number of rings while nobody waits
// count as one, so a burst of events costs one look at the log.

export interface Bell {
  ring(): void;
  /** Resolves at the next ring, at once if it rang since, after `ms`, or when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export function createBell(): Bell {
  let rung = false;
  let wake: (() => void) | null = null;
  return {
    ring() {
      rung = true;
      wake?.();
    },
    async wait(ms, signal) {
      if (!rung && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const done = () => {
            clearTimeout(timer);
            signal.removeEventListener('abort', done);
            wake = null;
            resolve();
          };
          const timer = setTimeout(done, ms);
          signal.addEventListener('abort', done);
          wake = done;
        });
      }
      rung = false;
    },
  };
}
