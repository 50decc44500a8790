import { expect, test } from 'vitest';
import { RelayApiError, RelayConnectionError } from './api-error.ts';
import { streamEvents } from './event-stream.ts';
import type { LiveEvent } from './sse.ts';

const ready = (id: string) => `id: ${id}\nevent: ready\ndata: {}\n\n`;
const happened = (id: string) =>
  `id: ${id}\nevent: hold\ndata: {"at":"now","subject":null,"data":{"on":true}}\n\n`;

/** A daemon with these stream connections, one after another: what each sends before it breaks or ends. */
function daemon(connections: readonly (readonly (string | Error)[])[]) {
  const cursors: (string | undefined)[] = [];
  const pauses: number[] = [];
  const open = async (
    _path: string,
    signal: AbortSignal,
    headers: Readonly<Record<string, string>> = {},
  ) => {
    const parts = connections[cursors.push(headers['last-event-id']) - 1];
    if (parts?.[0] instanceof Error) throw parts[0];
    return (async function* () {
      for (const part of parts ?? []) {
        if (part instanceof Error) throw part;
        yield part;
      }
      // The last one stays open.
      if (parts === connections.at(-1)) {
        await new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason)),
        );
      }
    })();
  };
  const platform = { chance: () => 1, sleep: async (ms: number) => void pauses.push(ms) };
  return { relay: { open }, cursors, pauses, platform };
}

const lost = new RelayConnectionError('lost');

test('reconnects with the cursor of the last event that was received', async () => {
  const { relay, cursors, pauses, platform } = daemon([
    [ready('1'), happened('2'), lost],
    [lost],
    [ready('2'), happened('3')],
    [ready('3'), happened('4')],
  ]);
  const stop = new AbortController();
  const seen: string[] = [];
  const told: unknown[] = [];
  const options = { signal: stop.signal, onLost: (...given: unknown[]) => told.push(given) };
  for await (const event of streamEvents(relay, options, platform)) {
    seen.push(`${event.type} ${event.cursor}`);
    if (event.cursor === '4') stop.abort();
  }
  expect(seen).toEqual(['ready 1', 'event 2', 'ready 2', 'event 3', 'ready 3', 'event 4']);
  expect(cursors).toEqual([undefined, '2', '2', '3']);
  // The pause grows while nothing is received, and is short again after an event.
  expect(pauses).toEqual([250, 500, 250]);
  expect(told[0]).toEqual([lost, 250]);
});

test('continues from the given cursor', async () => {
  const { relay, cursors, platform } = daemon([[ready('7')]]);
  for await (const _ of streamEvents(relay, { lastEventId: '7' }, platform)) break;
  expect(cursors).toEqual(['7']);
});

test('throws errors that reconnecting cannot fix', async () => {
  const refused = new RelayApiError(401, 'unauthorized', 'No.');
  const { relay, platform } = daemon([[refused]]);
  await expect(streamEvents(relay, {}, platform).next()).rejects.toBe(refused);
});

test('waits as long as the daemon asks', async () => {
  const busy = new RelayApiError(503, 'daemon_stopping', 'Stopping.', { retryAfterMs: 4_000 });
  const { relay, pauses, platform } = daemon([[busy], [ready('1')]]);
  for await (const _ of streamEvents(relay, {}, platform)) break;
  expect(pauses).toEqual([4_250]);
});

test('ends without an error when aborted, whatever it was doing', async () => {
  const { relay, platform } = daemon([[ready('1')]]);
  const seen: LiveEvent[] = [];
  const signal = AbortSignal.timeout(5);
  for await (const event of streamEvents(relay, { signal }, platform)) seen.push(event);
  expect(seen).toHaveLength(1);
  for await (const event of streamEvents(relay, { signal }, platform)) seen.push(event);
  expect(seen).toHaveLength(1);
});
