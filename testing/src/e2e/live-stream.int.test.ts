// The live stream of the real daemon across a stop and a crash: a reader that returns with its cursor gets everything
// that happened meanwhile, once and in order.
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEventReader, type LiveEvent } from '@relay/contract/client/sse';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openRelay, type Relay } from './relay.ts';

let relay: Relay;
beforeAll(async () => {
  relay = await openRelay();
  await relay.start();
});
afterAll(() => relay.end());

const seen: LiveEvent[] = [];
const reader = createEventReader((event) => seen.push(event));
const changes = () =>
  seen.filter((event) => event.type === 'event' && event.kind === 'conversation');

async function connect(): Promise<IncomingMessage> {
  const cursor = reader.cursor();
  const outgoing = get({
    host: '127.0.0.1',
    port: relay.port,
    path: '/api/events',
    agent: false,
    headers: {
      authorization: `Bearer ${relay.token}`,
      ...(cursor === null ? {} : { 'last-event-id': cursor }),
    },
  });
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  expect(response.headers['content-type']).toBe('text/event-stream');
  response.setEncoding('utf8').on('data', (text) => reader.feed(text));
  // A killed daemon breaks the stream in the middle; the cursor makes up for it.
  response.on('error', () => {});
  return response;
}

const closed = (stream: IncomingMessage): Promise<void> =>
  new Promise((resolve) => stream.once('close', resolve));

async function until(holds: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 20_000; !holds(); await sleep(20)) {
    if (Date.now() > deadline) throw new Error(`still waiting after ${seen.length} events`);
  }
}

it('delivers every transition once and in order to a reader that returns with its cursor', async () => {
  const id = await relay.create();
  await relay.settled(id);
  const expected: { state: string; from: string; trigger: string }[] = [];
  const blink = async (times: number) => {
    const asked = 'NEEDS_HUMAN_INTERVENTION';
    for (let n = 0; n < times; n++) {
      await relay.call('POST', `/api/instances/${id}/pause`);
      await relay.call('POST', `/api/instances/${id}/resume`);
      expected.push({ state: 'PAUSED', from: asked, trigger: 'pause' });
      expected.push({ state: asked, from: 'PAUSED', trigger: 'resume' });
    }
  };

  const first = await connect();
  await until(() => seen.length > 0);
  expect(seen[0]).toMatchObject({ type: 'ready' });
  await blink(2);
  await until(() => changes().length === expected.length);

  // An open stream neither delays a stop nor outlives it.
  const over = closed(first);
  await relay.stop();
  await over;
  await relay.start();
  await blink(2);

  const second = await connect();
  await until(() => changes().length === expected.length);
  const broken = closed(second);
  await relay.kill();
  await broken;
  await relay.start();
  await blink(2);

  const third = await connect();
  await blink(1);
  await until(() => changes().length >= expected.length);
  // A duplicate would come before new events.
  await blink(1);
  await until(() => changes().length >= expected.length);
  third.destroy();
  expect(changes().map((event) => ('data' in event ? event.data : null))).toEqual(expected);
  expect(new Set(changes().map(({ cursor }) => cursor)).size).toBe(expected.length);
  expect(seen.filter(({ type }) => type === 'reset')).toEqual([]);
});

it('reports a cursor that no longer exists', async () => {
  const before = seen.length;
  reader.feed('id: 1-1\nevent: ready\ndata: {}\n\n');
  const stream = await connect();
  await until(() => seen.length > before + 1);
  stream.destroy();
  expect(seen.at(-1)).toMatchObject({ type: 'reset' });
});
