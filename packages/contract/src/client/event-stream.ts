// Follows the live stream and reconnects from the last event's cursor. Every event is delivered once and in order; if
// that is impossible, a `reset` says so.
import { RelayApiError, RelayConnectionError } from './api-error.ts';
import { PLATFORM, type Platform } from './platform.ts';
import { createEventReader, type LiveEvent } from './sse.ts';
import { type ClientTransport, retryPause } from './transport.ts';

const EVENTS_STREAM = '/api/events';

export interface EventStreamOptions {
  /** Ends the stream: the loop stops, and nothing is thrown. */
  readonly signal?: AbortSignal;
  /** The cursor of the last event seen; without one the stream begins with new events. */
  readonly lastEventId?: string;
  /** Called when the connection is lost; it is retried after the pause. */
  onLost?(error: Error, pauseMs: number): void;
}

/** Throws only errors that reconnecting cannot fix, such as a refused token. */
export async function* streamEvents(
  relay: Pick<ClientTransport, 'open'>,
  options: EventStreamOptions = {},
  { sleep, chance }: Pick<Platform, 'sleep' | 'chance'> = PLATFORM,
): AsyncGenerator<LiveEvent, void, void> {
  const { signal = new AbortController().signal } = options;
  let cursor = options.lastEventId;
  let lost = 0;
  while (!signal.aborted) {
    let failure: Error = new RelayConnectionError('The stream ended.');
    try {
      for await (const event of connection(relay, cursor, signal)) {
        lost = 0;
        cursor = event.cursor;
        yield event;
        if (signal.aborted) return;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!isPassing(error)) throw error;
      failure = error;
    }
    if (signal.aborted) return;
    lost += 1;
    const asked = failure instanceof RelayApiError ? failure.retryAfterMs : undefined;
    const pause = retryPause(lost, asked, chance());
    options.onLost?.(failure, pause);
    // It only fails through the signal, which the loop checks.
    await sleep(pause, signal).catch(() => {});
  }
}

const isPassing = (error: unknown): error is RelayApiError | RelayConnectionError =>
  (error instanceof RelayApiError || error instanceof RelayConnectionError) && error.retryable;

async function* connection(
  { open }: Pick<ClientTransport, 'open'>,
  cursor: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<LiveEvent, void, void> {
  const waiting: LiveEvent[] = [];
  const reader = createEventReader((event) => waiting.push(event));
  const from = cursor === undefined ? {} : { 'last-event-id': cursor };
  for await (const text of await open(EVENTS_STREAM, signal, from)) {
    reader.feed(text);
    yield* waiting.splice(0);
  }
}
