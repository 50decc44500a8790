// Server-Sent Events out of the text of a stream as it arrives, each with its JSON read.
import { createParser } from 'eventsource-parser';

export interface Frame {
  readonly event: string;
  readonly data: unknown;
}

export async function* readFrames(chunks: AsyncIterable<string>): AsyncGenerator<Frame> {
  const waiting: Frame[] = [];
  const parser = createParser({
    onEvent: ({ event = 'message', data }) => waiting.push({ event, data: JSON.parse(data) }),
  });
  for await (const chunk of chunks) {
    parser.feed(chunk);
    yield* waiting.splice(0);
  }
}

// Reads the live stream: text in as it arrives, typed events out. Keeps the cursor to come back with.

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
