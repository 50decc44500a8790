import { silentLog } from '@relay/core/log';
import { describe, expect, test } from 'vitest';
import { ConnectionHealth, LinkBoard } from './link.ts';

function board() {
  let at = new Date(0);
  const now = () => at;
  const health = new ConnectionHealth(now);
  return {
    board: new LinkBoard({ now, health: () => health.snapshot(), log: silentLog }),
    health,
    pass: (ms: number) => {
      at = new Date(at.getTime() + ms);
    },
  };
}

describe('what the transport shows', () => {
  test('a code is there only in its state', () => {
    const { board: shown } = board();
    shown.enter('qr_ready', { qr: 'CODE' });
    expect(shown.link.qr).toBe('CODE');
    shown.enter('scanned');
    expect(shown.link.qr).toBeNull();
  });

  test('`since` is when the state changed, not when it was told again', () => {
    const { board: shown, pass } = board();
    shown.enter('qr_ready', { qr: 'ONE' });
    pass(500);
    shown.enter('qr_ready', { qr: 'TWO' });
    expect(shown.link.since).toEqual(new Date(0));
    shown.enter('scanned');
    expect(shown.link.since).toEqual(new Date(500));
  });

  test('a listener that fails does not keep others from hearing', () => {
    const { board: shown } = board();
    const heard: string[] = [];
    shown.subscribe(() => {
      throw new Error('mine');
    });
    const stop = shown.subscribe(({ type }) => void heard.push(type));
    shown.enter('connecting');
    stop();
    shown.enter('connected');
    expect(heard).toEqual(['link']);
  });
});

describe('health', () => {
  test('closes count for an hour', () => {
    const { health, pass } = board();
    health.closed();
    pass(1_800_000);
    health.closed();
    expect(health.snapshot().flaps).toBe(2);
    pass(1_800_001);
    expect(health.snapshot().flaps).toBe(1);
  });

  test('what was counted is kept when the keys are opened again', () => {
    const { health } = board();
    const counts = { received: 3, undecryptable: 1 };
    health.follow(counts);
    counts.received = 5;
    health.follow(undefined);
    health.follow({ received: 2, undecryptable: 0 });
    expect(health.snapshot()).toMatchObject({ received: 7, undecryptable: 1 });
  });
});
