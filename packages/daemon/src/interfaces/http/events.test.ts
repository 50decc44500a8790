import type { IncomingMessage } from 'node:http';
import { createEventReader, type LiveEvent } from '@relay/contract/client/sse';
import { expect, test } from 'vitest';
import type { MemoryLog } from './testing/event-log.ts';
import { standIns, TOKEN } from './testing/stand-ins.ts';
import { bearer, type Listening, listening } from './testing/wire.ts';

interface Follower {
  readonly events: LiveEvent[];
  readonly response: IncomingMessage;
  cursor(): string | null;
  has(count: number): Promise<void>;
}

async function follow(server: Listening, lastEventId: string | null = null): Promise<Follower> {
  const resume = lastEventId === null ? {} : { 'last-event-id': lastEventId };
  const response = await server.open({ path: '/api/events', headers: { ...bearer, ...resume } });
  expect(response.headers['content-type']).toBe('text/event-stream');
  const events: LiveEvent[] = [];
  const reader = createEventReader((event) => events.push(event));
  response.setEncoding('utf8').on('data', reader.feed);
  response.on('error', () => {});
  const has = (count: number) =>
    expect.poll(() => events.length).toBeGreaterThanOrEqual(count) as unknown as Promise<void>;
  return { events, response, cursor: reader.cursor, has };
}

const numbers = (events: LiveEvent[]) =>
  events.flatMap((event) => (event.type === 'event' ? [event.data.n] : []));
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);
const append = (log: MemoryLog, from: number, to: number) => {
  for (let n = from; n < to; n++) log.append('instance.changed', { n });
};

test('starts a new stream at the present, with kind, subject and data of each event', async () => {
  const { deps, events } = standIns();
  events.append('before');
  const server = await listening(deps);
  const follower = await follow(server);
  await follower.has(1);
  events.append('instance.changed', { n: 0 });
  await follower.has(2);
  expect(follower.events).toEqual([
    { type: 'ready', cursor: '1' },
    {
      type: 'event',
      kind: 'instance.changed',
      cursor: '2',
      at: expect.any(String),
      subject: null,
      data: { n: 0 },
    },
  ]);
});

test('resumes at the cursor without missing or repeating an event', async () => {
  const { deps, events } = standIns({ limits: { streamBatch: 7 } });
  const server = await listening(deps);
  const seen: unknown[] = [];
  let cursor: string | null = null;
  for (let round = 0; round < 10; round++) {
    const follower: Follower = await follow(server, cursor);
    await follower.has(1);
    append(events, round * 50, round * 50 + 25);
    await follower.has(1 + (round === 0 ? 0 : 25) + (round % 3) * 5);
    follower.response.destroy();
    cursor = follower.cursor();
    seen.push(...numbers(follower.events));
    append(events, round * 50 + 25, round * 50 + 50);
  }
  const last = await follow(server, cursor);
  await expect.poll(() => seen.length + numbers(last.events).length).toBe(500);
  expect([...seen, ...numbers(last.events)]).toEqual(upTo(500));
});

test('resumes a stream that was opened on an empty log without a gap', async () => {
  const { deps, events } = standIns();
  const server = await listening(deps);
  const first = await follow(server);
  await first.has(1);
  first.response.destroy();
  append(events, 0, 3);
  const second = await follow(server, first.cursor());
  await second.has(4);
  expect(numbers(second.events)).toEqual([0, 1, 2]);
});

test('sends one reset for an unknown or outdated cursor, then continues from now', async () => {
  const { deps, events } = standIns();
  append(events, 0, 10);
  events.keep(3);
  const server = await listening(deps);
  for (const gone of ['2', 'never-was', '999']) {
    const follower = await follow(server, gone);
    await follower.has(1);
    const mark = await events.latest();
    events.append('instance.changed', { n: gone });
    await follower.has(2);
    expect(follower.events[0]).toEqual({ type: 'reset', cursor: mark });
    expect(numbers(follower.events)).toEqual([gone]);
    follower.response.destroy();
  }
});

test('finds events by polling even if nothing wakes the stream', async () => {
  const { deps, events } = standIns({ limits: { pollMs: 20 } });
  const server = await listening({ ...deps, events: { ...events, subscribe: () => () => {} } });
  const follower = await follow(server);
  await follower.has(1);
  append(events, 0, 2);
  await follower.has(3);
  expect(numbers(follower.events)).toEqual([0, 1]);
});

