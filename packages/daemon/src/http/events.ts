// The live stream as a generator of SSE frames, pulled by the response: a reader that does not read
// stops the pulling, so one batch is all that is ever held for it. Invariant: the frames carry every
// event after the cursor, once and in order; where that cannot be, a `reset` says so.
import {
  MESSAGE_EVENT,
  messageRefSchema,
  READY_EVENT,
  RESET_EVENT,
  START_CURSOR,
} from '@relay/core/api/events';
import type { BufferedMessage } from '@relay/core/api/whatsapp';
import type { EventLog, StreamEvent } from '@relay/core/ports/event-log';
import type { MessageReader } from '@relay/core/ports/messages';
import { createBell } from './bell.ts';
import type { Limits } from './limits.ts';

interface StreamRequest {
  readonly log: EventLog;
  readonly messages: Pick<MessageReader, 'named'>;
  readonly lastEventId: string | null;
  readonly signal: AbortSignal;
  /** Whether the reader may still read; asked at every slow poll. */
  allowed(): Promise<boolean>;
  readonly limits: Pick<Limits, 'pollMs' | 'keepAliveMs' | 'streamBatch'>;
}

export async function* eventFrames(request: StreamRequest): AsyncGenerator<string, void, void> {
  const { log, signal, limits } = request;
  const bell = createBell();
  const unsubscribe = log.subscribe(bell.ring);
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
        // Erased since it came in: there is nothing to tell.
        if (data === undefined) continue;
        yield eventFrame({ ...event, data });
        spoke = performance.now();
      }
      if (events.length < limits.streamBatch) await bell.wait(limits.pollMs, signal);
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

/** The log names a message and never holds its words: they are read when they are told. */
async function messagesOf(
  events: readonly StreamEvent[],
  messages: Pick<MessageReader, 'named'>,
): Promise<ReadonlyMap<string, BufferedMessage>> {
  const refs = events.flatMap(({ kind, cursor, data }) => {
    const ref = kind === MESSAGE_EVENT ? messageRefSchema.safeParse(data).data : undefined;
    return ref === undefined ? [] : [{ cursor, ...ref }];
  });
  const found = refs.length === 0 ? new Map() : await messages.named(refs);
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

/** JSON holds no line break, and neither may the other two: a break would end the frame. */
function frame(kind: string, cursor: string, data: unknown): string {
  const line = (text: string) => text.replace(/[\r\n]/g, ' ');
  return `id: ${line(cursor)}\nevent: ${line(kind)}\ndata: ${JSON.stringify(data)}\n\n`;
}
