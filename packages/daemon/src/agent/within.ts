// Ends the waiting, whatever the work does: it is told to stop by its signal, and when it ignores that,
// nobody waits for it any longer. Its late answer, or its late failure, reaches nobody.
import type { Clock } from './clock.ts';

export interface Limit {
  readonly clock: Clock;
  readonly ms: number;
  /** Ends it too, with its own reason. */
  readonly signal: AbortSignal;
  late(): Error;
}

/** Nobody reads it: made once, because an error remembers where it was made, which costs time. */
const OVER = new Error('over');

export async function within<T>(
  limit: Limit,
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