test('looks again soon for an event that could not be read yet when it was appended', async () => {
  const { deps, events } = standIns({ limits: { pollMs: 3_600_000, heldBackMs: 10 } });
  const server = await listening(deps);
  const follower = await follow(server);
  await follower.has(1);
  events.holdBack(true);
  append(events, 0, 1);
  // Nothing wakes the stream when the older transaction ends.
  await new Promise((resolve) => setTimeout(resolve, 50));
  events.holdBack(false);
  await follower.has(2);
  expect(numbers(follower.events)).toEqual([0]);
});

test('keeps a quiet stream alive with comments', async () => {
  const { deps } = standIns({ limits: { pollMs: 10, keepAliveMs: 30 } });
  const server = await listening(deps);
  const response = await server.open({ path: '/api/events', headers: bearer });
  let text = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await expect.poll(() => text.split(': keep-alive\n\n').length).toBeGreaterThan(2);
  response.destroy();
});

test('holds one batch for a client that does not read, and sends it everything later', async () => {
  const { deps, events } = standIns();
  const server = await listening(deps);
  const response = await server.open({ path: '/api/events', headers: bearer });
  response.pause();
  const filler = 'x'.repeat(10_000);
  for (let n = 0; n < 4_000; n++) events.append('big', { n, filler });
  let held = -1;
  // Until the buffers between here and the client are full, however long the machine takes to fill them.
  await expect
    .poll(
      () => {
        const before = held;
        held = events.handedOut();
        return held > 0 && held === before;
      },
      { interval: 300, timeout: 10_000 },
    )
    .toBe(true);
  expect(held).toBeLessThan(2_500);

  const seen: unknown[] = [];
  const reader = createEventReader((event) => event.type === 'event' && seen.push(event.data.n));
  response.setEncoding('utf8').on('data', reader.feed).resume();
  await expect.poll(() => seen.length, { timeout: 10_000 }).toBe(4_000);
  expect(seen).toEqual(upTo(4_000));
  response.destroy();
}, 20_000);

test('unsubscribes a client that has disconnected', async () => {
  const { deps, events } = standIns();
  const server = await listening(deps);
  const follower = await follow(server);
  await follower.has(1);
  expect(events.subscribers()).toBe(1);
  follower.response.destroy();
  await expect.poll(events.subscribers).toBe(0);
});

test('ends the stream at the next poll when the token was changed elsewhere', async () => {
  let token = TOKEN;
  const { deps } = standIns({ limits: { pollMs: 20 }, ownerToken: () => token });
  const server = await listening(deps);
  const { response } = await follow(server);
  const ended = new Promise((resolve) => response.once('end', resolve));
  token = 'another';
  await ended;
});

test('ends the stream and logs the error when the event log cannot be read', async () => {
  const warnings: string[] = [];
  const log = {
    debug() {},
    info() {},
    error() {},
    warn: (message: string) => void warnings.push(message),
  };
  const { deps, events } = standIns({ log });
  const broken = { ...events, read: () => Promise.reject(new Error('CANARY')) };
  const server = await listening({ ...deps, events: broken });
  const { response } = await follow(server);
  let text = '';
  response.on('data', (chunk) => {
    text += chunk;
  });
  await new Promise((resolve) => response.once('close', resolve));
  expect(text).not.toContain('CANARY');
  expect(warnings).toEqual(['event stream failed']);
});

test('sends a received message with its text, and skips one that was erased since', async () => {
  const { deps, events } = standIns();
  const [buffered] = await deps.messages.recent({ limit: 1 });
  if (buffered === undefined) throw new Error('no message');
  const byRefs = async () => new Map([[7, buffered]]);
  const server = await listening({ ...deps, messages: { ...deps.messages, byRefs } });
  const follower = await follow(server);
  await follower.has(1);
  events.append('message', { number: 7, message: buffered.id });
  events.append('message', { number: 8, message: 'erased' });
  events.append('instance.changed', { n: 0 });
  await follower.has(3);
  expect(follower.events.slice(1)).toMatchObject([
    { kind: 'message', data: buffered },
    { kind: 'instance.changed', data: { n: 0 } },
  ]);
});
