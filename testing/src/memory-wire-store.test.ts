import { expect, test } from 'vitest';
import { MemoryWire } from './memory-wire-store.ts';
import { bytes, text, wireStoreBehaviour } from './wire-store-behaviour.ts';

wireStoreBehaviour('in memory', async () => {
  const wire = new MemoryWire();
  return {
    open: () => wire.open(),
    inbox: async () =>
      wire.inbox.map(({ chat, sender, id, content }) => `${chat} ${sender} ${id} ${text(content)}`),
    damageCredentials: async () => wire.damage('credentials'),
    async breakDown() {
      wire.hold();
      setTimeout(() => {
        wire.fault('unavailable');
        wire.release();
      });
    },
  };
});

test('nothing becomes durable while the store is held', async () => {
  const wire = new MemoryWire({ delayMs: 1 });
  const store = await wire.open();
  wire.hold();
  const unit = store.submit({ credentials: bytes('me') });
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect([store.durable, wire.credentials]).toEqual([0, null]);
  wire.release();
  await unit;
  expect([store.durable, text(wire.credentials)]).toEqual([1, 'me']);
});
