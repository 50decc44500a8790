// Keeps track of open streams and pipes by principal.
// Invariant: a principal that is no longer valid has nothing open, and neither has a closing server.
import type { Writable } from 'node:stream';
import type { EventLog } from '@relay/contract/api/events';
import { HOME_OWNER, type OwnerId, type TokenId } from '@relay/contract/ids';
import type { Principal } from './app.ts';
import type { HttpLimits } from './deps.ts';

export interface OpenStreams {
  /** The signal aborts when the server ends the stream or the reader disconnects. */
  open(principal: Principal, stream: Writable): AbortSignal;
  /** For work that outlives its stream: the signal aborts only when the server ends what the principal has open. */
  openWork(principal: Principal): { readonly signal: AbortSignal; close(): void };
  end(principal: Principal): void;
  /** Ends the token's streams, whichever secret they were opened with. */
  endProgram(token: TokenId): void;
  /** Ends the streams of the owner's browser sessions, also those of their devices. */
  endSessions(owner: OwnerId): void;
  endDevices(): void;
  /** Ends what the owner has open; for the home's owner also what clients and forwarders have. */
  endOwner(owner: OwnerId): void;
  endAll(): void;
}

export function createOpenStreams(): OpenStreams {
  const live = new Set<{ principal: Principal; end(): void }>();
  const endWhere = (matches: (principal: Principal) => boolean) => {
    for (const stream of [...live]) if (matches(stream.principal)) stream.end();
  };
  return {
    open(principal, stream) {
      const controller = new AbortController();
      const opened = {
        principal,
        end() {
          controller.abort();
          // A client that does not read would keep the last bytes, and the connection, forever.
          if (stream.writableNeedDrain) stream.destroy();
        },
      };
      live.add(opened);
      stream.once('close', () => {
        live.delete(opened);
        controller.abort();
      });
      return controller.signal;
    },
    openWork(principal) {
      const controller = new AbortController();
      const opened = { principal, end: () => controller.abort() };
      live.add(opened);
      return { signal: controller.signal, close: () => live.delete(opened) };
    },
    end: ({ hash }) => endWhere((principal) => principal.hash === hash),
    endProgram: (token) =>
      endWhere((principal) => principal.kind === 'program' && principal.program.id === token),
    endSessions: (owner) =>
      endWhere(
        (principal) =>
          (principal.kind === 'session' || principal.kind === 'device') &&
          principal.owner.id === owner,
      ),
    endDevices: () => endWhere(({ kind }) => kind === 'device'),
    endOwner: (owner) =>
      endWhere((principal) =>
        'owner' in principal ? principal.owner.id === owner : owner === HOME_OWNER,
      ),
    endAll: () => endWhere(() => true),
  };
}

// Lets one loop sleep until something may have happened. Several wakes while nothing waits count as one, so a burst of
// events costs one read of the log.

interface WakeSignal {
  wake(): void;
  /** Resolves at the next wake, at once if it was woken since the last wait, after `ms`, or when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export function createWakeSignal(): WakeSignal {
  let woken = false;
  let endWait: (() => void) | null = null;
  return {
    wake() {
      woken = true;
      endWait?.();
    },
    async wait(ms, signal) {
      if (!woken && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const done = () => {
            clearTimeout(timer);
            signal.removeEventListener('abort', done);
            endWait = null;
            resolve();
          };
          const timer = setTimeout(done, ms);
          signal.addEventListener('abort', done);
          endWait = done;
        });
      }
      woken = false;
    },
  };
}

interface EventWait {
  readonly bell: WakeSignal;
  readonly limits: Pick<HttpLimits, 'pollMs' | 'heldBackMs'>;
  readonly signal: AbortSignal;
}

/** Waits until the log may have events after the cursor that can be read. */
export async function waitForEvents(
  log: Pick<EventLog, 'hasLater'>,
  cursor: string | null,
  { bell, limits, signal }: EventWait,
): Promise<void> {
  const isHeldBack = await log.hasLater(cursor);
  await bell.wait(isHeldBack ? limits.heldBackMs : limits.pollMs, signal);
}

// A slow answer as SSE frames, pulled by the response.
// Invariant: a client that stops reading stops the work, and events waiting for a slow client are merged where
// possible.

interface AnswerStream<Event extends { readonly type: string }> {
  /** Reports progress to `sink`; the last event is `done` or `error`. */
  ask(sink: (event: Event) => void, signal: AbortSignal): Promise<void>;
  /** The event for an answer that ended without a last event of its own. */
  failed(error: unknown): Event;
  /** Merges two waiting events into one; null when they cannot be merged. */
  joined(last: Event, next: Event): Event | null;
  readonly signal: AbortSignal;
  /** Whether the client may still read; checked at every slow poll. */
  allowed(): Promise<boolean>;
  readonly limits: Pick<HttpLimits, 'pollMs' | 'keepAliveMs'>;
}

export async function* answerFrames<Event extends { readonly type: string }>(
  stream: AnswerStream<Event>,
): AsyncGenerator<string, void, void> {
  const { limits } = stream;
  const bell = createWakeSignal();
  const left = new AbortController();
  const signal = AbortSignal.any([stream.signal, left.signal]);
  const waiting: Event[] = [];
  let ended = false;
  const tell = (event: Event) => {
    if (ended) return;
    ended = isLast(event);
    const last = waiting.at(-1);
    const joined = last === undefined ? null : stream.joined(last, event);
    if (joined === null) waiting.push(event);
    else waiting.splice(-1, 1, joined);
    bell.wake();
  };
  const fail = (error: unknown) => {
    if (!ended && !signal.aborted) tell(stream.failed(error));
  };
  void stream.ask(tell, signal).then(() => fail(new Error('ended without an end')), fail);
  try {
    // The headers are sent with the first bytes, and the model may take a while for its first words.
    yield ': asked\n\n';
    let spoke = performance.now();
    let checked = spoke;
    while (!signal.aborted) {
      for (let event = waiting.shift(); event !== undefined; event = waiting.shift()) {
        yield frame(event);
        if (isLast(event)) return;
        spoke = performance.now();
      }
      await bell.wait(Math.min(limits.pollMs, limits.keepAliveMs), signal);
      const now = performance.now();
      if (now - checked >= limits.pollMs) {
        checked = now;
        if (!(await stream.allowed())) return;
      }
      if (!signal.aborted && now - spoke >= limits.keepAliveMs) {
        spoke = now;
        yield ': keep-alive\n\n';
      }
    }
  } finally {
    left.abort();
  }
}

const isLast = ({ type }: { readonly type: string }): boolean =>
  type === 'done' || type === 'error';

const frame = (event: { readonly type: string }): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
