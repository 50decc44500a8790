import { verifies } from '@relay/testing/verifies';
import { expect, test } from 'vitest';
import { LeaseFence } from './fence.ts';

function openFence() {
  const time = { monotonic: 1_000, uptime: 50_000 };
  const fence = new LeaseFence({ monotonic: () => time.monotonic, uptime: () => time.uptime });
  const pass = (ms: number) => {
    time.monotonic += ms;
    time.uptime += ms;
  };
  return { fence, pass, time };
}

test('a fence forbids writing before the first renewal', () => {
  expect(openFence().fence.mayWrite()).toBe(false);
});

test('a renewal counts from when it was sent, however late its answer is', () => {
  verifies('WORKERS-FENCE');
  const { fence, pass } = openFence();
  const sent = fence.mark();
  pass(5_000);
  fence.open(sent, 6_000);
  expect(fence.mayWrite()).toBe(true);
  expect(fence.leftMs).toBe(1_000);
  pass(1_000);
  expect(fence.mayWrite()).toBe(false);
});

test('an answer that comes after its lease does not open the fence', () => {
  const { fence, pass } = openFence();
  const sent = fence.mark();
  pass(6_000);
  fence.open(sent, 6_000);
  expect(fence.mayWrite()).toBe(false);
});

test('a lease also ends while the machine sleeps, when the fine clock stands still', () => {
  verifies('WORKERS-FENCE');
  const { fence, time } = openFence();
  fence.open(fence.mark(), 6_000);
  time.uptime += 6_000;
  expect(fence.mayWrite()).toBe(false);
});

test('a fence that closes tells every socket, and opens with the next renewal', async () => {
  const { fence } = openFence();
  fence.open(fence.mark(), 6_000);
  let closed = 0;
  const forget = fence.onShut(() => closed++);
  fence.shut();
  expect(fence.mayWrite()).toBe(false);
  expect(closed).toBe(1);
  const opened = fence.opened();
  fence.open(fence.mark(), 6_000);
  await opened;
  forget();
  fence.shut();
  expect(closed).toBe(1);
});
