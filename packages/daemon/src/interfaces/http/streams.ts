// The open streams and pipes, by whom they belong to. Invariant: a principal that is no longer good has
// nothing open, and a closing server has nothing open at all.
import type { Writable } from 'node:stream';
import type { TokenId } from '@relay/contract/ids';
import type { Principal } from './app.ts';
import type { HttpLimits } from './deps.ts';

export interface OpenStreams {
  /** Aborts when the stream is ended from this side, or the reader is gone. */
  open(principal: Principal, stream: Writable): AbortSignal;
  end(principal: Principal): void;
  /** Whatever secret it was opened with. */
  endProgram(token: TokenId): void;
  /** Those of every browser. */
  endSessions(): void;
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
          // A reader that does not read would keep the last bytes, and the connection, for ever.
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
    end: ({ hash }) => endWhere((principal) => principal.hash === hash),
    endProgram: (token) =>
      endWhere((principal) => principal.kind === 'program' && principal.program.id === token),
    endSessions: () => endWhere((principal) => principal.kind === 'session'),
    endAll: () => endWhere(() => true),
  };
}

// Lets one loop sleep until something may have happened. Any number of rings while nobody waits
// count as one, so a burst of events costs one look at the log.

interface WakeSignal {
  ring(): void;
  /** Resolves at the next ring, at once if it rang since, after `ms`, or when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export function createWakeSignal(): WakeSignal {
  let rung = false;
  let wake: (() => void) | null = null;
  return {
    ring() {
      rung = true;
      wake?.();
    },
    async wait(ms, signal) {
      if (!rung && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const done = () => {
            clearTimeout(timer);
            signal.removeEventListener('abort', done);
            wake = null;
            resolve();
          };
          const timer = setTimeout(done, ms);
          signal.addEventListener('abort', done);
          wake = done;
        });
      }
      rung = false;
    },
  };
}

// An answer that takes its time, as SSE frames pulled by the response. Invariant: whoever stops reading
// stops the work; a reader that is slow is held as little as its events can be joined to.

interface AnswerStream<Event extends { readonly type: string }> {
  /** Tells what happens; the last event is `done` or `error`. */
  ask(sink: (event: Event) => void, signal: AbortSignal): Promise<void>;
  /** For an answer that ended without a word of its own. */
  failed(error: unknown): Event;
  /** Two that wait, as one; null when they stay two. */
  joined(last: Event, next: Event): Event | null;
  readonly signal: AbortSignal;
  /** Whether the reader may still read; asked at every slow poll. */
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
    bell.ring();
  };
  const fail = (error: unknown) => {
    if (!ended && !signal.aborted) tell(stream.failed(error));
  };
  void stream.ask(tell, signal).then(() => fail(new Error('ended without an end')), fail);
  try {
    // The headers leave with the first words, and the model may take its time with those.
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
