// Parses Server-Sent Events from a stream's text as it arrives, with the JSON of each.
import { createParser } from 'eventsource-parser';

export interface Frame {
  readonly event: string;
  readonly data: unknown;
  readonly id: string | undefined;
}

export async function* readFrames(chunks: AsyncIterable<string>): AsyncGenerator<Frame> {
  const waiting: Frame[] = [];
  const parser = createParser({
    onEvent: ({ event = 'message', data, id }) =>
      waiting.push({ event, data: JSON.parse(data), id }),
  });
  for await (const chunk of chunks) {
    parser.feed(chunk);
    yield* waiting.splice(0);
  }
}

// Parses the live stream into typed events, and keeps the cursor to reconnect with.

/** `ready` opens a stream; `reset` says that the cursor is gone and the client must reload what it shows. */
export type LiveEvent = StreamOpened | Happened;

export interface StreamOpened {
  readonly type: 'ready' | 'reset';
  readonly cursor: string;
}

export interface Happened {
  readonly type: 'event';
  /** The kind of its subject: `message`, `conversation`, `approval`, `schedule`, … */
  readonly kind: string;
  /** The cursor to continue from, as `lastEventId`. */
  readonly cursor: string;
  readonly at: string;
  /** The id of the subject. */
  readonly subject: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

interface EventReader {
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
