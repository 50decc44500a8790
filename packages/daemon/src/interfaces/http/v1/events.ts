// Events of version 1: what happened, in the form of webhooks, as pages or as a stream.
import { Readable } from 'node:stream';
import {
  type EventViewer,
  RESET_EVENT,
  START_CURSOR,
  type TypedEventRow,
} from '@relay/contract/api/events';
import type { V1 } from '@relay/contract/api/v1';
import { RelayError } from '@relay/contract/errors';
import { z } from 'zod';
import type { App } from '../app.ts';
import type { HttpDeps, HttpLimits } from '../deps.ts';
import { createWakeSignal, waitForEvents } from '../streams.ts';
import { EXAMPLE } from './examples.ts';
import {
  clientBehind,
  operation,
  pageQuery,
  readPage,
  toPage,
  type V1Context,
} from './operation.ts';

const LIST = 'events';
const LATEST = 'latest';
const PLACE = /^(start|[\d-]{1,40})$/;
/** Rows that are read at once; most of them may be invisible to the caller. */
const BATCH = 200;

export function eventOperations(app: App, context: V1Context): void {
  operation(app, context, {
    method: 'GET',
    path: '/events',
    operationId: 'events.list',
    summary: 'List events, oldest first, or follow them as Server-Sent Events',
    description:
      'Ask again with `next_cursor` for later events; it is never null. Without a cursor the page begins with the oldest event that is kept, with `cursor=latest` at the present. With `Accept: text/event-stream` the response is a stream: `event` is the type, `data` the event, and `id` the cursor that `Last-Event-ID` resumes after; the event `reset` says that the cursor is no longer kept. Names and texts only with `include_text`; for a client only of messages, with the scope `messages:read` and a grant to read, and then it counts as reading the chat.',
    tag: 'events',
    scope: 'events:read',
    query: z.strictObject({ ...pageQuery, include_text: z.stringbool().default(false) }),
    response: 'events',
    streams: true,
    problems: [410],
    example: {
      query: { limit: 20 },
      response: { data: EXAMPLE.events, next_cursor: 'ZXZlbnRzCjEyMzQ1LTY3' },
    },
    async run({ services, query, principal, request, reply, signal }) {
      const viewer = { client: clientBehind(principal) ?? null, includeText: query.include_text };
      const { events } = services;
      if (request.headers.accept?.includes('text/event-stream') === true) {
        const { streams, authenticator, limits } = context;
        const frames = eventFrames(services, {
          viewer,
          after: await resumedAt(
            services,
            String(request.headers['last-event-id'] ?? query.cursor ?? LATEST),
          ),
          signal: AbortSignal.any([signal, streams.open(principal, reply.raw)]),
          allowed: () => authenticator.holds(principal),
          limits,
        });
        const stream = Readable.from(frames, { objectMode: false });
        stream.on('error', (error) => services.log.warn('event stream failed', { error }));
        return reply.type('text/event-stream').header('cache-control', 'no-store').send(stream);
      }
      if (query.cursor === LATEST) {
        return toPage(LIST, { data: [], next_cursor: (await events.latest()) ?? START_CURSOR });
      }
      const { cursor } = readPage(LIST, query, PLACE);
      if (cursor !== null && cursor !== START_CURSOR && !(await events.covers(cursor))) {
        throw new RelayError('cursor_gone');
      }
      return toPage(
        LIST,
        await readEvents(services, viewer, { after: cursor, limit: query.limit, signal }),
      );
    },
  });
}

interface PageOfEvents {
  readonly after: string | null;
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** Whole rows of the log, until the page is full or the log ends. */
async function readEvents(
  { typedEvents }: HttpDeps,
  viewer: EventViewer,
  { after, limit, signal }: PageOfEvents,
) {
  const data: V1<'event'>[] = [];
  let place = after;
  while (data.length < limit && !signal.aborted) {
    const from = place === START_CURSOR ? null : place;
    // A first page is small; where little is visible, the next look reads more.
    const size = place === after ? Math.min(BATCH, limit) : BATCH;
    const rows = await typedEvents.read(from, size, viewer);
    for (const { cursor, events } of rows) {
      if (data.length > 0 && data.length + events.length > limit) {
        return { data, next_cursor: place };
      }
      data.push(...events);
      place = cursor;
    }
    if (rows.length === 0) break;
  }
  return { data, next_cursor: place ?? START_CURSOR };
}

/** The place to continue after; null if it is no longer kept. */
async function resumedAt({ events }: HttpDeps, cursor: string): Promise<string | null> {
  if (cursor === LATEST) return (await events.latest()) ?? START_CURSOR;
  const { cursor: place } = readPage(LIST, { cursor, limit: 1 }, PLACE);
  if (place === START_CURSOR) return place;
  return place !== null && (await events.covers(place)) ? place : null;
}

interface StreamRequest {
  readonly viewer: EventViewer;
  readonly after: string | null;
  readonly signal: AbortSignal;
  /** Whether the caller may still read; checked at every slow poll. */
  allowed(): Promise<boolean>;
  readonly limits: Pick<HttpLimits, 'pollMs' | 'heldBackMs' | 'keepAliveMs' | 'streamBatch'>;
}

// Pulled by the response: a reader that stops stops the generator.
async function* eventFrames(
  { events, typedEvents }: HttpDeps,
  { viewer, after, signal, allowed, limits }: StreamRequest,
): AsyncGenerator<string, void, void> {
  const bell = createWakeSignal();
  const unsubscribe = events.subscribe(bell.wake);
  try {
    let place = after ?? (await events.latest()) ?? START_CURSOR;
    yield `retry: 2000\n${after === null ? `event: ${RESET_EVENT}\n${idLine(place)}data: {}\n\n` : ': ready\n\n'}`;
    let [spoke, checked] = [performance.now(), performance.now()];
    while (!signal.aborted) {
      const from = place === START_CURSOR ? null : place;
      const rows = await typedEvents.read(from, limits.streamBatch, viewer);
      for (const row of rows) {
        place = row.cursor;
        const frames = framesOf(row);
        if (frames === '') continue;
        yield frames;
        spoke = performance.now();
      }
      if (rows.length < limits.streamBatch) {
        await waitForEvents(events, place, { bell, limits, signal });
      }
      const now = performance.now();
      if (now - checked >= limits.pollMs) {
        checked = now;
        if (!(await allowed())) return;
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

/** Only the last event of a row has an id, so that resuming never skips the others. */
const framesOf = ({ cursor, events }: TypedEventRow): string =>
  events
    .map((event, n) => {
      const id = n === events.length - 1 ? idLine(cursor) : '';
      return `${id}event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
    })
    .join('');

const idLine = (place: string): string =>
  `id: ${toPage(LIST, { data: [], next_cursor: place }).next_cursor}\n`;
