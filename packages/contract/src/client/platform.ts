// The one file of contract that touches the world, for the published client: fetch, timers and chance, as browsers and
// Node 20 have them alike. Everything else takes them from here as arguments, so that tests bring their own.

export interface Platform {
  readonly fetch: typeof globalThis.fetch;
  /** Milliseconds. */
  now(): number;
  /** Rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** From 0 to 1. */
  chance(): number;
  newKey(): string;
}

export const PLATFORM: Platform = {
  // Looked up at the call: whoever replaces it, as tests and tracing do, means this client too.
  fetch: (...args) => globalThis.fetch(...args),
  now: () => Date.now(),
  sleep,
  chance: () => Math.random(),
  // `randomUUID` is not there on pages that came over plain HTTP.
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
