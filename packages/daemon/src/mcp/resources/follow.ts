// Follows the log of events for as long as somebody wants to hear of them: from now on, in order, one batch at
// a time. A batch that could not be told is told again.
import type { EventLog, StreamEvent } from '@relay/core/ports/event-log';

const BATCH = 200;
/** How often it looks though nothing woke it: what waited for an older transaction wakes nobody. */
const LOOK_MS = 2_000;

type Take = (batch: readonly StreamEvent[]) => Promise<void>;

/** Resolves once nothing that happens from then on can be missed; gives the way to stop. */
export async function followLog(
  log: EventLog,
  take: Take,
  onerror: (error: unknown) => void,
): Promise<() => void> {
  let cursor = await log.latest();
  let stopped = false;
  let looking = false;
  let again = false;
  const next = async (): Promise<boolean> => {
    const batch = await log.read(cursor, BATCH);
    if (stopped || batch.length === 0) return false;
    await take(batch);
    cursor = batch.at(-1)?.cursor ?? cursor;
    return batch.length === BATCH;
  };
  const look = async () => {
    again = true;
    if (looking) return;
    looking = true;
    try {
      while (again && !stopped) {
        again = false;
        while (await next());
      }
    } catch (error) {
      onerror(error);
    } finally {
      looking = false;
    }
  };
  const unsubscribe = log.subscribe(() => void look());
  const timer = setInterval(() => void look(), LOOK_MS);
  timer.unref();
  void look();
  return () => {
    stopped = true;
    unsubscribe();
    clearInterval(timer);
  };
}
