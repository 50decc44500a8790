// Tests of what a gated connection sends, and when.
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { TransportStoreFault } from '@relay/core/ports/transport';
import { beforeEach, describe, expect, it } from 'vitest';
import { FaultLatch, holdWrites } from './durability.ts';

class Ledger {
  submitted = 0;
  durable = 0;
  readonly listeners = new Set<() => void>();

  onDurable(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  commit(upTo: number): void {
    this.durable = upTo;
    for (const listener of this.listeners) listener();
  }
}

let ledger: Ledger;
let life: FaultLatch;
let left: string;
let socket: Socket;

beforeEach(() => {
  ledger = new Ledger();
  life = new FaultLatch();
  left = '';
  socket = new Duplex({
    read() {},
    write(chunk, _encoding, done) {
      left += chunk;
      done();
    },
  }) as Socket;
  holdWrites(socket, ledger, life);
});

describe('a gated connection', () => {
  it('sends everything at once while nothing waits to be durable', async () => {
    const answered = new Promise((resolve) => socket.write('a', resolve));
    expect(left).toBe('a');
    await answered;
  });

  it('sends a write once everything submitted before it is durable, in order', () => {
    ledger.submitted = 1;
    socket.write('a');
    ledger.submitted = 3;
    socket.write('b');
    socket.write('c');
    ledger.commit(1);
    expect(left).toBe('a');
    ledger.commit(2);
    expect(left).toBe('a');
    ledger.commit(3);
    expect(left).toBe('abc');
    expect(ledger.listeners.size).toBe(1);
  });

  it('calls back for a held write in a later tick, so that the next write can share its commit', async () => {
    ledger.submitted = 1;
    let answered = false;
    socket.write('a', () => {
      answered = true;
    });
    expect(answered).toBe(false);
    await turn();
    expect(answered).toBe(true);
    expect(left).toBe('');
  });

  it('makes writers wait when too much is held', async () => {
    ledger.submitted = 1;
    for (let index = 0; index < 64; index++) socket.write('.');
    let answered = false;
    socket.write('last', () => {
      answered = true;
    });
    await turn();
    expect(answered).toBe(false);
    ledger.commit(1);
    await turn();
    expect(answered).toBe(true);
    expect(left).toBe(`${'.'.repeat(64)}last`);
  });

  it('ends after its held writes were sent', async () => {
    ledger.submitted = 1;
    socket.write('a');
    socket.end('z');
    await turn();
    expect(socket.writableEnded).toBe(false);
    ledger.commit(1);
    expect(left).toBe('az');
    expect(socket.writableEnded).toBe(true);
  });

  it('is destroyed by a fault, and sends nothing afterwards', async () => {
    ledger.submitted = 1;
    socket.write('a');
    life.trip(new TransportStoreFault('lease_lost', 'lost'));
    ledger.commit(1);
    socket.write('b');
    await turn();
    expect(left).toBe('');
    expect(socket.destroyed).toBe(true);
    expect(ledger.listeners.size).toBe(0);
  });
});
