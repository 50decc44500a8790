// The live stream of all events, for the console and for `--follow`.
import { Readable } from 'node:stream';
import {
  type EventLog,
  MESSAGE_EVENT,
  messageRefSchema,
  READY_EVENT,
  RESET_EVENT,
  START_CURSOR,
  type StreamEvent,
} from '@relay/contract/api/events';
import type { BufferedMessage, MessageReader } from '@relay/contract/api/whatsapp';
import { RelayError } from '@relay/contract/errors';
import { z } from 'zod';
import { type App, errorResponses, streamSchema } from '../app.ts';
import type { HttpDeps, HttpLimits } from '../deps.ts';
import type { Authenticator } from '../guard.ts';
import { createWakeSignal, type OpenStreams, waitForEvents } from '../streams.ts';

export function eventRoutes(
  app: App,
  deps: Pick<HttpDeps, 'events' | 'messages' | 'log'>,
  streamDeps: { streams: OpenStreams; authenticator: Authenticator; limits: HttpLimits },
): void {
  app.get(
    '/api/events',
    {
      schema: {
        operationId: 'streamEvents',
        summary: 'Follow events, as Server-Sent Events',
        description:
          'Resume with the `Last-Event-ID` header. The first event is `ready` with the cursor, or `reset` if the requested cursor no longer exists; then reload everything. `message` contains each received message, in the form of `GET /api/whatsapp/messages`.',
        tags: ['events'],
        headers: z.object({ 'last-event-id': z.string().min(1).max(200).optional() }),
        response: {
          200: { content: { 'text/event-stream': { schema: streamSchema } } },
          ...errorResponses(400),
        },
      },
    },
    async (request, reply) => {
      const { principal } = request;
      if (principal === null) throw new RelayError('unauthorized');
      const frames = eventFrames({
        log: deps.events,
        messages: deps.messages,
        lastEventId: request.headers['last-event-id'] ?? null,
        signal: streamDeps.streams.open(principal, reply.raw),
        allowed: () => streamDeps.authenticator.holds(principal),
        limits: streamDeps.limits,
      });
      const stream = Readable.from(frames, { objectMode: false });
      // The client reconnects with its cursor, so a broken stream loses nothing.
      stream.on('error', (error) => deps.log.warn('event stream failed', { error }));
      return reply.type('text/event-stream').header('cache-control', 'no-store').send(stream);
    },
  );
}

// The live stream as a generator of SSE frames, pulled by the response: a client that stops reading stops the
// generator, so at most one batch is held for it.
// Invariant: the frames contain every event after the cursor, once and in order; where that is impossible, the stream
// sends a `reset`.

interface StreamRequest {
  readonly log: EventLog;
  readonly messages: Pick<MessageReader, 'byRefs'>;
  readonly lastEventId: string | null;
  readonly signal: AbortSignal;
  /** Whether the client may still read; checked at every slow poll. */
  allowed(): Promise<boolean>;
  readonly limits: Pick<HttpLimits, 'pollMs' | 'heldBackMs' | 'keepAliveMs' | 'streamBatch'>;
}

async function* eventFrames(request: StreamRequest): AsyncGenerator<string, void, void> {
  const { log, signal, limits } = request;
  const bell = createWakeSignal();
  const unsubscribe = log.subscribe(bell.wake);
  try {
    const begin = await beginning(log, request.lastEventId);
    let { cursor } = begin;
    yield `retry: 2000\n${frame(begin.kind, cursor ?? START_CURSOR, {})}`;
    let spoke = performance.now();
    let checked = spoke;
    while (!signal.aborted) {
      const events = await log.read(cursor, limits.streamBatch);
      const words = await messagesOf(events, request.messages);
      for (const event of events) {
        cursor = event.cursor;
        const data = event.kind === MESSAGE_EVENT ? words.get(event.cursor) : event.data;
        // The message has been erased since: skip it.
        if (data === undefined) continue;
        yield eventFrame({ ...event, data });
        spoke = performance.now();
      }
      if (events.length < limits.streamBatch) {
        await waitForEvents(log, cursor, { bell, limits, signal });
      }
      const now = performance.now();
      if (now - checked >= limits.pollMs) {
        checked = now;
        if (!(await request.allowed())) return;
      }
      if (now - spoke >= limits.keepAliveMs) {
        spoke = now;
        yield ': keep-alive\n\n';
      }
    }
  } finally {
    unsubscribe();
  }
}

async function beginning(log: EventLog, lastEventId: string | null) {
  if (lastEventId === START_CURSOR) return { kind: READY_EVENT, cursor: null };
  if (lastEventId === null) return { kind: READY_EVENT, cursor: await log.latest() };
  if (await log.covers(lastEventId)) return { kind: READY_EVENT, cursor: lastEventId };
  return { kind: RESET_EVENT, cursor: await log.latest() };
}

/** The log names a message but does not contain its text, so the text is read when the event is sent. */
async function messagesOf(
  events: readonly StreamEvent[],
  messages: Pick<MessageReader, 'byRefs'>,
): Promise<ReadonlyMap<string, BufferedMessage>> {
  const refs = events.flatMap(({ kind, cursor, data }) => {
    const ref = kind === MESSAGE_EVENT ? messageRefSchema.safeParse(data).data : undefined;
    return ref === undefined ? [] : [{ cursor, ...ref }];
  });
  const found = refs.length === 0 ? new Map() : await messages.byRefs(refs);
  return new Map(
    refs.flatMap(({ cursor, number }) => {
      const message = found.get(number);
      return message === undefined ? [] : [[cursor, message] as const];
    }),
  );
}

function eventFrame({ kind, cursor, at, subject, data }: StreamEvent): string {
  return frame(kind, cursor, { at, subject, data });
}

/** JSON contains no line break, and the other two fields must not either: a break would end the frame. */
function frame(kind: string, cursor: string, data: unknown): string {
  const line = (text: string) => text.replace(/[\r\n]/g, ' ');
  return `id: ${line(cursor)}\nevent: ${line(kind)}\ndata: ${JSON.stringify(data)}\n\n`;
}
