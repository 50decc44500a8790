// Waits for the store, and notifies when a received message has become durable.

import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import { type TransportStore, TransportStoreFault } from '@relay/core/ports/transport';

type DurableProgress = Pick<TransportStore, 'submitted' | 'durable' | 'onDurable'>;

/** Resolves when everything submitted so far is durable. */
export function waitUntilDurable(ledger: DurableProgress, life: FaultLatch): Promise<void> {
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
    const stopFearing = life.onFault((fault) => {
      stopWaiting();
      reject(fault);
    });
  });
}

/** Notifies that received messages are durable, once per commit, however many it contained. */
export class ReceivedAnnouncer {
  readonly #announce: () => void;
  #first: number | null = null;
  #last = 0;

  constructor(announce: () => void) {
    this.#announce = announce;
  }

  /** The unit with this number contains a message. */
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

// Whether the state in memory can still be trusted. The first fault ends that for good.
// Invariant: after the fault no operation begins or is submitted, and no byte is sent.

export class FaultLatch {
  readonly #onFault = new Set<(fault: TransportStoreFault) => void>();
  #fault: TransportStoreFault | null = null;

  get fault(): TransportStoreFault | null {
    return this.#fault;
  }

  throwIfFaulted(): void {
    if (this.#fault) throw this.#fault;
  }

  /** Listeners are called once. */
  onFault(listener: (fault: TransportStoreFault) => void): () => void {
    this.#onFault.add(listener);
    return () => this.#onFault.delete(listener);
  }

  /** Returns the first fault. */
  trip(error: unknown): TransportStoreFault {
    if (this.#fault) return this.#fault;
    const fault =
      error instanceof TransportStoreFault
        ? error
        : new TransportStoreFault('unavailable', 'The keys could not be read.', { cause: error });
    this.#fault = fault;
    for (const listener of this.#onFault) listener(fault);
    this.#onFault.clear();
    return fault;
  }
}

// Connections that send nothing before everything submitted ahead of it is durable.
// Invariant: the bytes of a write are sent after the units that were submitted when it was made, in order, or never.
// Therefore a receipt means "stored", and a message that was sent cannot be sent again with other content.

/** Beyond either limit, a writer waits until its bytes are really sent. */
const MAX_HELD_WRITES = 64;
const MAX_HELD_BYTES = 1024 * 1024;

type Done = (error?: Error | null) => void;
type Write = Socket['write'];

interface HeldWrite {
  readonly after: number;
  readonly chunk: Uint8Array | string;
  readonly encoding: BufferEncoding | undefined;
  readonly done: Done | undefined;
}

type WriteProgress = Pick<TransportStore, 'submitted' | 'durable' | 'onDurable'>;

/** An agent for `ws:` or `wss:`. Baileys' type knows only the latter. */
export function createGatedAgent(
  url: string | URL,
  ledger: WriteProgress,
  life: FaultLatch,
): HttpsAgent {
  const Base = new URL(url).protocol === 'wss:' ? HttpsAgent : HttpAgent;
  class GatedAgent extends Base {
    override createConnection(...args: Parameters<HttpAgent['createConnection']>) {
      const socket = super.createConnection(...args) as Socket;
      holdWrites(socket, ledger, life);
      return socket;
    }
  }
  return new GatedAgent() as unknown as HttpsAgent;
}

export function holdWrites(socket: Socket, ledger: WriteProgress, life: FaultLatch): void {
  const write: Write = socket.write.bind(socket);
  const end = socket.end.bind(socket);
  const held: HeldWrite[] = [];
  let heldBytes = 0;
  let ending: (() => void) | null = null;

  const release = () => {
    if (!held[0] || held[0].after > ledger.durable) return;
    socket.cork();
    for (let next = held[0]; next && next.after <= ledger.durable; next = held[0]) {
      held.shift();
      heldBytes -= next.chunk.length;
      write(next.chunk, next.encoding, next.done);
    }
    socket.uncork();
    if (held.length === 0) ending?.();
  };
  const stopListening = [ledger.onDurable(release), life.onFault(() => socket.destroy())];
  socket.once('close', () => {
    held.length = 0;
    for (const stop of stopListening) stop();
  });

  socket.write = (chunk: Uint8Array | string, ...rest: unknown[]): boolean => {
    const encoding = typeof rest[0] === 'string' ? (rest[0] as BufferEncoding) : undefined;
    const done = rest.find((given) => typeof given === 'function') as Done | undefined;
    if (life.fault) {
      socket.destroy();
      return false;
    }
    if (held.length === 0 && ledger.submitted <= ledger.durable)
      return write(chunk, encoding, done);
    const full = held.length >= MAX_HELD_WRITES || heldBytes >= MAX_HELD_BYTES;
    held.push({ after: ledger.submitted, chunk, encoding, done: full ? done : undefined });
    heldBytes += chunk.length;
    // In a later tick: Baileys sends one at a time, and so several writes share one commit without starving it.
    if (done && !full) setImmediate(done);
    return true;
  };
  socket.end = (...args: unknown[]): Socket => {
    const finish = () => end(...(args as Parameters<typeof end>));
    if (held.length === 0 || life.fault) finish();
    else ending = finish;
    return socket;
  };
}
