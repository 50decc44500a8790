// Reads the live stream: text in as it arrives, typed events out. Keeps the cursor to come back with.
import { createParser } from 'eventsource-parser';

/** `ready` opens a stream; `reset` says that the cursor asked for is gone and what is shown must be loaded anew. */
export type LiveEvent = StreamOpened | Happened;

export interface StreamOpened {
  readonly type: 'ready' | 'reset';
  readonly cursor: string;
}

export interface Happened {
  readonly type: 'event';
  /** What it is about: `message`, `conversation`, `approval`, `schedule`, … */
  readonly kind: string;
  /** To go on from here, as `lastEventId`. */
  readonly cursor: string;
  readonly at: string;
  /** The id of what it is about. */
  readonly subject: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface EventReader {
  feed(text: string): void;
  /** For the `Last-Event-ID` header of the next connection; null before the first frame. */
  cursor(): string | null;
}

export function createEventReader(onEvent: (event: LiveEvent) => void): EventReader {
  let last: string | null = null;
  const parser = createParser({
    onEvent({ id, event: kind = 'message', data }) {
      const cursor = id ?? last ?? '';
      if (kind === 'ready' || kind === 'reset') onEvent({ type: kind, cursor });
      else onEvent({ type: 'event', kind, cursor, ...JSON.parse(data) });
      last = cursor;
    },
  });
  return { feed: parser.feed, cursor: () => last };
}
