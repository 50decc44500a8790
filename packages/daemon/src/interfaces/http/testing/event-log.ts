// An event log in memory: read by cursor, with as many events as the test keeps.
import type { EventLog, StreamEvent } from '@relay/contract/api/events';
import { AT } from './at.ts';

export interface MemoryLog extends EventLog {
  append(kind: string, data?: Record<string, unknown>): void;
  /** Events that are appended cannot be read until this is called again with false; then nothing wakes a reader. */
  holdBack(on: boolean): void;
  /** Deletes all but the newest events, as retention does. */
  keep(count: number): void;
  subscribers(): number;
  /** Number of events given to readers so far. */
  handedOut(): number;
}

export function memoryEventLog(): MemoryLog {
  let events: StreamEvent[] = [];
  let next = 1;
  let handedOut = 0;
  let heldFrom = Number.POSITIVE_INFINITY;
  const wakes = new Set<() => void>();
  const number = (cursor: string | null) => (cursor === null ? 0 : Number(cursor));
  return {
    append(kind, data = {}) {
      events.push({ cursor: String(next++), kind, at: AT, subject: null, data });
      for (const wake of wakes) wake();
    },
    holdBack(on) {
      heldFrom = on ? next : Number.POSITIVE_INFINITY;
    },
    keep(count) {
      events = events.slice(-count);
    },
    subscribers: () => wakes.size,
    handedOut: () => handedOut,
    async read(after, limit) {
      const first = events[0];
      if (first === undefined) return [];
      const from = Math.max(0, number(after) - number(first.cursor) + 1);
      const found = events
        .slice(from, from + limit)
        .filter(({ cursor }) => number(cursor) < heldFrom);
      handedOut += found.length;
      return found;
    },
    hasLater: async (after) => number(after) < next - 1,
    latest: async () => events.at(-1)?.cursor ?? null,
    covers: async (cursor) =>
      number(cursor) >= number(events[0]?.cursor ?? null) && number(cursor) < next,
    subscribe(wake) {
      wakes.add(wake);
      return () => wakes.delete(wake);
    },
  };
}
