// The platform of the published client: fetch, timers and randomness as browsers and Node 20 both have them. The only
// file of contract with side effects; everything else takes them as arguments, so that tests can replace them.

export interface Platform {
  readonly fetch: typeof globalThis.fetch;
  /** Milliseconds. */
  now(): number;
  /** Rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** A random number from 0 to 1. */
  chance(): number;
  newKey(): string;
}

export const PLATFORM: Platform = {
  // Looked up at every call, so that a replaced fetch (tests, tracing) is used here too.
  fetch: (...args) => globalThis.fetch(...args),
  now: () => Date.now(),
  sleep,
  chance: () => Math.random(),
  // Pages served over plain HTTP have no `randomUUID`.
  newKey: () =>
    [...crypto.getRandomValues(new Uint8Array(16))]
      .map((byte) => byte.toString(16).padStart(2, '0'))
      .join(''),
};

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
