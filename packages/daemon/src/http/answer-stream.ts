// An answer that takes its time, as SSE frames pulled by the response. Invariant: whoever stops reading
// stops the work; a reader that is slow is held as little as its events can be joined to.
import { createBell } from './bell.ts';
import type { Limits } from './limits.ts';

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
  readonly limits: Pick<Limits, 'pollMs' | 'keepAliveMs'>;
}

export async function* answerFrames<Event extends { readonly type: string }>(
  stream: AnswerStream<Event>,
): AsyncGenerator<string, void, void> {
  const { limits } = stream;
  const bell = createBell();
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
