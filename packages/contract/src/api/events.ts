// Frames of the live stream and the log behind it. `id` is the cursor to resume from, `event` the kind, `data` this
// JSON. Two kinds belong to the stream: `ready` opens it; `reset` says that the cursor is gone and the client must
// reload what it shows.
import { z } from 'zod';
import type { TokenClient } from './credentials.ts';
import type { V1 } from './v1.ts';

export const READY_EVENT = 'ready';
export const RESET_EVENT = 'reset';
/** A message was received; the frame's data is a BufferedMessage. The log itself stores only these ids. */
export const MESSAGE_EVENT = 'message';
export const messageRefSchema = z.object({ number: z.int(), message: z.string() });
/** The cursor of a stream that was opened while the log was empty. */
export const START_CURSOR = 'start';

const streamEventDataSchema = z.object({
  at: z.string(),
  subject: z.string().nullable(),
  data: z.record(z.string(), z.unknown()),
});

export type StreamEventData = z.infer<typeof streamEventDataSchema>;

// The append-only log behind the live stream, in commit order and followed by cursor. Once a cursor was read, no event
// that sorts before it appears later.

export interface StreamEvent {
  /** Opaque; only the log can sort it. Sent as the SSE `id`. */
  readonly cursor: string;
  readonly kind: string;
  readonly at: string;
  readonly subject: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface EventLog {
  /** Events after the cursor, oldest first. Null reads from the oldest one kept. */
  read(after: string | null, limit: number): Promise<readonly StreamEvent[]>;
  /** Whether there is an event after the cursor, also one that cannot be read yet: an older transaction still runs. */
  hasLater(after: string | null): Promise<boolean>;
  /** The cursor of the newest event, where a new stream begins. Null while the log is empty. */
  latest(): Promise<string | null>;
  /** False if the cursor is unknown or older than what is kept: the reader must reload. */
  covers(cursor: string): Promise<boolean>;
  /** Calls `wake` whenever something may have been appended. Returns a function that unsubscribes. */
  subscribe(wake: () => void): () => void;
}

// Typed events: the log's events in the form of webhooks, as the owner or one client may see them.

export interface EventViewer {
  /** Null for the owner. */
  readonly client: TokenClient | null;
  readonly includeText: boolean;
}

export interface TypedEventRow {
  /** Where reading continues after this row. */
  readonly cursor: string;
  /** None if the row is not an event of the API, or one that the viewer may not see. */
  readonly events: readonly V1<'event'>[];
}

export interface TypedEvents {
  /** The next rows of the log after the cursor. */
  read(after: string | null, limit: number, viewer: EventViewer): Promise<readonly TypedEventRow[]>;
}
