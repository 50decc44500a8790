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

describe('the published link', () => {
  test('contains a code only in the state of the code', () => {
    const { board: shown } = board();
    shown.setState('qr_ready', { qr: 'CODE' });
    expect(shown.link.qr).toBe('CODE');
    shown.setState('scanned');
    expect(shown.link.qr).toBeNull();
  });

  test('has in `since` the time of the last change of state', () => {
    const { board: shown, pass } = board();
    shown.setState('qr_ready', { qr: 'ONE' });
    pass(500);
    shown.setState('qr_ready', { qr: 'TWO' });
    expect(shown.link.since).toEqual(new Date(0));
    shown.setState('scanned');
    expect(shown.link.since).toEqual(new Date(500));
  });

  test('is sent to all listeners, even if one of them fails', () => {
    const { board: shown } = board();
    const heard: string[] = [];
    shown.subscribe(() => {
      throw new Error('mine');
    });
    const stop = shown.subscribe(({ type }) => void heard.push(type));
    shown.setState('connecting');
    stop();
    shown.setState('connected');
    expect(heard).toEqual(['link']);
  });
});

describe('health', () => {
  test('counts closes for an hour', () => {
    const { health, pass } = board();
    health.closed();
    pass(1_800_000);
    health.closed();
    expect(health.snapshot().flaps).toBe(2);
    pass(1_800_001);
    expect(health.snapshot().flaps).toBe(1);
  });

  test('keeps its counts when the keys are reopened', () => {
    const { health } = board();
    const counts = { received: 3, undecryptable: 1 };
    health.follow(counts);
    counts.received = 5;
    health.follow(undefined);
    health.follow({ received: 2, undecryptable: 0 });
    expect(health.snapshot()).toMatchObject({ received: 7, undecryptable: 1 });
  });
});
