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

export const streamEventDataSchema = z.object({
  at: z.string(),
  subject: z.string().nullable(),
  data: z.record(z.string(), z.unknown()),
});

export type StreamEventData = z.infer<typeof streamEventDataSchema>;
