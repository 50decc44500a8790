// One question to the assistant as SSE frames, pulled by the response. Invariant: whoever stops reading
// stops the turn; a reader that is slow is held one text, however many pieces it came in.
import type { AssistantEvent } from '@relay/core/api/assistant';
import { createBell } from './bell.ts';
import type { Limits } from './limits.ts';

interface AssistantStream {
  ask(sink: (event: AssistantEvent) => void, signal: AbortSignal): Promise<void>;
  /** For an answer that ended without a word of its own. */
  failed(error: unknown): AssistantEvent;
  readonly signal: AbortSignal;
  /** Whether the reader may still read; asked at every slow poll. */
  allowed(): Promise<boolean>;
  readonly limits: Pick<Limits, 'pollMs' | 'keepAliveMs'>;
}

export async function* assistantFrames(
  stream: AssistantStream,
): AsyncGenerator<string, void, void> {
  const { limits } = stream;
  const bell = createBell();
  const left = new AbortController();
  const signal = AbortSignal.any([stream.signal, left.signal]);
  const waiting: AssistantEvent[] = [];
  let ended = false;
  const tell = (event: AssistantEvent) => {
    if (ended) return;
    ended = event.type === 'done' || event.type === 'error';
    const last = waiting.at(-1);
    if (event.type === 'text' && last?.type === 'text')
      waiting.splice(-1, 1, { type: 'text', delta: last.delta + event.delta });
    else waiting.push(event);
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
        if (event.type === 'done' || event.type === 'error') return;
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

const frame = (event: AssistantEvent): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
