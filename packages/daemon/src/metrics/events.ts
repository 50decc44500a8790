// Counts what happens, by its kind, from the event log. Beginning at the newest event of the start: what was before
// belongs to the counter of the daemon before. Invariant: at most one reader, and a burst costs few looks.
import type { Log } from '@relay/core/log';
import type { EventLog } from '@relay/core/ports/event-log';
import { Counter, type Registry } from 'prom-client';

const AT_ONCE = 500;
const REST_MS = 1_000;

export function countEvents(registry: Registry, events: EventLog, log: Log): { stop(): void } {
  const counter = new Counter({
    name: 'relay_events_total',
    help: 'What happened since the start, by its kind.',
    labelNames: ['kind'],
    registers: [registry],
  });
  let from: string | null = null;
  let begun = false;
  let isReading = false;
  let isAskedAgain = false;
  let rest: NodeJS.Timeout | undefined;

  const take = async () => {
    if (!begun) {
      from = await events.latest();
      begun = true;
    }
    for (;;) {
      const page = await events.read(from, AT_ONCE);
      for (const { kind } of page) counter.inc({ kind });
      from = page.at(-1)?.cursor ?? from;
      if (page.length < AT_ONCE) return;
    }
  };
  const look = () => {
    if (isReading) {
      isAskedAgain = true;
      return;
    }
    isReading = true;
    take()
      .catch((error: unknown) => log.warn('events could not be counted', { error }))
      .finally(() => {
        rest = setTimeout(() => {
          isReading = false;
          if (!isAskedAgain) return;
          isAskedAgain = false;
          look();
        }, REST_MS);
        rest.unref();
      });
  };
  const unsubscribe = events.subscribe(look);
  look();
  return {
    stop() {
      unsubscribe();
      clearTimeout(rest);
    },
  };
}
