// Intervals of the same length share one timer: hundreds of accounts wake the process as often as one.

interface SharedTimer {
  readonly timer: NodeJS.Timeout;
  readonly calls: Set<() => void>;
}

const timers = new Map<number, SharedTimer>();

/** Returns a function that ends it. A call must not throw. */
export function everyMs(ms: number, call: () => void): () => void {
  const shared = timers.get(ms) ?? startTimer(ms);
  const own = () => call();
  shared.calls.add(own);
  return () => {
    if (!shared.calls.delete(own) || shared.calls.size > 0) return;
    clearInterval(shared.timer);
    if (timers.get(ms) === shared) timers.delete(ms);
  };
}

function startTimer(ms: number): SharedTimer {
  const calls = new Set<() => void>();
  const timer = setInterval(() => {
    for (const call of calls) call();
  }, ms);
  const shared = { timer, calls };
  timers.set(ms, shared);
  return shared;
}
