// Follows the live stream and reconnects from the last event's cursor. Every event is delivered once and in order; if
// that is impossible, a `reset` says so.
import { RelayApiError, RelayConnectionError } from './api-error.ts';
import type { components } from './openapi.ts';
import { PLATFORM, type Platform } from './platform.ts';
import { createEventReader, type LiveEvent, readFrames } from './sse.ts';
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

type Pauses = Pick<Platform, 'sleep' | 'chance'>;

/** Throws only errors that reconnecting cannot fix, such as a refused token. */
export const streamEvents = (
  relay: Pick<ClientTransport, 'open'>,
  options: EventStreamOptions = {},
  pauses: Pauses = PLATFORM,
): AsyncGenerator<LiveEvent, void, void> =>
  reconnecting((cursor, signal) => connection(relay, cursor, signal), options, pauses);

/** Opens the stream again after the last item's cursor, until it is ended or refused. */
async function* reconnecting<Item extends { readonly cursor: string }>(
  open: (cursor: string | undefined, signal: AbortSignal) => AsyncIterable<Item>,
  options: EventStreamOptions,
  { sleep, chance }: Pauses,
): AsyncGenerator<Item, void, void> {
  const { signal = new AbortController().signal } = options;
  let cursor = options.lastEventId;
  let lost = 0;
  while (!signal.aborted) {
    let failure: Error = new RelayConnectionError('The stream ended.');
    try {
      for await (const event of open(cursor, signal)) {
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

// The stream of version 1, of an owner or a client.

export interface V1StreamOptions extends EventStreamOptions {
  readonly account?: string;
  /** Adds names and texts, as far as the token allows. */
  readonly includeText?: boolean;
}

/** An event with the cursor to continue after it; null if the cursor was no longer kept, so that events are missing. */
export interface V1StreamItem {
  readonly cursor: string;
  readonly event: components['schemas']['Event'] | null;
}

/** Throws only errors that reconnecting cannot fix, such as a refused token. */
export function streamV1Events(
  relay: Pick<ClientTransport, 'open'>,
  options: V1StreamOptions = {},
  pauses: Pauses = PLATFORM,
): AsyncGenerator<V1StreamItem, void, void> {
  const { account = 'default', includeText = false } = options;
  const path = `/api/v1/accounts/${encodeURIComponent(account)}/events?include_text=${includeText}`;
  return reconnecting(
    async function* follow(cursor, signal) {
      let last = cursor ?? '';
      const from = cursor === undefined ? {} : { 'last-event-id': cursor };
      for await (const { event, data, id } of readFrames(await relay.open(path, signal, from))) {
        last = id ?? last;
        yield { cursor: last, event: event === RESET ? null : (data as V1StreamItem['event']) };
      }
    },
    options,
    pauses,
  );
}

const RESET = 'reset';
