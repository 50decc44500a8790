import { expect, expectTypeOf, test } from 'vitest';
import type { StreamEventData } from '../api/events.ts';
import { createEventReader, type Happened, type LiveEvent } from './sse.ts';

const TEXT = [
  'retry: 2000\nid: 7\nevent: ready\ndata: {}\n\n',
  ': keep-alive\n\n',
  'id: 8\nevent: instance.changed\ndata: {"at":"now","subject":"ä","data":{"n":1}}\n\n',
  'id: 9\nevent: reset\ndata: {}\n\n',
].join('');

test('parses the same events however the text is split', () => {
  for (let size = 1; size < TEXT.length; size += 7) {
    const events: LiveEvent[] = [];
    const reader = createEventReader((event) => events.push(event));
    expect(reader.cursor()).toBeNull();
    for (let at = 0; at < TEXT.length; at += size) reader.feed(TEXT.slice(at, at + size));
    expect(events).toEqual([
      { type: 'ready', cursor: '7' },
      {
        type: 'event',
        kind: 'instance.changed',
        cursor: '8',
        at: 'now',
        subject: 'ä',
        data: { n: 1 },
      },
      { type: 'reset', cursor: '9' },
    ]);
    expect(reader.cursor()).toBe('9');
  }
});

test('does not move the cursor past an unhandled event', () => {
  const reader = createEventReader((event) => {
    if (event.type === 'event') throw new Error('not handled');
  });
  expect(() => reader.feed(TEXT)).toThrow('not handled');
  expect(reader.cursor()).toBe('7');
});

test('an event contains the same data as the API’s frames', () => {
  expectTypeOf<Pick<Happened, keyof StreamEventData>>().toExtend<Readonly<StreamEventData>>();
});
