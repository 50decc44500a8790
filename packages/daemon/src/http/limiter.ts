// Counts per key in fixed windows of one minute. Own code rather than @fastify/rate-limit, because
// a failure can be counted only after the credentials were looked at, for routes that exist and
// those that do not alike. Invariant: nothing a caller sends chooses the key.
export interface Limiter {
  /** Counts one; says how many seconds to wait when that is one too many. */
  hit(key: string): number | null;
}

const WINDOW_MS = 60_000;

export function createLimiter(max: number, now: () => number = () => performance.now()): Limiter {
  let opened = now();
  const counts = new Map<string, number>();
  return {
    hit(key) {
      const elapsed = now() - opened;
      if (elapsed >= WINDOW_MS) {
        counts.clear();
        opened += elapsed;
      }
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      if (count <= max) return null;
      return Math.max(1, Math.ceil((opened + WINDOW_MS - now()) / 1000));
    },
  };
}
