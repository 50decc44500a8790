// The live stream's frames. `id` is the cursor to resume from, `event` the kind, `data` this JSON.
// Two kinds are the stream's own: `ready` opens it, `reset` says that the cursor asked for is gone
// and that whatever the client shows must be loaded anew.
import { z } from 'zod';

export const READY_EVENT = 'ready';
export const RESET_EVENT = 'reset';
/** A message came in; the frame's data is a BufferedMessage, of which the log keeps only these ids. */
export const MESSAGE_EVENT = 'message';
export const messageRefSchema = z.object({ number: z.int(), message: z.string() });
/** The cursor of a stream opened while the log was still empty. */
export const START_CURSOR = 'start';

const streamEventDataSchema = z.object({
  at: z.string(),
  subject: z.string().nullable(),
  data: z.record(z.string(), z.unknown()),
});

export type StreamEventData = z.infer<typeof streamEventDataSchema>;

// What the live stream reads: an append-only log in commit order, followed by cursor.
// Invariant: once a cursor was read, no event that sorts before it appears later.

export interface StreamEvent {
  /** Opaque, sortable only by the log itself; goes out as the SSE `id`. */
  readonly cursor: string;
  readonly kind: string;
  readonly at: string;
  readonly subject: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface EventLog {
  /** Events after the cursor, oldest first. Null reads from the oldest kept. */
  read(after: string | null, limit: number): Promise<readonly StreamEvent[]>;
  /** The cursor of the newest event: where a new stream begins. Null while there is none. */
  latest(): Promise<string | null>;
  /** False when the cursor is unknown or older than what is kept: the reader must start afresh. */
  covers(cursor: string): Promise<boolean>;
  /** Calls `wake` whenever something may have been appended. Returns the way to stop. */
  subscribe(wake: () => void): () => void;
}
