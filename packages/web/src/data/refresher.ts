// Turns a rush of events into few requests: what was touched is collected, and asked for again once the round before
// is done and a second old. Invariant: whatever is touched is asked for after that, and never more than one round runs.
import type { QueryClient } from '@tanstack/react-query';
import type { Noun } from './touched.ts';

const GATHER_MS = 150;
/** From one round to the next while events do not end: as often as somebody can read, and the page has time for them. */
const PACE_MS = 1_000;

export interface Refresher {
  touch(nouns: readonly Noun[]): void;
  everything(): void;
}

export function createRefresher(
  queries: Pick<QueryClient, 'invalidateQueries'>,
  /** Nothing is asked for while nobody looks. */
  untilSeen: () => Promise<void> = async () => {},
): Refresher {
  const touched = new Set<Noun>();
  let all = false;
  let running = false;
  let last = Number.NEGATIVE_INFINITY;

  const round = async () => {
    const nouns = [...touched];
    const whole = all;
    touched.clear();
    all = false;
    if (whole) await queries.invalidateQueries();
    else await Promise.all(nouns.map((noun) => queries.invalidateQueries({ queryKey: [noun] })));
  };
  const run = async () => {
    if (running) return;
    running = true;
    while (all || touched.size > 0) {
      const pause = Math.max(GATHER_MS, last + PACE_MS - performance.now());
      await new Promise((resolve) => setTimeout(resolve, pause));
      await untilSeen();
      last = performance.now();
      // A query that fails says so where it is shown.
      await round().catch(() => {});
    }
    running = false;
  };
  return {
    touch(nouns) {
      for (const noun of nouns) touched.add(noun);
      void run();
    },
    everything() {
      all = true;
      void run();
    },
  };
}
