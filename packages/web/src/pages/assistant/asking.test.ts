import type { AssistantEvent } from '@relay/contract/api/assistant';
import { expect, test, vi } from 'vitest';
import { createTurnStore } from './turn.ts';

const RUN: AssistantEvent = { type: 'run', id: 'r', question: '7' };
const frame = (event: AssistantEvent) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

/** A daemon that sends these events and then breaks off or waits forever. */
function daemon(events: readonly AssistantEvent[], after: 'ends' | 'waits' = 'ends') {
  const posted: string[] = [];
  const post = async (_path: string, body: string, signal: AbortSignal) => {
    posted.push(body);
    return (async function* () {
      for (const event of events) yield frame(event);
      if (after === 'waits')
        await new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason)),
        );
    })();
  };
  const [onEnd, onStop] = [vi.fn(), vi.fn()];
  return { posted, onEnd, onStop, asking: createTurnStore(post, { onEnd, onStop }) };
}
const later = () => Date.now() + 1;

test('a finished answer moves to the history and leaves the page', async () => {
  const { asking, onEnd } = daemon([RUN, { type: 'done', text: 'Yes.' }]);
  asking.ask('keys?');
  await vi.waitFor(() => expect(onEnd).toHaveBeenCalledOnce());
  expect(asking.get()?.parts).toEqual([{ kind: 'text', text: 'Yes.' }]);
  asking.dropIfInHistory(0);
  expect(asking.get()).not.toBeNull();
  asking.dropIfInHistory(later());
  expect(asking.get()).toBeNull();
});

test('an interrupted answer is marked as such, even once the history has its question', async () => {
  const { asking, onEnd } = daemon([RUN, { type: 'text', delta: 'Half' }]);
  asking.ask('keys?');
  await vi.waitFor(() => expect(onEnd).toHaveBeenCalledOnce());
  expect(asking.get()?.ending).toMatchObject({ is: 'cut' });
  asking.dropIfInHistory(later());
  expect(asking.get()).toMatchObject({ isInHistory: true, question: 'keys?' });
});

test('only one question runs at a time; stopping ends it, and asking starts it again', async () => {
  const { asking, posted, onEnd, onStop } = daemon([RUN], 'waits');
  expect(asking.ask('keys?')).toBe(true);
  expect(asking.ask('and now?')).toBe(false);
  await vi.waitFor(() => expect(asking.get()?.line).toBe('7'));
  asking.dropIfInHistory(later());
  expect(asking.get()?.isInHistory).toBe(false);
  expect(onStop).not.toHaveBeenCalled();
  asking.stop();
  // Closing the stream does not stop the daemon: leaving the page must not.
  expect(onStop).toHaveBeenCalledOnce();
  expect(posted.map((body) => JSON.parse(body))).toEqual([{ text: 'keys?', background: true }]);
  expect(asking.get()?.ending).toEqual({ is: 'stopped' });
  await vi.waitFor(() => expect(onEnd).toHaveBeenCalledOnce());
  expect(asking.ask('keys?')).toBe(true);
  expect(posted).toHaveLength(2);
  asking.stop();
});
