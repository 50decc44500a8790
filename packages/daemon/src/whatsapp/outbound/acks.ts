// The server's word on each message of ours: taken, or refused with a code. Baileys tells only of
// refusals, so the stanzas themselves are read. Invariant: nobody waits for longer than their socket lives.
import type { BinaryNode } from '@whiskeysockets/baileys';

export interface Ack {
  readonly id: string;
  readonly chat: string;
  /** Null when the server took the message. */
  readonly error: number | null;
  readonly at: Date;
}

export function readAck({ attrs }: BinaryNode, now: Date): Ack | null {
  if (attrs.id === undefined || attrs.from === undefined) return null;
  const seconds = Number(attrs.t);
  return {
    id: attrs.id,
    chat: attrs.from,
    error: attrs.error === undefined ? null : Number(attrs.error) || 0,
    at: Number.isSafeInteger(seconds) && seconds > 0 ? new Date(seconds * 1_000) : now,
  };
}

export class AckWaiters {
  readonly #waiting = new Map<string, (ack: Ack) => void>();

  /** The ack for this id; `stop` when it is no longer wanted. */
  expect(id: string): { readonly ack: Promise<Ack>; stop(): void } {
    const { promise, resolve } = Promise.withResolvers<Ack>();
    this.#waiting.set(id, resolve);
    const stop = () => {
      if (this.#waiting.get(id) === resolve) this.#waiting.delete(id);
    };
    return { ack: promise, stop };
  }

  /** False when nobody waits for it: an earlier attempt gave up, or a device asked to have it again. */
  settle(ack: Ack): boolean {
    const resolve = this.#waiting.get(ack.id);
    this.#waiting.delete(ack.id);
    resolve?.(ack);
    return resolve !== undefined;
  }
}
