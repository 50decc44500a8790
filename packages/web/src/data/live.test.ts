import { RelayApiError, RelayConnectionError } from '@relay/contract/client/api-error';
import type { OpenStream } from '@relay/contract/client/transport';
import { expect, test, vi } from 'vitest';
import { createLiveStream, type TabChannel, type TabMessage } from './live-stream.ts';
import type { QueryNoun } from './refresher.ts';

type Connecting = (cursor: string | undefined) => AsyncIterable<string>;

/** Each connect uses the next connection given; the last one stays open. */
function streamOf(...connections: Connecting[]) {
  return sharedStreamOf(undefined, ...connections);
}

function sharedStreamOf(share: TabChannel | undefined, ...connections: Connecting[]) {
  const opened: (string | undefined)[] = [];
  const open: OpenStream = async (_path, _signal, headers) => {
    const next = connections[Math.min(opened.length, connections.length - 1)];
    opened.push(headers?.['last-event-id']);
    if (next === undefined) throw new Error('no connection was given');
    return next(headers?.['last-event-id']);
  };
  const touched: (QueryNoun | 'everything')[] = [];
  const refresher = {
    invalidate: (nouns: readonly QueryNoun[]) => void touched.push(...nouns),
    invalidateAll: () => void touched.push('everything'),
  };
  return { live: createLiveStream({ open }, refresher, share), opened, touched };
}

const frame = (id: string, event: string) =>
  `id: ${id}\nevent: ${event}\ndata: {"at":"","subject":null,"data":{}}\n\n`;
const forever = () => new Promise<never>(() => {});

test('becomes live once the stream is ready and refetches what an event affects', async () => {
  const { live, touched } = streamOf(async function* () {
    yield frame('1', 'ready');
    yield frame('2', 'hold');
    await forever();
  });
  live.start();
  await vi.waitFor(() => expect(touched).toContain('ledger'));
  expect(live.get()).toEqual({ state: 'live' });
  expect(touched[0]).toBe('everything');
  live.stop();
});

test('resumes from its cursor after a gap and refetches everything', async () => {
  const { live, opened, touched } = streamOf(
    async function* () {
      yield frame('7', 'ready');
      throw new RelayConnectionError('gone');
    },
    async function* () {
      yield frame('8', 'reset');
      await forever();
    },
  );
  const seen: string[] = [];
  live.subscribe(() => seen.push(live.get().state));
  live.start();
  await vi.waitFor(() => expect(touched).toEqual(['everything', 'everything']), 5_000);
  expect(opened).toEqual([undefined, '7']);
  expect(seen).toEqual(['live', 'gone', 'live']);
  live.stop();
});

test('reports a missing session and stops requesting', async () => {
  const { live, opened } = streamOf(() => {
    throw new RelayApiError(401, 'unauthorized', 'Sign in.');
  });
  live.start();
  await vi.waitFor(() => expect(live.get()).toEqual({ state: 'signed_out' }));
  expect(opened).toHaveLength(1);
});

test('dates a longer outage from its first failure', async () => {
  const away = () => {
    throw new RelayConnectionError('gone');
  };
  const { live, opened } = streamOf(away);
  live.start();
  await vi.waitFor(() => expect(live.get().state).toBe('gone'));
  const { since } = live.get() as { since: number };
  live.reconnectNow();
  await vi.waitFor(() => expect(opened.length).toBeGreaterThan(1));
  await vi.waitFor(() => expect(live.get()).toMatchObject({ state: 'gone', since }));
  live.stop();
});

/** Tabs of one browser: the first to ask leads, and later ones wait in line. */
function browser() {
  const tabs = new Set<(message: TabMessage) => void>();
  let last: Promise<void> = Promise.resolve();
  return (): TabChannel => {
    let own: ((message: TabMessage) => void) | undefined;
    return {
      lead(signal, read) {
        const turn = last.then(() => (signal.aborted ? undefined : read()));
        const ended = new Promise<void>((resolve) =>
          signal.addEventListener('abort', () => resolve()),
        );
        last = Promise.race([turn, ended]);
        return turn;
      },
      post: (message) => {
        for (const tab of tabs) if (tab !== own) tab(message);
      },
      onMessage(listener) {
        own = listener;
        tabs.add(listener);
        return () => tabs.delete(listener);
      },
    };
  };
}

const staying = async function* () {
  yield frame('1', 'ready');
  yield frame('2', 'hold');
  await forever();
};

test('lets one of several tabs read and informs all of them', async () => {
  const tab = browser();
  const first = sharedStreamOf(tab(), staying);
  const second = sharedStreamOf(tab(), staying);
  first.live.start();
  await vi.waitFor(() => expect(first.touched).toContain('ledger'));
  second.live.start();
  expect(second.live.get()).toEqual({ state: 'live' });
  expect(second.touched).toEqual(['everything']);
  expect([first.opened.length, second.opened.length]).toEqual([1, 0]);

  first.live.stop();
  await vi.waitFor(() => expect(second.opened).toEqual(['2']));
  second.live.stop();
});

test('shares the loss of the connection and a sign-out with all tabs', async () => {
  const tab = browser();
  const first = sharedStreamOf(
    tab(),
    async function* () {
      yield frame('1', 'ready');
      throw new RelayConnectionError('gone');
    },
    () => {
      throw new RelayApiError(401, 'unauthorized', 'Sign in.');
    },
  );
  const seen: string[] = [];
  const second = sharedStreamOf(tab(), staying);
  second.live.subscribe(() => seen.push(second.live.get().state));
  first.live.start();
  second.live.start();
  await vi.waitFor(() => expect(seen).toEqual(['live', 'gone', 'signed_out']), 5_000);
  expect(second.opened).toEqual([]);
});
