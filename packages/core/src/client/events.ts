// Reads the live stream: text in as it arrives, typed events out. Keeps the cursor to come back with.
import { createParser } from 'eventsource-parser';
import {
  READY_EVENT,
  RESET_EVENT,
  type StreamEventData,
  streamEventDataSchema,
} from '../api/events.ts';

export type LiveEvent =
  | { readonly type: 'ready' | 'reset'; readonly cursor: string }
  | ({ readonly type: 'event'; readonly kind: string; readonly cursor: string } & StreamEventData);

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
      if (kind === READY_EVENT || kind === RESET_EVENT) onEvent({ type: kind, cursor });
      else
        onEvent({ type: 'event', kind, cursor, ...streamEventDataSchema.parse(JSON.parse(data)) });
      last = cursor;
    },
  });
  return { feed: parser.feed, cursor: () => last };
}
