// Waiting for the store, and hearing when something that was received has become durable.
import type { WireStore } from '@relay/core/ports/wire-store';
import type { Life } from './life.ts';

type Ledger = Pick<WireStore, 'submitted' | 'durable' | 'onDurable'>;

/** Everything submitted so far is durable. */
export function settled(ledger: Ledger, life: Life): Promise<void> {
  return new Promise((resolve, reject) => {
    if (life.fault) return reject(life.fault);
    const goal = ledger.submitted;
    if (ledger.durable >= goal) return resolve();
    const stopWaiting = () => {
      stopHearing();
      stopFearing();
    };
    const stopHearing = ledger.onDurable(() => {
      if (ledger.durable < goal) return;
      stopWaiting();
      resolve();
    });
    const stopFearing = life.onEnd((fault) => {
      stopWaiting();
      reject(fault);
    });
  });
}

/** Tells that received messages are durable, once a commit however many it brought. */
export class Announcer {
  readonly #announce: () => void;
  #first: number | null = null;
  #last = 0;

  constructor(announce: () => void) {
    this.#announce = announce;
  }

  /** The unit with this number brings a message. */
  expect(unit: number): void {
    this.#first ??= unit;
    this.#last = unit;
  }

  settle(durable: number): void {
    if (this.#first === null || this.#first > durable) return;
    this.#first = this.#last > durable ? durable + 1 : null;
    this.#announce();
  }
}
