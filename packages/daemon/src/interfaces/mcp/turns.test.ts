import { expect, test } from 'vitest';
import { CallOrder, OrderedCall } from './call.ts';

test('runs work in the order of the calls, however long each takes to begin', async () => {
  const turns = new CallOrder();
  const [a, b, c] = [
    new OrderedCall(turns, 'x'),
    new OrderedCall(turns, 'x'),
    new OrderedCall(turns, 'x'),
  ];
  const done: string[] = [];
  const later = [
    c.inTurn(async () => done.push('c')),
    b.inTurn(async () => done.push('b')),
    new OrderedCall(turns, 'y').inTurn(async () => done.push('another queue')),
  ];
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(done).toEqual(['another queue']);
  await a.inTurn(async () => done.push('a'));
  await Promise.all(later);
  expect(done).toEqual(['another queue', 'a', 'b', 'c']);
});

test('does not block on a call that leaves or fails, and puts its next work last', async () => {
  const turns = new CallOrder();
  const [a, b, c] = [
    new OrderedCall(turns, 'x'),
    new OrderedCall(turns, 'x'),
    new OrderedCall(turns, 'x'),
  ];
  const done: string[] = [];
  a.release();
  await expect(b.inTurn(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  const again = b.inTurn(async () => done.push('b again'));
  await c.inTurn(async () => done.push('c'));
  await again;
  expect(done).toEqual(['c', 'b again']);
});
