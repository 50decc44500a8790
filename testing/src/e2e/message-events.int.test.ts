// Every received message is on the live stream in the gateway's format, also for a reader that returns; the event log
// behind the stream never contains its text.
import { createEventReader, type LiveEvent } from '@relay/contract/client/sse';
import { expect, onTestFinished, test } from 'vitest';
import { verifies } from '../verifies.ts';
import type { Demo } from './demo.ts';
import { eventually } from './gateway.ts';
import { BEN, ME, startLinkedRelay } from './linked.ts';

const WORD = 'cantaloupe';

function listen(demo: Demo, cursor: string | null = null) {
  const stop = new AbortController();
  const seen: LiveEvent[] = [];
  const reader = createEventReader((event) => seen.push(event));
  const opened = fetch(`${demo.api}/api/events`, {
    headers: {
      authorization: `Bearer ${demo.token}`,
      ...(cursor === null ? {} : { 'last-event-id': cursor }),
    },
    signal: stop.signal,
  });
  const reading = opened.then(async ({ body }) => {
    const text = new TextDecoder();
    for await (const chunk of body ?? []) reader.feed(text.decode(chunk, { stream: true }));
  });
  reading.catch(() => {});
  onTestFinished(() => stop.abort());
  return {
    opened,
    cursor: reader.cursor,
    stop: () => stop.abort(),
    messages: () =>
      seen.flatMap((event) =>
        event.type === 'event' && event.kind === 'message' ? [event.data] : [],
      ),
  };
}

test("each received message is streamed in the gateway's format", async () => {
  verifies('000-EVENT-MESSAGE');
  const linked = await startLinkedRelay({ database: 'beside' });
  const { demo } = linked;
  const { phones, relay } = demo;
  const stream = listen(demo);
  await stream.opened;
  const group = await phones.group('Family', BEN, [ME]);

  const first = await phones.send(BEN, ME, `${WORD} one`);
  await phones.send(BEN, group, `${WORD} two`);
  await phones.ok(`POST /accounts/${BEN}/messages`, {
    to: ME,
    media: { kind: 'image', data: Buffer.from('x').toString('base64'), mimetype: 'image/png' },
    text: `${WORD} three`,
  });
  await phones.ok(`POST /accounts/${BEN}/messages`, {
    to: ME,
    reaction: { id: first, emoji: '👍' },
  });
  await phones.send(ME, BEN, `${WORD} four`);
  const kept = () => relay.messages({ limit: 100 });
  await eventually('all of them', async () => ((await kept()).length === 5 ? true : undefined));
  await eventually('the stream', async () => (stream.messages().length === 5 ? true : undefined));
  const byId = (messages: readonly object[]) =>
    messages.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
  expect(byId(stream.messages())).toEqual(byId(await kept()));

  const cursor = stream.cursor();
  stream.stop();
  await phones.send(BEN, ME, `${WORD} five`);
  await eventually('the sixth', async () => ((await kept()).length === 6 ? true : undefined));
  const later = listen(demo, cursor);
  await eventually('what was missed', async () => (later.messages().length > 0 ? true : undefined));
  expect(later.messages()).toMatchObject([{ body: `${WORD} five`, fromMe: false, isGroup: false }]);

  expect(
    await linked.query(`SELECT 1 FROM relay.events WHERE data::text LIKE '%${WORD}%'`),
  ).toEqual([]);
  expect(await linked.query("SELECT 1 FROM relay.events WHERE kind = 'message'")).toHaveLength(6);
});
